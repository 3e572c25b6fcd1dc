//! One seat's contribution to one round: the agent's answer and all that the
//! program adds to it.

use serde::{Deserialize, Serialize};

use crate::model::{
    Anchor, Answer, Bill, Citation, ClaimId, EvidenceId, FailureClass, Round, SeatId, ToolCall,
    WantedContext,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    pub seat: SeatId,
    pub agent: String,
    pub model: String,
    pub round: Round,
    pub wave: u32,
    pub role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perspective: Option<String>,
    pub anchor: Anchor,
    /// The mode's own value for analytics: team, role or perspective.
    pub debate_alignment: String,
    pub answer: Answer,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_change: Option<ConfidenceChange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Sources the provider's own search returned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Citation>,
    /// The number of searches the provider itself made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub searches: u32,
    /// The questions it put to the caller beside its answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<WantedContext>,
    /// The call that gave this answer. A first call that could not be used is
    /// billed in its own event.
    pub bill: Bill,
    /// The calls of the same turn before that one: its working, or an answer that
    /// lacked something. They are billed in events of their own and put together
    /// again when the log is read.
    #[serde(skip)]
    pub earlier: Vec<Bill>,
    /// Everything that was repaired or found missing while reading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<TurnNote>,
    /// True if a second call was needed to repair the answer.
    #[serde(default)]
    pub repaired: bool,
    /// True if the assigned stance had to be written in.
    #[serde(default)]
    pub stance_forced: bool,
    /// True if the output limit cut the answer off.
    #[serde(default)]
    pub cut_off: bool,
    /// The provider's text before reading; empty where it equals `reasoning`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub raw: String,
}

impl Turn {
    /// The bills of all calls that the turn took.
    pub fn bills(&self) -> impl Iterator<Item = &Bill> {
        self.earlier.iter().chain([&self.bill])
    }

    /// The sum of these bills.
    pub fn whole_bill(&self) -> Bill {
        self.earlier.iter().fold(self.bill, |sum, bill| sum.plus(bill))
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The tool by which agents search; its calls are counted.
pub const SEARCH_TOOL: &str = "search_web";

/// The tool by which agents read a page.
pub const PAGE_TOOL: &str = "read_page";
/// The words with which that tool says that a page could not be read.
pub const UNREADABLE_PAGE: &str = "The page could not be read";

/// The searches of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Searches {
    /// Asked for by agents with the search tool.
    pub asked: u32,
    /// The searches among these that reached a search engine; the others had been
    /// made before in the same debate.
    pub made: u32,
    /// Made by providers with their own search.
    pub native: u32,
}

impl Turn {
    /// Returns whether the answer lacks evidence that its debate requires.
    pub fn is_without_evidence(&self) -> bool {
        self.notes.iter().any(|note| note.check == WITHOUT_EVIDENCE)
    }
}

impl Searches {
    pub fn add(&mut self, calls: &[ToolCall], native: u32) {
        for call in calls.iter().filter(|call| call.tool == SEARCH_TOOL) {
            self.asked += 1;
            self.made += u32::from(!call.shared);
        }
        self.native = self.native.saturating_add(native);
    }

    pub fn is_none(&self) -> bool {
        *self == Searches::default()
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfidenceChange {
    pub delta: f64,
    pub previous_round: Round,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The check whose note says that an answer lacks evidence that is required.
pub const WITHOUT_EVIDENCE: &str = "evidence";

/// A note on something a validator or the reader did to an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnNote {
    /// The check's name: `json`, `evidence`, `required`, `confidence`, `stance`, `citations`,
    /// `facts`, `vote`, `claims`, `answer`, `ruling`, `references`, `model`.
    pub check: String,
    /// The finding and the action taken, in one sentence.
    pub text: String,
}

/// The claims that a turn touched; computed while the turn is entered into the
/// ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TouchedClaims {
    pub introduced: Vec<ClaimId>,
    pub reinforced: Vec<ClaimId>,
    pub challenged: Vec<ClaimId>,
    pub citations_used: Vec<EvidenceId>,
    /// Seats whose claims it answered.
    pub replies_to: Vec<SeatId>,
}

/// A missed turn. It is named in every view, result and export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    pub seat: SeatId,
    pub agent: String,
    pub round: Round,
    pub wave: u32,
    pub class: FailureClass,
    pub message: String,
    pub tries: u32,
    #[serde(default)]
    pub bill: Bill,
}
