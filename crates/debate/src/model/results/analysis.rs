//! The analysis of a round. A figure that cannot be computed is absent, with the
//! reason; none is ever made up.

use serde::{Deserialize, Serialize};

use crate::model::{Ballot, EvidenceType, Exit, PropositionId, Round, SeatId};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoundAnalysis {
    pub round: Round,
    /// The number of seats that answered, and of all seats.
    pub answered: usize,
    pub seats: usize,
    /// Voting seats that could not say; their answers are no votes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub abstained: Vec<SeatId>,
    pub consensus: Consensus,
    pub votes: VoteCount,
    pub confidence: Spread,
    /// Seats whose stated confidence is higher than their evidence supports.
    pub overconfident: Vec<OverconfidentAnswer>,
    /// The strongest ground of each answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grounds: Vec<Ground>,
    pub convergence: Convergence,
    pub groupthink: Groupthink,
    /// The exit rule that fired, where early exit is on and nothing held it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// The reason why a rule that fired did not end the debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_back: Option<String>,
}

/// The agreement of the agents, and the method that measured it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Consensus {
    pub by: AnalysedBy,
    /// 0 to 1. Absent with fewer than two answers, and where nobody read what
    /// differently worded answers mean.
    pub agreement_level: Option<f64>,
    /// 1 − (distinct positions − 1) ÷ answers, by their words. It decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basic_agreement: Option<f64>,
    pub clusters: Vec<Cluster>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub propositions: Vec<Proposition>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub common_ground: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<String>,
    #[serde(default)]
    pub nuances: Nuances,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    #[serde(default)]
    pub summary: String,
    #[serde(default)]
    pub reasoning: String,
    /// The model's own rating, kept beside the computed level as a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_rating: Option<f64>,
    /// The reason why the clerk's analysis was not used, if it was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_reason: Option<String>,
    /// Notes a reader of the level needs, such as that stances are assigned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The clerk's reading of a round, already mapped back to seats.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClerkConsensus {
    pub clusters: Vec<Cluster>,
    pub propositions: Vec<Proposition>,
    pub common_ground: Vec<String>,
    pub disagreements: Vec<String>,
    pub nuances: Nuances,
    pub conflicts: Vec<Conflict>,
    pub summary: String,
    pub reasoning: String,
    /// The clerk's own rating of the agreement, 0 to 1.
    pub rating: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnalysedBy {
    /// Normalised positions compared word by word, negation kept apart.
    Basic,
    /// A light model's table of propositions and stands.
    Clerk,
    /// The voting seats' own answers to a question that has a form.
    Votes,
}

/// Seats that say the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cluster {
    pub theme: String,
    pub seats: Vec<SeatId>,
    pub summary: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposition {
    /// Absent in logs of versions that did not number them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<PropositionId>,
    pub text: String,
    /// True if the clerk called it settled; its stands are those of the round in
    /// which it was last judged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settled: bool,
    /// The side of each seat, by seat.
    pub stands: Vec<SeatStand>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeatStand {
    pub seat: SeatId,
    pub side: Side,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    For,
    Against,
    Open,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Nuances {
    pub partial_agreements: Vec<String>,
    pub conditional_positions: Vec<String>,
    pub uncertainties: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    pub issue: String,
    pub positions: Vec<ConflictSide>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConflictSide {
    pub seat: SeatId,
    pub says: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VoteCount {
    pub accept: usize,
    pub minor: usize,
    pub blocker: usize,
    pub none: usize,
    pub objections: Vec<Objection>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Objection {
    pub seat: SeatId,
    pub ballot: Ballot,
    pub text: String,
}

/// Mean, variance and extremes of a figure over the seats that stated it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Spread {
    pub count: usize,
    pub mean: Option<f64>,
    pub median: Option<f64>,
    pub variance: Option<f64>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub quartiles: Option<[f64; 2]>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OverconfidentAnswer {
    pub seat: SeatId,
    pub stated: f64,
    /// The band of confidence that its best-supported claim supports.
    pub band: [f64; 2],
}

/// The strongest ground an answer gives for any of its claims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ground {
    pub seat: SeatId,
    pub evidence_type: EvidenceType,
    /// The weight that type has in this debate.
    pub weight: f64,
}

/// The weight of each type of evidence: the published weights, or those to which
/// the lessons of a domain have moved them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EvidenceWeights {
    pub documented: f64,
    pub empirical: f64,
    pub precedent: f64,
    pub logical: f64,
    pub preferential: f64,
    pub speculative: f64,
}

impl Default for EvidenceWeights {
    fn default() -> Self {
        EvidenceWeights {
            documented: EvidenceType::Documented.published_weight(),
            empirical: EvidenceType::Empirical.published_weight(),
            precedent: EvidenceType::Precedent.published_weight(),
            logical: EvidenceType::Logical.published_weight(),
            preferential: EvidenceType::Preferential.published_weight(),
            speculative: EvidenceType::Speculative.published_weight(),
        }
    }
}

impl EvidenceWeights {
    pub fn of(&self, evidence_type: EvidenceType) -> f64 {
        match evidence_type {
            EvidenceType::Documented => self.documented,
            EvidenceType::Empirical => self.empirical,
            EvidenceType::Precedent => self.precedent,
            EvidenceType::Logical => self.logical,
            EvidenceType::Preferential => self.preferential,
            EvidenceType::Speculative => self.speculative,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Convergence {
    /// Mean over pairs of seats of the share of propositions (or votes) on which
    /// they stand alike, 0 to 1.
    pub similarity: Option<f64>,
    pub similarity_band: Option<SimilarityBand>,
    /// The similarity of the round before, which divergence is measured from.
    pub previous_similarity: Option<f64>,
    /// Mean over seats of the share of propositions (or votes) on which the seat
    /// stands otherwise than before.
    pub shift: Option<f64>,
    pub shift_band: Option<ShiftBand>,
    pub shifts: Vec<Shift>,
    /// Sources cited by all ÷ sources cited by any, among the seats that cite.
    pub evidence: Option<f64>,
    pub evidence_band: Option<EvidenceBand>,
    /// The two counts behind `evidence`, and the number of seats that cite at
    /// all.
    pub sources_shared: usize,
    /// Sources that two or more seats cite.
    #[serde(default)]
    pub sources_by_several: usize,
    pub sources_cited: usize,
    pub seats_citing: usize,
    /// `consensus_reached`, `productive`, …
    pub status: Option<ConvergenceStatus>,
    pub alerts: Vec<Alert>,
    /// How alike the texts read and how far they moved, where no clerk's table
    /// says where the seats stand. No rule rests on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wording: Option<WordingLikeness>,
    pub embedder: Option<String>,
    /// The reason why similarity and shift are absent, if they are.
    pub missing: Option<String>,
}

/// A comparison of texts by an embedder. Opposite sentences read alike, and the
/// same view in other words does not, so it is shown and decides nothing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WordingLikeness {
    /// Mean over pairs of seats of how alike their texts read, 0 to 1.
    pub alike: Option<f64>,
    /// Mean over seats of how far each text moved from its last one, 0 to 1.
    pub moved: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shift {
    pub seat: SeatId,
    pub shift: f64,
    pub band: ShiftBand,
}

/// Declares a scale: each band with its word and the highest value it
/// holds, lowest first.
macro_rules! scale {
    ($(#[$doc:meta])* $name:ident {
        highest $highest:ident: $last:literal, $($band:ident: $word:literal up to $top:literal,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($band,)*
            $highest,
        }

        impl $name {
            pub fn of(value: f64) -> $name {
                $(if value <= $top { return $name::$band; })*
                $name::$highest
            }

            pub fn word(self) -> &'static str {
                match self {
                    $($name::$band => $word,)*
                    $name::$highest => $last,
                }
            }
        }
    };
}

scale!(
    /// The meaning of a similarity between positions.
    SimilarityBand {
        highest Consensus: "consensus",
        StrongDisagreement: "strong disagreement" up to 0.40,
        ModerateDisagreement: "moderate disagreement" up to 0.60,
        Converging: "converging" up to 0.799_999_999,
    }
);
scale!(
    /// The meaning of a change of position.
    ShiftBand {
        highest Major: "major",
        Stable: "stable" up to 0.10,
        Refinement: "refinement" up to 0.30,
        Significant: "significant" up to 0.60,
    }
);
scale!(
    /// The share of sources that the agents have in common.
    EvidenceBand {
        highest Strong: "strongly shared sources",
        Separate: "separate sources" up to 0.30,
        Partial: "some shared sources" up to 0.599_999_999,
    }
);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConvergenceStatus {
    ConsensusReached,
    ConsensusDiverseEvidence,
    DiminishingReturns,
    Productive,
    Stalled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alert {
    Premature,
    Divergence,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Groupthink {
    /// True if the mode and the flags ask for this check.
    pub checked: bool,
    pub warning: bool,
    pub signs: Vec<GroupthinkSign>,
    /// The signs found, in words with figures.
    pub indicators: Vec<String>,
    /// The trigger that forces a critical-objection round, where one fired.
    pub trigger: Option<GroupthinkTrigger>,
    /// True if the critical-objection round failed to change anything.
    pub escalate: bool,
    /// The reason for a critical-objection round, if one is needed.
    pub critical_objection: Option<String>,
    /// Advice to the reader, where there is a warning or a trigger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<String>,
}

/// One of the three signs of which two make a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GroupthinkSign {
    AllConfident,
    NoDissent,
    HighAgreement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GroupthinkTrigger {
    Stagnation,
    EarlyConvergence,
}
