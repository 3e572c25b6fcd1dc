//! Records the outcome of a decision: a dated entry, or the post-mortem that later
//! debates learn from.

use debate::model::OutcomeForm;
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::get_learning::{ChangeRow, rows};
use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::schema;
use crate::mcp::result::shaping::short;
use crate::mcp::result::shown::ShownResult;
use engine::error::EngineError;
use engine::outcomes::post_mortem::{self, RepeatPolicy};
use engine::outcomes::track::{self, EntryForm};

pub const ROW: ToolRow = ToolRow {
    name: "record_outcome",
    title: "Record how a decision turned out",
    description: include_str!("../../words/record_outcome.md"),
    hints: ToolHints::Notes,
    input: schema::of_input::<OutcomeArguments>,
    output: schema::of_output::<OutcomeView>,
    call: |call, given| record(call, given).boxed(),
};

/// Changes shown where it is not asked for all.
const CHANGES: usize = 8;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutcomeArguments {
    /// The finished debate, by its id or enough of it to be unique.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// Something that happened while the decision was carried out.
    pub entry: Option<EntryArguments>,
    /// The judgement at the end. Only what a person has judged: never guess it.
    pub assessment: Option<AssessmentArguments>,
    /// Put the assessment in the place of an earlier one. Default false.
    pub replace: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntryArguments {
    /// on_track, new_requirement, technical_debt, blocked, completed and the like.
    #[schemars(length(max = 100))]
    pub status: Option<String>,
    /// What happened.
    #[schemars(length(max = 2000))]
    pub event: Option<String>,
    /// What to remember about it.
    #[schemars(length(max = 2000))]
    pub note: Option<String>,
    /// What it meant for the work.
    #[schemars(length(max = 2000))]
    pub impact: Option<String>,
    /// What it cost in time, in words.
    #[schemars(length(max = 2000))]
    pub time_cost: Option<String>,
    /// How unexpected it was, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub surprise: Option<f64>,
    /// The day it happened, as 2026-11-30. Default today.
    #[schemars(length(max = 10))]
    pub on: Option<String>,
    /// The day on which to ask how the decision turned out, or never.
    #[schemars(length(max = 10))]
    pub ask_on: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AssessmentArguments {
    /// How right the decision was, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub decision_accuracy: f64,
    /// What would have been right, where the question had options.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_answer: Option<String>,
    /// Aspects that held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_went_right: Option<Vec<FindingArguments>>,
    /// Aspects that did not hold, or were missed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_went_wrong: Option<Vec<FindingArguments>>,
    /// What to do differently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lessons: Option<Vec<LessonArguments>>,
    /// All of it in a sentence or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindingArguments {
    /// What it was about.
    pub aspect: String,
    /// DOCUMENTED, EMPIRICAL, PRECEDENT, LOGICAL, PREFERENTIAL or SPECULATIVE.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_type: Option<String>,
    /// validated, refuted, incomplete or dismissed_but_relevant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LessonArguments {
    /// What was learned.
    pub lesson: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// A question that later debates of this domain must answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// The record as it is now, and what it changed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeView {
    pub session_id: String,
    /// Dated entries on record.
    pub entries: usize,
    /// True if a person has judged the decision.
    pub assessed: bool,
    /// How the assessment moved what later debates start with.
    pub changes: Vec<ChangeRow>,
    pub note: String,
}

async fn record(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: OutcomeArguments = arguments(given)?;
    let config = call.host().config();
    let (mut session_id, mut entries, mut assessed) = (args.session_id.clone(), 0, false);
    if args.entry.is_none() && args.assessment.is_none() {
        return Err(EngineError::input(
            "there is nothing to record: give entry for something that happened, or assessment \
             for the judgement at the end",
        ));
    }
    if let Some(entry) = args.entry {
        let book = track::track(config, &args.session_id, &form(entry)).await?;
        (session_id, entries, assessed) =
            (book.debate, book.entries.len(), book.assessed.is_some());
    }
    let mut changes = Vec::new();
    if let Some(assessment) = args.assessment {
        let form: OutcomeForm =
            serde_json::to_value(assessment)
                .and_then(serde_json::from_value)
                .map_err(|error| EngineError::input(format!("assessment: {error}")))?;
        let repeat =
            if args.replace == Some(true) { RepeatPolicy::Replace } else { RepeatPolicy::Refuse };
        let report = post_mortem::assess(config, &args.session_id, &form, repeat, None).await;
        let report = report?;
        (session_id, entries, assessed) = (report.id, report.entries.len(), true);
        changes = rows(report.changes.iter().take(CHANGES));
    }
    let note = if assessed {
        "Debates of this domain start with what was learned; get_learning shows it.".into()
    } else {
        String::from(
            "Nothing is learned until a person judges the decision: call again with assessment \
             when it is known how it turned out.",
        )
    };
    let shown =
        OutcomeView { session_id: short(&session_id, 100), entries, assessed, changes, note };
    Ok(ShownResult::of(&shown).into())
}

fn form(entry: EntryArguments) -> EntryForm {
    EntryForm {
        on: entry.on,
        status: entry.status,
        event: entry.event.unwrap_or_default(),
        note: entry.note.unwrap_or_default(),
        impact: entry.impact.unwrap_or_default(),
        time_cost: entry.time_cost.unwrap_or_default(),
        surprise: entry.surprise,
        ask_on: entry.ask_on,
    }
}
