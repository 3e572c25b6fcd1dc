//! Records the outcome of a decision: a dated entry, or the post-mortem that later
//! debates learn from.

use std::borrow::Cow;

use debate::model::{EvidenceType, OutcomeForm, ProgressStatus, Validation};
use futures::FutureExt as _;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
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

/// One of the words that a type of the model knows.
macro_rules! word_of {
    ($name:ident, $type:ty) => {
        #[derive(Debug, Clone, Deserialize, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let words: Vec<&str> = <$type>::ALL.iter().map(|one| one.word()).collect();
                json_schema!({ "type": "string", "enum": words })
            }
        }
    };
}

word_of!(EntryStatusWord, ProgressStatus);
word_of!(EvidenceWord, EvidenceType);
word_of!(ValidationWord, Validation);

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutcomeArguments {
    /// Id or its start.
    #[schemars(length(min = 1, max = 100))]
    pub session_id: String,
    /// What happened while it was carried out.
    pub entry: Option<EntryArguments>,
    /// The judgement at the end.
    pub assessment: Option<AssessmentArguments>,
    /// Replace an earlier assessment.
    pub replace: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntryArguments {
    pub status: Option<EntryStatusWord>,
    #[schemars(length(max = 2000))]
    pub event: Option<String>,
    #[schemars(length(max = 2000))]
    pub note: Option<String>,
    #[schemars(length(max = 2000))]
    pub impact: Option<String>,
    #[schemars(length(max = 2000))]
    pub time_cost: Option<String>,
    #[schemars(range(min = 0, max = 1))]
    pub surprise: Option<f64>,
    #[schemars(length(max = 10))]
    pub on: Option<String>,
    #[schemars(length(max = 10))]
    pub ask_on: Option<String>,
}

/// Declares a part of the form whose optional fields are left out where they are not
/// given.
macro_rules! form {
    ($name:ident { $($(#[$meta:meta])* $must:ident: $type:ty),* $(,)? }
        $({ $($(#[$more:meta])* $may:ident: $kind:ty),* $(,)? })?) => {
        #[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($(#[$meta])* pub $must: $type,)*
            $($($(#[$more])* #[serde(skip_serializing_if = "Option::is_none")]
            pub $may: Option<$kind>,)*)?
        }
    };
}

form!(AssessmentArguments {
    /// 0 wrong to 1 right.
    #[schemars(range(min = 0, max = 1))]
    decision_accuracy: f64,
} {
    right_answer: String,
    /// Aspects that held.
    what_went_right: Vec<FindingArguments>,
    /// Aspects that did not, or were missed.
    what_went_wrong: Vec<FindingArguments>,
    agents: Vec<AgentArguments>,
    /// Did they surface what mattered?
    questions: Vec<QuestionArguments>,
    lessons: Vec<LessonArguments>,
    summary: String,
    human_override: String,
    domain: String,
});
form!(FindingArguments { aspect: String, } {
    evidence_type: EvidenceWord,
    validation: ValidationWord,
    note: String,
});
form!(AgentArguments {
    agent: String,
    #[schemars(range(min = 0, max = 1))]
    accuracy: f64,
} { note: String, });
form!(QuestionArguments { question: String, surfaced: bool });
form!(LessonArguments { lesson: String, } {
    action: String,
    expected_effect: String,
    /// For later debates.
    question: String,
    perspective: String,
});

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
    let mut offered = Vec::new();
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
        offered = report.offered;
        changes = rows(report.changes.iter().take(CHANGES));
    }
    let mut note: String = if assessed {
        "Debates of this domain start with what was learned; get_learning shows it.".into()
    } else {
        String::from(
            "Nothing is learned until a person judges the decision: call again with assessment \
             when it is known how it turned out.",
        )
    };
    if !offered.is_empty() {
        let ids: Vec<String> = offered.iter().map(|one| short(&one.id, 100)).collect();
        note.push_str(&format!(
            " Linked debates that are not judged yet: {}. Ask the user whether the same holds for \
             them.",
            ids.join(", ")
        ));
    }
    let shown =
        OutcomeView { session_id: short(&session_id, 100), entries, assessed, changes, note };
    Ok(ShownResult::of(&shown).into())
}

fn form(entry: EntryArguments) -> EntryForm {
    EntryForm {
        on: entry.on,
        status: entry.status.map(|status| status.0),
        event: entry.event.unwrap_or_default(),
        note: entry.note.unwrap_or_default(),
        impact: entry.impact.unwrap_or_default(),
        time_cost: entry.time_cost.unwrap_or_default(),
        surprise: entry.surprise,
        ask_on: entry.ask_on,
    }
}
