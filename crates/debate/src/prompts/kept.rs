//! System prompts and the schemas of their answers, kept for all debates of this process:
//! most of their words come again in every debate. What is kept is counted once, too.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::{PromptAddressee, RoundPhase, TemplateError, Templates, schema, system};
use crate::model::{
    AnswerParts, Brief, Flags, ModePlan, Seat, SeatId, SeatNaming, Task, TokenCounted,
};

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

/// The system prompt of a seat, and the schema of its answers. `language` is the name of the
/// brief's language.
pub fn shared_prompt(
    words: &Templates,
    part: &PromptAddressee<'_>,
    language: &str,
) -> Result<SharedPrompt, TemplateError> {
    if !words.are_built_in() {
        return made(words, part);
    }
    let prompts = || PROMPTS.lock().unwrap_or_else(PoisonError::into_inner);
    let find = |prompts: &VecDeque<(PromptKey, SharedPrompt)>| {
        let fitting = prompts.iter().rev().find(|(key, _)| key.fits(part, language));
        fitting.map(|(_, found)| found.clone())
    };
    if let Some(found) = find(&prompts()) {
        return Ok(found);
    }
    let key = PromptKey::of(part, language);
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
    fn of(part: &PromptAddressee<'_>, language: &str) -> PromptKey {
        let (all, agent) = (part.brief, part.seat.agent);
        let named = part.plan.view.naming == SeatNaming::Named;
        let name = if named { part.seat.name.clone() } else { String::new() };
        let flags =
            Flags { tool_enforcement: all.flags.tool_enforcement.clone(), ..Flags::default() };
        let brief = Brief {
            question: all.question.clone(),
            language: Some(language.to_owned()),
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

/// At most this many system prompts and schemas of clerks are kept, the newest ones.
const KEPT_FOR_CLERKS: usize = 24;

/// A schema of a clerk's answers, with all that it depends on.
struct ClerkSchema {
    task: Task,
    names: Vec<String>,
    schema: Arc<TokenCounted<Value>>,
}

static CLERK_SCHEMAS: Mutex<VecDeque<ClerkSchema>> = Mutex::new(VecDeque::new());

/// The schema of a clerk's answers to a task. It is made of the names alone, and only if no
/// debate before it had the same.
pub fn clerk_schema(
    task: Task,
    names: &[&str],
    make: impl FnOnce() -> Value,
) -> Arc<TokenCounted<Value>> {
    let mut kept = CLERK_SCHEMAS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = kept.iter().rev().find(|one| one.task == task && one.names == names);
    if let Some(found) = found {
        return Arc::clone(&found.schema);
    }
    let schema = Arc::new(TokenCounted::from(make()));
    if kept.len() >= KEPT_FOR_CLERKS {
        kept.pop_front();
    }
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    kept.push_back(ClerkSchema { task, names, schema: Arc::clone(&schema) });
    schema
}

static CLERK_SYSTEMS: Mutex<VecDeque<Arc<TokenCounted<String>>>> = Mutex::new(VecDeque::new());

/// A clerk's system prompt. If an earlier one has the same words, it is that one, so that
/// they are counted once.
pub fn clerk_system(words: String) -> Arc<TokenCounted<String>> {
    let mut kept = CLERK_SYSTEMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = kept.iter().rev().find(|one| one.as_str() == words) {
        return Arc::clone(found);
    }
    let system = Arc::new(TokenCounted::from(words));
    if kept.len() >= KEPT_FOR_CLERKS {
        kept.pop_front();
    }
    kept.push_back(Arc::clone(&system));
    system
}
