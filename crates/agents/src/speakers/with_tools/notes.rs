//! Notes that a conversation with tools writes after each step and reads when it is
//! resumed. An unreadable note counts as missing: everything after it is asked
//! again.

use debate::model::{Bill, Citation, ConversationStep, NextWord, Reply, ToolCall, WantedContext};
use serde::{Deserialize, Serialize};

use crate::conversation::{ToolOutcome, ToolResult, WantedCalls};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum StepNote {
    /// The model wants tools.
    Called(WantedCalls),
    /// They were used, and this is what it is told.
    Told(ToolReport),
    /// The model answered without the tools it had to use, and is asked again.
    Answered(StepCost),
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ToolReport {
    pub results: Vec<ToolResult>,
    /// Only of calls that were really made.
    pub records: Vec<RecordedUse>,
    /// The requests to the caller.
    pub requests: Vec<WantedContext>,
    /// Every source shown in this turn so far, in the order of its number.
    pub shown: Vec<Citation>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedUse {
    pub call: ToolCall,
    pub outcome: ToolOutcome,
}

/// The cost of one step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StepCost {
    pub bill: Bill,
    pub tries: u32,
    pub searches: u32,
}

impl StepNote {
    pub(super) fn answered(reply: &Reply) -> StepNote {
        let Reply { bill, tries, searches, .. } = reply;
        StepNote::Answered(StepCost { bill: *bill, tries: *tries, searches: *searches })
    }

    pub(super) fn handed_in(calls: &WantedCalls) -> StepNote {
        let WantedCalls { bill, tries, searches, .. } = calls;
        StepNote::Answered(StepCost { bill: *bill, tries: *tries, searches: *searches })
    }

    pub(super) fn stepped(&self) -> ConversationStep {
        let (next, bill) = match self {
            StepNote::Called(calls) => (NextWord::Tools, calls.bill),
            StepNote::Told(_) => (NextWord::Model, Bill::default()),
            StepNote::Answered(spent) => (NextWord::Model, spent.bill),
        };
        // Notes are plain data; one that could not be written would be none.
        ConversationStep { next, bill, state: serde_json::to_value(self).unwrap_or_default() }
    }

    pub(super) fn of(step: &ConversationStep) -> Option<StepNote> {
        StepNote::deserialize(&step.state).ok()
    }
}
