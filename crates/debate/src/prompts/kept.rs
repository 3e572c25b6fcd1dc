//! System prompts and the schemas of their answers, kept for all debates of this process:
//! most of their words come again in every debate.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::{PromptAddressee, RoundPhase, TemplateError, Templates, schema, system};
use crate::model::{AnswerParts, Brief, Flags, ModePlan, Seat, SeatId, SeatNaming, TokenCounted};

/// A system prompt and the schema of the answers to it.
pub type SharedPrompt = (Arc<TokenCounted<String>>, Arc<TokenCounted<Value>>);

/// At most this many prompts are kept, the newest ones.
const KEPT: usize = 48;

static PROMPTS: Mutex<VecDeque<(PromptKey, SharedPrompt)>> = Mutex::new(VecDeque::new());

/// Everything that a prompt depends on. A kept prompt is made from its key and the mode's
/// plan alone, so it can hold nothing of another debate. Templates of the user's own may use
/// the topic, too: their prompts are not kept.
struct PromptKey {
    mode: &'static str,
    phase: RoundPhase,
    seat: Seat,
    brief: Brief,
}

/// The system prompt of a seat, and the schema of its answers.
pub fn shared_prompt(
    words: &Templates,
    part: &PromptAddressee<'_>,
) -> Result<SharedPrompt, TemplateError> {
    if !words.are_built_in() {
        return made(words, part);
    }
    let prompts = || PROMPTS.lock().unwrap_or_else(PoisonError::into_inner);
    let language = part.brief.language_name();
    let find = |prompts: &VecDeque<(PromptKey, SharedPrompt)>| {
        let fitting = prompts.iter().rev().find(|(key, _)| key.fits(part, language));
        fitting.map(|(_, found)| found.clone())
    };
    if let Some(found) = find(&prompts()) {
        return Ok(found);
    }
    let key = PromptKey::of(part);
    let new = key.made(words, part.plan)?;
    let mut prompts = prompts();
    // Another debate may have made it meanwhile.
    if let Some(found) = find(&prompts) {
        return Ok(found);
    }
    if prompts.len() >= KEPT {
        prompts.pop_front();
    }
    prompts.push_back((key, new.clone()));
    Ok(new)
}

impl PromptKey {
    fn of(part: &PromptAddressee<'_>) -> PromptKey {
        let (all, agent) = (part.brief, part.seat.agent);
        let named = part.plan.view.naming == SeatNaming::Named;
        let name = if named { part.seat.name.clone() } else { String::new() };
        let flags =
            Flags { tool_enforcement: all.flags.tool_enforcement.clone(), ..Flags::default() };
        let brief = Brief {
            question: all.question.clone(),
            language: Some(all.language_name().to_owned()),
            stakes: all.stakes.clone(),
            flags,
            tools: if all.has_tools(agent) { all.tools.clone() } else { Vec::new() },
            styles: vec![all.style(agent)],
            personas: vec![all.persona(agent).to_owned()],
            required_questions: part.lessons.to_vec(),
            ..Brief::new("", "", Vec::new(), "")
        };
        let seat = Seat { id: SeatId(0), agent: 0, name, ..part.seat.clone() };
        PromptKey { mode: part.plan.name, phase: part.phase, seat, brief }
    }

    /// Returns true if this is the key of a seat's prompt, without making that key.
    fn fits(&self, part: &PromptAddressee<'_>, language: &str) -> bool {
        let (all, own, agent) = (part.brief, &self.brief, part.seat.agent);
        let Seat { id: _, agent: _, name, role, team, stance, perspective, anchor } = part.seat;
        let named = part.plan.view.naming == SeatNaming::Named;
        let tools = if all.has_tools(agent) { all.tools.as_slice() } else { &[] };
        self.mode == part.plan.name
            && self.phase == part.phase
            && self.seat.name == if named { name.as_str() } else { "" }
            && self.seat.role == *role
            && self.seat.team == *team
            && self.seat.stance == *stance
            && self.seat.anchor == *anchor
            && self.seat.perspective == *perspective
            && own.question == all.question
            && own.language.as_deref() == Some(language)
            && own.stakes == all.stakes
            && own.flags.tool_enforcement == all.flags.tool_enforcement
            && own.tools == tools
            && own.style(0) == all.style(agent)
            && own.persona(0) == all.persona(agent)
            && own.required_questions == part.lessons
    }

    fn made(
        &self,
        words: &Templates,
        plan: &'static ModePlan,
    ) -> Result<SharedPrompt, TemplateError> {
        let PromptKey { phase, seat, brief, .. } = self;
        let lessons = &brief.required_questions;
        made(words, &PromptAddressee { plan, brief, seat, phase: *phase, lessons })
    }
}

fn made(words: &Templates, part: &PromptAddressee<'_>) -> Result<SharedPrompt, TemplateError> {
    let system = system(words, part)?;
    let (plan, question, seat) = (part.plan, &part.brief.question, part.seat);
    let schema = match part.brief.style(seat.agent).parts {
        AnswerParts::Form => schema::answer_schema(plan, question, part.phase, seat),
        parts => schema::record_schema(plan, question, part.phase, seat, parts),
    };
    Ok((Arc::new(system.into()), Arc::new(schema.into())))
}
