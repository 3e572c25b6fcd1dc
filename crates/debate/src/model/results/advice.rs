//! The advice of a result: how far the table agrees, and what the caller should do
//! with the answer.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsensusLevel {
    High,
    Medium,
    Low,
    /// Too few answers to say, or nobody read what they mean.
    #[default]
    Unknown,
}

impl ConsensusLevel {
    pub fn word(self) -> &'static str {
        match self {
            ConsensusLevel::High => "high",
            ConsensusLevel::Medium => "medium",
            ConsensusLevel::Low => "low",
            ConsensusLevel::Unknown => "unknown",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Proceed,
    Verify,
    #[default]
    QueryDetail,
}

impl Action {
    /// The constant that programs read.
    pub fn word(self) -> &'static str {
        match self {
            Action::Proceed => "proceed",
            Action::Verify => "verify",
            Action::QueryDetail => "query_detail",
        }
    }

    /// The words that people read.
    pub fn title(self) -> &'static str {
        match self {
            Action::Proceed => "GO AHEAD",
            Action::Verify => "CHECK FIRST",
            Action::QueryDetail => "UNDECIDED",
        }
    }
}
