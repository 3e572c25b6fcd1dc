//! Every word a model reads: the four layers of a system prompt, the message of a
//! turn, the request to repair an answer and the clerk's tasks, all from template
//! files. TemplateValues are never templates: braces in a topic stay braces. Foreign text
//! is not fenced here; it must come in fenced.

mod clerk;
mod kept;
mod parts;
mod sample;
mod schema;
mod templates;
mod values;
mod wave;
mod words;

use std::sync::OnceLock;

use minijinja::Value;

use crate::model::{
    AnswerParts, Brief, ENGLISH, Execution, Fence, ModePlan, OWN_LANGUAGE, Question, RolePlan,
    Round, Seat, SeatNaming, Stake,
};

pub use clerk::{
    ClerkPrompt, StandsAsk, clerk_complexity, clerk_consensus, clerk_domain, clerk_draft,
    clerk_perspectives, clerk_safety, clerk_summary, clerk_synthesis,
};
pub use kept::{SharedPrompt, clerk_schema, clerk_system, shared_prompt};
pub use parts::{missing, record};
pub use schema::{
    answer_schema, complexity_schema, consensus_schema, domain_schema, draft_schema, fields_schema,
    perspectives_schema, record_schema, safety_schema, summary_schema, synthesis_schema,
};
pub use templates::{Template, templates};
pub use wave::TurnsOfWave;
pub use words::{TemplateError, Templates};

use values::TemplateValues;
use words::flat;

/// The kind of round an agent speaks in; it sets the sections and the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RoundPhase {
    First,
    Later,
    CriticalObjection,
}

impl RoundPhase {
    pub const ALL: [RoundPhase; 3] =
        [RoundPhase::First, RoundPhase::Later, RoundPhase::CriticalObjection];

    /// Returns its name in templates.
    pub fn word(self) -> &'static str {
        match self {
            RoundPhase::First => "first",
            RoundPhase::Later => "later",
            RoundPhase::CriticalObjection => "objection",
        }
    }
}

/// The seat that a prompt is for. The system prompt depends on nothing else, so
/// that it stays the same for all rounds of a kind and providers can cache it.
#[derive(Debug, Clone, Copy)]
pub struct PromptAddressee<'a> {
    pub plan: &'static ModePlan,
    pub brief: &'a Brief,
    pub seat: &'a Seat,
    pub phase: RoundPhase,
    /// Questions that earlier outcomes ask this debate to answer.
    pub lessons: &'a [String],
}

impl PromptAddressee<'_> {
    /// Returns whether the seat's model gets the lighter set of words.
    fn is_light(&self) -> bool {
        let style = self.brief.style(self.seat.agent);
        style.small && style.parts != AnswerParts::Form
    }

    fn role(&self) -> Option<&'static RolePlan> {
        let extended = self.plan.extended.map_or(&[][..], |extended| extended.roles);
        self.plan.roles.iter().chain(extended).find(|role| role.key == self.seat.role)
    }
}

/// The contents of a turn's message beside the topic.
#[derive(Debug, Clone, Copy, Default)]
pub struct Message<'a> {
    pub round: Round,
    pub total_rounds: u32,
    /// The view of the seat, already fenced; empty if there is nothing to show.
    pub view: &'a str,
    /// True if the view holds no seat's answer, only the state of the debate.
    pub sealed: bool,
    /// Attached files, already fenced; empty if there are none.
    pub attachments: &'a str,
    /// The focus question that holds now.
    pub focus: Option<&'a str>,
    pub fence_mark: &'a str,
}

/// The four layers, in order.
pub fn system(words: &Templates, part: &PromptAddressee<'_>) -> Result<String, TemplateError> {
    let base = seat_values(part);
    let language = language(words, part.brief.language_name())?;
    if part.is_light() {
        return Ok(format!("{}\n\n{language}", parts::light(words, part, &base)?));
    }
    let layers = [
        role_layer(words, part, &base)?,
        contract_layer(words, part, &base)?,
        structure_layer(words, part, &base)?,
        verification_layer(words, part, &base)?,
        language,
    ];
    Ok(layers.join("\n\n"))
}

/// The message of one turn.
pub fn turn(
    words: &Templates,
    part: &PromptAddressee<'_>,
    message: &Message<'_>,
) -> Result<String, TemplateError> {
    filled_turn(words, part, message, &notice(words, message.fence_mark)?)
}

/// The message of a turn with the words of a notice.
fn filled_turn(
    words: &Templates,
    part: &PromptAddressee<'_>,
    message: &Message<'_>,
    own_notice: &str,
) -> Result<String, TemplateError> {
    let mut values = seat_values(part);
    let last = message.round >= message.total_rounds;
    values.extend(parts::question_values(&part.brief.question));
    let view = part.plan.view;
    values.extend([
        ("round", Value::from(message.round)),
        ("total_rounds", Value::from(message.total_rounds)),
        ("last_round", Value::from(last)),
    ]);
    // Only modes with instructions for single rounds have this file.
    let round_text = if part.plan.words.iter().any(|(file, _)| *file == ROUND_FILE) {
        words.of_mode(part.plan, ROUND_FILE, &values)?
    } else {
        String::new()
    };
    // The files have a fence of their own, which is the same in every round.
    let attachments = match message.attachments {
        "" => String::new(),
        files => {
            let fence = Fence::of_files(&part.brief.fence_key);
            format!("{}\n\n{files}", notice(words, fence.mark())?)
        }
    };
    values.extend([
        ("round_text", Value::from(round_text)),
        ("notice", Value::from(own_notice)),
        ("attachments", Value::from(attachments)),
        ("view", Value::from(message.view)),
        ("answers", Value::from(!message.view.is_empty() && !message.sealed)),
        ("focus", Value::from(message.focus.unwrap_or(""))),
        ("rebut_previous", Value::from(view.rebut_previous)),
        ("open_questions", Value::from(view.open_questions)),
        ("statistics", Value::from(view.statistics)),
    ]);
    if part.is_light() {
        let closing = parts::closing(words, part)?;
        values.extend([
            ("closing_count", Value::from(closing.lines().count())),
            ("closing", Value::from(closing)),
        ]);
        return words.shared("light-turn.md", &values);
    }
    words.shared("turn.md", &values)
}

/// Asks a seat once more for an answer that could not be used as it was.
/// `previous`: its last answer, already fenced; may be empty.
pub fn repair(
    words: &Templates,
    part: &PromptAddressee<'_>,
    problem: &str,
    previous: &str,
    fence_mark: &str,
) -> Result<String, TemplateError> {
    let mut values = seat_values(part);
    values.extend([
        ("problem", Value::from(problem)),
        ("previous", Value::from(previous)),
        ("notice", Value::from(notice(words, fence_mark)?)),
    ]);
    words.shared("repair.md", &values)
}

/// What the talk after split first answers is about, for the end of a message.
pub fn split(
    words: &Templates,
    part: &PromptAddressee<'_>,
    candidates: &[String],
) -> Result<String, TemplateError> {
    let mut values = seat_values(part);
    values.extend([("candidates", Value::from(candidates.to_vec()))]);
    words.shared("split.md", &values)
}

const ROUND_FILE: &str = "round.md";

/// Returns the values that every template of a seat may use.
fn seat_values(part: &PromptAddressee<'_>) -> TemplateValues {
    let seat = part.seat;
    // In an anonymous debate not even the speaker is told its own name.
    let name = match part.plan.view.naming {
        SeatNaming::Named => seat.name.as_str(),
        SeatNaming::Anonymous => "",
    };
    TemplateValues::from([
        ("mode", Value::from(part.plan.name)),
        ("role", Value::from(seat.role.as_str())),
        ("title", Value::from(part.role().map_or("", |role| role.title))),
        ("team", Value::from(seat.team.as_deref().unwrap_or(""))),
        ("stance", Value::from(seat.stance.map_or("", |stance| stance.word()))),
        ("name", Value::from(flat(name))),
        ("anchor", Value::from(seat.anchor.word())),
        ("phase", Value::from(part.phase.word())),
        ("topic", Value::from(part.brief.topic.as_str())),
        ("style", Value::from(parts::style_word(part))),
        ("small", Value::from(part.brief.style(seat.agent).small)),
        ("persona", Value::from(flat(part.brief.persona(seat.agent)))),
    ])
}

fn role_layer(
    words: &Templates,
    part: &PromptAddressee<'_>,
    base: &TemplateValues,
) -> Result<String, TemplateError> {
    let role_text = words.of_mode(part.plan, &format!("role-{}.md", part.seat.role), base)?;
    let anchor_text = words.shared(&format!("anchor-{}.md", part.seat.anchor.word()), base)?;
    let perspective_text = match &part.seat.perspective {
        None => String::new(),
        Some(perspective) => {
            let mut values = base.clone();
            // A perspective may have been written by a model: one line each, so
            // that it cannot pass for a heading or a list of our own.
            let lines = |texts: &[String]| Value::from_iter(texts.iter().map(|text| flat(text)));
            values.extend([
                ("perspective_name", Value::from(flat(&perspective.name))),
                ("description", Value::from(flat(&perspective.description))),
                ("focus_areas", lines(&perspective.focus_areas)),
                ("evidence_types", lines(&perspective.evidence_types)),
                ("key_questions", lines(&perspective.key_questions)),
                ("anti_patterns", lines(&perspective.anti_patterns)),
            ]);
            words.shared("perspective.md", &values)?
        }
    };
    let mut values = base.clone();
    values.extend([
        ("role_text", Value::from(role_text)),
        ("anchor_text", Value::from(anchor_text)),
        ("perspective_text", Value::from(perspective_text)),
    ]);
    words.layer("role.md", &values)
}

fn contract_layer(
    words: &Templates,
    part: &PromptAddressee<'_>,
    base: &TemplateValues,
) -> Result<String, TemplateError> {
    let mode_contract = words.of_mode(part.plan, "contract.md", base)?;
    let sequential = part.plan.execution == Execution::Sequential;
    let tools = &part.brief.flags.tool_enforcement;
    let most = if sequential { tools.max_calls.min(SEQUENTIAL_CALLS) } else { tools.max_calls };
    let mut values = base.clone();
    values.extend([
        ("mode_contract", Value::from(mode_contract)),
        ("sequential", Value::from(sequential)),
        ("safety", Value::from(part.plan.safety_constraints)),
        ("tools", Value::from(part.brief.has_tools(part.seat.agent))),
        ("tools_required", Value::from(tools.enabled && tools.min_calls > 0)),
        ("min_calls", Value::from(tools.min_calls.min(most))),
        ("max_calls", Value::from(most)),
        ("lessons", Value::from_iter(part.lessons.iter().map(|question| flat(question)))),
    ]);
    words.layer("contract.md", &values)
}

/// If seats wait for one another, more calls than this cost all of them time.
const SEQUENTIAL_CALLS: u32 = 2;

fn structure_layer(
    words: &Templates,
    part: &PromptAddressee<'_>,
    base: &TemplateValues,
) -> Result<String, TemplateError> {
    let sections = words.of_mode(part.plan, &format!("sections-{}.md", part.seat.role), base)?;
    let fields = schema::AnswerFields::of(part.plan, part.phase);
    let record_fields = match parts::style_word(part) {
        "form" => parts::record_words(words, part, None)?,
        _ => String::new(),
    };
    let closing = parts::closing(words, part)?;
    let answer = match &part.brief.question {
        Question::Open => "",
        Question::YesNo | Question::Options { .. } => "option",
        Question::Number { .. } => "number",
        Question::Probability => "probability",
    };
    let mut values = base.clone();
    values.extend([
        ("sections", Value::from(sections)),
        ("record_fields", Value::from(record_fields)),
        ("closing", Value::from(closing)),
        ("references", Value::from(fields.references)),
        ("critiques", Value::from(fields.critiques)),
        ("votes", Value::from(fields.votes)),
        ("answer", Value::from(answer)),
        ("ruling", Value::from(part.plan.decides(&part.seat.role))),
    ]);
    words.layer("structure.md", &values)
}

fn verification_layer(
    words: &Templates,
    part: &PromptAddressee<'_>,
    base: &TemplateValues,
) -> Result<String, TemplateError> {
    let checks = words.checks(part.plan, base)?;
    let stakes: Vec<_> = part.brief.stakes.iter().map(|stake| stake_words(*stake)).collect();
    let mut values = base.clone();
    values.extend([("checks", Value::from(checks)), ("stakes", Value::from(stakes.join("; ")))]);
    words.layer("verification.md", &values)
}

fn stake_words(stake: Stake) -> &'static str {
    match stake {
        Stake::SecurityAbuse => "security or abuse",
        Stake::MedicalLegal => "medical or legal consequences",
        Stake::RealWorldEffects => "actions with real-world effects",
        Stake::SafetyCritical => "safety-critical systems",
    }
}

/// Says in which language to answer. English needs no more than its name.
pub(super) fn language(words: &Templates, name: &str) -> Result<String, TemplateError> {
    let other = ![ENGLISH, OWN_LANGUAGE].contains(&name);
    let values = TemplateValues::from([
        ("language", Value::from(flat(name))),
        ("other", Value::from(other)),
    ]);
    words.shared("language.md", &values)
}

fn notice(words: &Templates, mark: &str) -> Result<String, TemplateError> {
    if !words.are_built_in() {
        return filled_notice(words, mark);
    }
    // Every request has it with another mark, so it is filled in once and kept in two parts.
    static NOTICE: OnceLock<Option<(String, String)>> = OnceLock::new();
    const NO_MARK: &str = "\u{0}";
    let parts = NOTICE.get_or_init(|| {
        let filled = filled_notice(words, NO_MARK).ok()?;
        let (before, after) = filled.split_once(NO_MARK)?;
        (!after.contains(NO_MARK)).then(|| (before.to_owned(), after.to_owned()))
    });
    match parts {
        Some((before, after)) => Ok([before, mark, after].concat()),
        None => filled_notice(words, mark),
    }
}

fn filled_notice(words: &Templates, mark: &str) -> Result<String, TemplateError> {
    words.shared("notice.md", &TemplateValues::from([("mark", Value::from(mark))]))
}
