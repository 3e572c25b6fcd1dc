//! What a conversation with tools writes down after each of its steps, and reads
//! when it is gone on with. A note that cannot be read is none: what follows it
//! is asked again.

use debate::model::{Bill, Citation, ConversationStep, NextWord, Reply, ToolCall, WantedContext};
use serde::{Deserialize, Serialize};

use crate::tooling::{Calls, ToolOutcome, ToolResult};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Note {
    /// The model wants tools.
    Called(Calls),
    /// They were used, and this is what it is told.
    Told(Told),
    /// The model answered without the tools it had to use, and is asked again.
    Answered(Spent),
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Told {
    pub results: Vec<ToolResult>,
    /// Only of calls that were really made.
    pub records: Vec<Recorded>,
    /// What was asked of the caller.
    pub requests: Vec<WantedContext>,
    /// Every source shown in this turn so far, in the order of its number.
    pub shown: Vec<Citation>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Recorded {
    pub call: ToolCall,
    pub outcome: ToolOutcome,
}

/// What a step used up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Spent {
    pub bill: Bill,
    pub tries: u32,
    pub searches: u32,
}

impl Note {
    pub(super) fn answered(reply: &Reply) -> Note {
        let Reply { bill, tries, searches, .. } = reply;
        Note::Answered(Spent { bill: *bill, tries: *tries, searches: *searches })
    }

    pub(super) fn handed_in(calls: &Calls) -> Note {
        let Calls { bill, tries, searches, .. } = calls;
        Note::Answered(Spent { bill: *bill, tries: *tries, searches: *searches })
    }

    pub(super) fn stepped(&self) -> ConversationStep {
        let (next, bill) = match self {
            Note::Called(calls) => (NextWord::Tools, calls.bill),
            Note::Told(_) => (NextWord::Model, Bill::default()),
            Note::Answered(spent) => (NextWord::Model, spent.bill),
        };
        // Notes are plain data; one that could not be written would be none.
        ConversationStep { next, bill, state: serde_json::to_value(self).unwrap_or_default() }
    }

    pub(super) fn of(step: &ConversationStep) -> Option<Note> {
        Note::deserialize(&step.state).ok()
    }
}
