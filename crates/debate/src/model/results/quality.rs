//! The quality of a debate as a debate. A figure that cannot be computed is
//! absent.

use serde::{Deserialize, Serialize};

use crate::model::{Round, SeatId, Spread};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Quality {
    /// Distinct themes ÷ 15, at most 1.
    pub argument_diversity: f64,
    pub themes: usize,
    /// Mean over answers of evidence, length and confidence.
    pub reasoning_depth: Option<f64>,
    /// The degree to which the last answers take up points of the others.
    pub synthesis_quality: Option<f64>,
    /// The decider's confidence, else the mean of the last answers'.
    pub decision_confidence: Option<f64>,
    /// Mean of the four figures above per dollar spent.
    pub cost_efficiency: Option<f64>,
    /// Claims of another seat taken up, counted per answer and seat.
    pub cross_references: usize,
    /// The longest chain of claim and counter-claim.
    pub rebuttal_depth: usize,
    /// Questions that another seat's claim answers.
    pub question_answer_pairs: usize,
    /// Citations of a source in an answer.
    pub citations: usize,
    pub confidence: Spread,
    pub agreement_level: Option<f64>,
    /// The first round from which every position stayed as it was.
    pub convergence_round: Option<Round>,
    pub groupthink_warning: bool,
    pub rounds: Vec<RoundEffort>,
    pub agents: Vec<AgentEffort>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundEffort {
    pub round: Round,
    pub tokens: Option<u64>,
    /// The sum over its waves of the slowest answer in each.
    pub latency_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentEffort {
    pub seat: SeatId,
    pub answers: usize,
    pub tool_calls: usize,
    pub tokens: Option<u64>,
    pub latency_ms: u64,
}
