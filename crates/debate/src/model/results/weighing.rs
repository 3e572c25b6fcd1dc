//! The weighing of the voices with every step of the arithmetic, so that every
//! number of the verdict can be traced to its source.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Choice, EvidenceId, Round, SeatId};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Weighing {
    /// The subject of the vote.
    pub over: WeighedOver,
    /// Most probable first.
    pub answers: Vec<WeighedAnswer>,
    /// The probability left for an answer that no seat gave; only if answers are
    /// free.
    pub something_else: Option<f64>,
    pub first_vote: Vec<VoteShare>,
    /// True if no seat had seen another's answer when the first vote was cast.
    pub first_vote_sealed: bool,
    pub final_vote: Vec<VoteShare>,
    /// Voting seats whose last answer is that they cannot say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abstained: Vec<SeatId>,
    pub changes: Vec<ChangeOfMind>,
    pub voices: Vec<Voice>,
    pub tempering: VoteTempering,
    /// For numbers and probabilities: the combined value of all voices.
    pub pooled: Option<PooledValue>,
    pub flags: Vec<WeighingFlag>,
    pub minority: Vec<MinorityReport>,
    /// The answer of the first votes that kept the lead, because those who left
    /// it brought nothing that could be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_first: Option<String>,
    /// The weighed probability of the leading answer before a measured
    /// calibration was applied to it, where one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncalibrated: Option<f64>,
    /// Where the one who decides came to another answer than the vote.
    pub decider: Option<DeciderDiffers>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WeighedOver {
    /// The options of the question.
    Options,
    /// Numbers or probabilities.
    Values,
    /// Groups of positions that say the same.
    #[default]
    Clusters,
}

/// One answer of the table, named by its place in the list of answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WeighedAnswer {
    /// The option, the value, or the theme of the cluster.
    pub answer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// Seats that hold it at the end.
    pub seats: Vec<SeatId>,
    /// Sum over voices of weight × the share of its vote given to this answer.
    pub log_odds: f64,
    /// `log_odds` × λ.
    pub tempered: f64,
    /// e^tempered ÷ the sum of that over all answers.
    pub probability: f64,
    /// Its share of all voices after the discount for copies.
    pub share: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VoteShare {
    pub answer: String,
    pub seats: Vec<SeatId>,
    /// How many sealed first answers gave it, where each seat gave several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<usize>,
    /// How the first of these seats put it then; an answer that is followed
    /// through the rounds is named by its last wording.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
}

impl VoteShare {
    /// How many votes it has.
    pub fn count(&self) -> usize {
        self.answers.unwrap_or(self.seats.len())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeOfMind {
    pub seat: SeatId,
    pub round: Round,
    pub from: String,
    pub to: String,
    /// The seat's own words before it changed its mind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said_before: String,
    pub basis: ChangeBasis,
    /// The new sources the switching answer cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidenceId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeBasis {
    /// It cites a source that was new to the seat.
    NewEvidence,
    /// Nothing new is cited.
    PressureOnly,
}

/// One seat's part in the vote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Voice {
    pub seat: SeatId,
    /// Other voices of the same model, and of the same family but another model.
    pub same_model: usize,
    pub same_family: usize,
    /// ω = 1 ÷ (1 + 0.7 × same model + 0.5 × same family).
    pub discount: f64,
    /// p, clipped: the share of times this agent is right.
    pub reliability: f64,
    /// Outcomes behind `reliability`; 0 where the default stands.
    pub outcomes: u32,
    /// What its stated confidence was worth where that was measured; it stands
    /// for p then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<f64>,
    /// w = ω × ln(p(K−1) ÷ (1−p)).
    pub weight: f64,
    /// The distribution of its one vote over the answers; sums to 1.
    pub votes: Vec<VotePart>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VotePart {
    pub answer: String,
    pub part: f64,
}

/// λ = 1 ÷ (1 + (N − 1)φ), because models err together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VoteTempering {
    /// K: the number of possible answers.
    pub possible_answers: usize,
    /// N: the sum of the discounts.
    pub effective_voices: f64,
    /// φ: the correlation between the errors of two models.
    pub correlation: f64,
    pub lambda: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PooledValue {
    pub method: PoolMethod,
    pub first: Option<f64>,
    pub last: f64,
    pub lowest: f64,
    pub highest: f64,
    /// The value of each family (or of each model that names none).
    pub families: Vec<FamilyValue>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PoolMethod {
    /// Mean of the log-odds, copies discounted, never sharpened.
    MeanLogOdds,
    /// The median within each family, then the mean over families.
    FamilyMedianMean,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FamilyValue {
    pub family: String,
    pub value: f64,
    pub seats: Vec<SeatId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeighingFlag {
    /// Unanimous, and from one family or without a cited source.
    SharedErrorRisk,
    /// The disagreement of the first round vanished without new evidence.
    Collapse,
    /// A losing answer holds at least a fifth of the weight.
    MinorityReport,
}

impl WeighingFlag {
    pub fn word(self) -> &'static str {
        match self {
            WeighingFlag::SharedErrorRisk => "shared-error risk",
            WeighingFlag::Collapse => "collapse",
            WeighingFlag::MinorityReport => "minority report",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MinorityReport {
    pub answer: String,
    pub share: f64,
    /// The seat that speaks, and the round.
    pub seat: SeatId,
    pub round: Round,
    pub words: String,
}

impl MinorityReport {
    /// All seats that hold this answer at the end.
    pub fn holders(&self, weighing: &Weighing) -> Vec<SeatId> {
        let share = weighing.final_vote.iter().find(|share| share.answer == self.answer);
        share.map_or_else(|| vec![self.seat], |share| share.seats.clone())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeciderDiffers {
    pub seat: SeatId,
    pub decided: String,
    pub weighed: String,
}

/// The share of right answers of each agent in earlier debates, by agent name;
/// from the lessons.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reliability {
    pub by_agent: BTreeMap<String, TrackRecord>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrackRecord {
    pub reliability: f64,
    pub outcomes: u32,
}
