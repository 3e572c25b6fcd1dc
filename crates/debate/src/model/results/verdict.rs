//! The result for the caller: the decision first, then its grounds.

use serde::{Deserialize, Serialize};

use crate::model::{
    Action, Ballot, Choice, ChosenDepth, Cluster, ConsensusLevel, DecisionCard, Gap, OpenConflict,
    Quality, RiskEntry, Round, Ruling, SafetyRecord, Searches, SeatId, Stance, Tally, Weighing,
};

/// The result in four layers: the decision, the last answers, the evidence and
/// the course of the debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// What a person reads first. Logs of earlier versions have none; it is made
    /// when they are replayed.
    #[serde(default)]
    pub card: DecisionCard,
    pub decision: DecisionLayer,
    pub agent_responses: Vec<FinalWord>,
    pub evidence: EvidenceLayer,
    pub metadata: Metadata,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DecisionLayer {
    /// The answer in words: the position most of the table ended on, or that it is split.
    pub answer: String,
    pub consensus_level: ConsensusLevel,
    /// Agreement, 0 to 1. Never to be read as confidence in the answer.
    pub agreement_score: Option<f64>,
    /// The probability of the leading answer by the weighed vote. Not agreement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    pub action_recommendation: Action,
    /// The reason in plain words that name what to look at.
    pub reason: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A seat's last answer, in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FinalWord {
    pub seat: SeatId,
    pub agent: String,
    pub model: String,
    pub role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perspective: Option<String>,
    /// The round of this answer; earlier than the last round if the seat missed
    /// that one.
    pub round: Round,
    pub position: String,
    pub key_points: Vec<String>,
    pub confidence: Option<f64>,
    /// That confidence corrected by earlier outcomes of this model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibrated_confidence: Option<f64>,
    /// The change of confidence since its first answer.
    pub confidence_change: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stance: Option<Stance>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<Ballot>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Choice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    /// True if its last answer is that it cannot say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub abstained: bool,
    /// Evidence types of its claims, strongest first, each once.
    pub evidence_used: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EvidenceLayer {
    pub citations: Vec<CitedSource>,
    /// Claims still contested at the end.
    pub conflicts: Vec<OpenConflict>,
    pub consensus_summary: String,
    pub clusters: Vec<Cluster>,
    /// Groupthink signs of the last round, in words.
    pub groupthink: Vec<String>,
    /// Advice on them, where there is a warning or a trigger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groupthink_recommendation: Option<String>,
    /// The strongest claims of the debate.
    pub strongest: Vec<StrongClaim>,
    /// First and final vote, every change of mind, and what the voices weigh.
    pub weighing: Weighing,
    /// The decision of the deciding seat, in its own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided: Option<JudgeDecision>,
    /// The attacks with their answers, where no vote is taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<RiskEntry>,
    /// The depth that was chosen and the reason, if it was chosen automatically.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<ChosenDepth>,
    pub safety: SafetyRecord,
}

/// The decision of the seat that judges the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgeDecision {
    pub seat: SeatId,
    pub agent: String,
    pub round: Round,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CitedSource {
    pub id: crate::model::EvidenceId,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub cited_by: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StrongClaim {
    pub claim: crate::model::ClaimId,
    pub text: String,
    pub strength: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The exit rule that ended the debate.
    pub exit_reason: String,
    pub exit_details: String,
    pub rounds: u32,
    /// The number of seats that answered in the last analysis, and of all seats.
    #[serde(default)]
    pub answered: usize,
    #[serde(default)]
    pub seats: usize,
    /// The analysis that ran: `basic` or `clerk`.
    pub analysed_by: crate::model::AnalysedBy,
    pub gaps: Vec<Gap>,
    pub spent: Tally,
    /// The searches that agents asked for and those really made.
    #[serde(default, skip_serializing_if = "Searches::is_none")]
    pub searches: Searches,
    pub has_more_details: bool,
    /// Points to check before relying on it.
    pub verification_hints: Vec<String>,
    /// What the sealed first answers came to, where the effort is not a debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<crate::model::EffortUsed>,
    #[serde(default)]
    pub quality: Quality,
    /// The lessons of earlier outcomes that this debate used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learning: Option<LearningUsed>,
}

/// The lessons a debate started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LearningUsed {
    pub domain: String,
    /// Outcomes of that domain behind them.
    pub outcomes: u32,
    /// Each lesson in words.
    pub used: Vec<String>,
}
