//! What is left open at the end of a debate: disputed claims, and the risk register
//! of a debate without a vote.

use serde::{Deserialize, Serialize};

use crate::model::ClaimId;

/// One attack, its answers and what is left of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RiskEntry {
    /// The claim that attacks; absent where the attack is an objection without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimId>,
    pub attack: String,
    /// The agents who hold the attack.
    pub by: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<RiskAnswer>,
    pub state: RiskState,
    /// The strength of the attack as a claim, 0 to 1.
    pub strength: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RiskAnswer {
    pub agent: String,
    pub text: String,
}

/// What is left of an attack at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RiskState {
    /// The defenders granted it and offered nothing against it.
    Conceded,
    /// No defender answered it.
    Unanswered,
    /// Answered, and an attacker disputes the answer.
    Disputed,
    /// Answered, and no attacker disputes the answer.
    Answered,
}

impl RiskState {
    pub fn word(self) -> &'static str {
        match self {
            RiskState::Conceded => "conceded",
            RiskState::Unanswered => "unanswered",
            RiskState::Disputed => "answer disputed",
            RiskState::Answered => "answered",
        }
    }

    pub fn is_open(self) -> bool {
        self != RiskState::Answered
    }
}

/// A claim that is held and opposed at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenConflict {
    pub claim: ClaimId,
    pub text: String,
    pub held_by: Vec<String>,
    pub opposed_by: Vec<String>,
}
