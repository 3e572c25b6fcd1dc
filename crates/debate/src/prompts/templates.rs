//! The table of template files: the purpose of each and the variables it may use.
//! A file that is not in this table or in a mode's plan does not exist.

use crate::model::ModePlan;
use crate::modes;

/// A template file that a user can override by a file of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub name: String,
    /// Its purpose in one line.
    pub purpose: String,
    /// The built-in text.
    pub text: &'static str,
    /// The variables it may use.
    pub variables: Vec<&'static str>,
    /// The mode it belongs to; `None` for those that all modes share.
    pub mode: Option<&'static str>,
}

/// Every template file a user can override: the shared ones, then each mode's.
pub fn templates() -> Vec<Template> {
    let shared = SHARED.iter().map(|row| Template {
        name: row.file.into(),
        purpose: row.purpose.into(),
        text: row.text,
        variables: row.variables.concat(),
        mode: None,
    });
    let of_modes = modes::all().iter().flat_map(|plan| {
        plan.words.iter().map(|(file, text)| Template {
            name: mode_file(plan, file),
            purpose: purpose(plan, file),
            text,
            variables: if *file == super::ROUND_FILE {
                [SEAT, ROUND].concat()
            } else {
                SEAT.to_vec()
            },
            mode: Some(plan.name),
        })
    });
    shared.chain(of_modes).collect()
}

/// Returns the name of a mode's file outside the mode's folder.
pub(super) fn mode_file(plan: &ModePlan, file: &str) -> String {
    format!("{}.{file}", plan.name)
}

fn purpose(plan: &ModePlan, file: &str) -> String {
    let mode = plan.name;
    let stem = file.trim_end_matches(".md");
    match stem.split_once('-') {
        Some(("role", role)) => format!("layer 1 in {mode}: who the {role} is"),
        Some(("sections", role)) => format!("layer 3 in {mode}: the {role}'s headings"),
        _ if stem == "contract" => format!("layer 2 in {mode}: priority and failing"),
        _ if stem == "checks" => format!("layer 4 in {mode}: its two questions, one per line"),
        _ => format!("the turn's message in {mode}: a word on single rounds"),
    }
}

struct TemplateRow {
    file: &'static str,
    purpose: &'static str,
    text: &'static str,
    variables: &'static [&'static [&'static str]],
}

/// The variables that every template of a seat may use.
const SEAT: &[&str] = &[
    "mode", "role", "title", "team", "stance", "name", "anchor", "phase", "topic", "style",
    "small", "persona",
];
/// The form of the question.
const QUESTION: &[&str] = &["question", "options", "listed_options", "letters", "unit"];
const ROUND: &[&str] = &["round", "total_rounds", "last_round"];
const CLERK: &[&str] =
    &["topic", "round", "count", "participants", "claims", "domains", "propositions"];

macro_rules! row {
    ($file:literal, $purpose:literal, $($variables:expr),+) => {
        TemplateRow {
            file: $file,
            purpose: $purpose,
            text: include_str!(concat!("words/", $file)),
            variables: &[$($variables),+],
        }
    };
}

#[rustfmt::skip] // One row per file reads best.
static SHARED: &[TemplateRow] = &[
    row!("role.md", "layer 1: frames the mode's role, the anchor and the perspective", SEAT,
        &["role_text", "anchor_text", "perspective_text"]),
    row!("perspective.md", "layer 1: the perspective an expert speaks from", SEAT,
        &["perspective_name", "description", "focus_areas", "evidence_types", "key_questions", "anti_patterns"]),
    row!("anchor-risk-attentive.md", "layer 1: the risk-attentive anchor", SEAT),
    row!("anchor-implementation-focused.md", "layer 1: the implementation-focused anchor", SEAT),
    row!("anchor-evidence-calibrated.md", "layer 1: the evidence-calibrated anchor", SEAT),
    row!("anchor-systems-aware.md", "layer 1: the systems-aware anchor", SEAT),
    row!("contract.md", "layer 2: what an agent must and must not do", SEAT,
        &["mode_contract", "sequential", "safety", "tools", "tools_required", "min_calls", "max_calls", "lessons"]),
    row!("structure.md", "layer 3: the fields and headings of an answer", SEAT,
        &["sections", "record_fields", "closing", "references", "critiques", "votes", "answer", "ruling"]),
    row!("closing.md", "layer 3: the lines with which a working ends", SEAT, QUESTION, &["votes"]),
    row!("record.md", "the record: its fields, and how to copy a working into them", SEAT, QUESTION,
        &["fields", "partial", "references"]),
    row!("record-turn.md", "the record's message: the topic and the working", SEAT, QUESTION,
        &["fields", "partial", "references", "working", "notice"]),
    row!("verification.md", "layer 4: the questions to put to a draft", SEAT, &["checks", "stakes"]),
    row!("turn.md", "the message of a turn: topic, view, this round's instructions", SEAT, ROUND,
        QUESTION, &["round_text", "notice", "attachments", "view", "answers", "focus", "rebut_previous",
          "open_questions", "statistics"]),
    row!("light.md", "small models: the four layers in a few lines", SEAT,
        &["role_line", "safety", "lessons", "checks", "stakes"]),
    row!("light-turn.md", "small models: the message of a turn", SEAT, ROUND, QUESTION,
        &["round_text", "notice", "attachments", "view", "answers", "focus", "rebut_previous",
          "open_questions", "statistics", "closing", "closing_count"]),
    row!("language.md", "says in which language to answer", &["language", "other"]),
    row!("notice.md", "says that fenced text is data", &["mark"]),
    row!("split.md", "the talk after split first answers: which of them it is about", SEAT,
        &["candidates"]),
    row!("repair.md", "asks once more for an answer that could not be used", SEAT,
        &["problem", "previous", "notice"]),
    row!("clerk-summary.md", "the clerk: sums up a round", CLERK),
    row!("clerk-perspectives.md", "the clerk: names perspectives for the topic", CLERK),
    row!("clerk-consensus.md", "the clerk: says who stands where", CLERK),
    row!("clerk-safety.md", "the evaluator: judges whether an answer may enter the debate", CLERK),
    row!("clerk-complexity.md", "the clerk: rates how hard the topic is", CLERK),
    row!("clerk-draft.md", "the clerk: drafts how a decision turned out", CLERK),
    row!("clerk-domain.md", "the clerk: says which domain the topic belongs to", CLERK),
    row!("clerk-synthesis.md", "the clerk: writes the synthesis of a finished debate", CLERK),
    row!("clerk-turn.md", "the clerk's message: topic and material", CLERK, &["notice", "material"]),
];
