//! The lessons of outcomes: estimates with their intervals, the history of each
//! estimate, and the part of them that a new debate starts with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Day, EvidenceType, EvidenceWeights, Perspective, Reliability};

/// A share that starts at a prior and is moved by outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// The value without any outcome.
    pub prior: f64,
    /// The mean after all outcomes.
    pub mean: f64,
    /// The value that debates use. Where the estimate fell this is the mean.
    /// Where it rose it is between the lower quartile (but never less than the
    /// prior) and, from ten effective outcomes on, the mean.
    pub used: f64,
    /// It lies in here with 90 % probability.
    pub interval: [f64; 2],
    /// The number of outcomes behind it, each counted as far as it is informative
    /// and has not faded.
    pub effective: f64,
    /// The plain number of outcomes behind it.
    pub outcomes: u32,
    pub standing: EstimateStanding,
}

/// The strength of an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EstimateStanding {
    /// No outcome yet.
    Prior,
    /// Fewer than ten effective outcomes.
    Few,
    /// Ten or more, and the prior lies within the interval.
    Agrees,
    /// Ten or more, and the prior lies outside the interval.
    Learned,
}

impl EstimateStanding {
    pub fn word(self) -> &'static str {
        match self {
            EstimateStanding::Prior => "prior",
            EstimateStanding::Few => "few outcomes",
            EstimateStanding::Agrees => "agrees with the prior",
            EstimateStanding::Learned => "learned",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WeightLearned {
    pub evidence_type: EvidenceType,
    #[serde(flatten)]
    pub estimate: Estimate,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentLearned {
    /// `provider/model`.
    pub agent: String,
    /// The share of right answers in this domain; starts from `elsewhere`.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The share of right answers in all other domains together.
    pub elsewhere: f64,
    /// Effective outcomes taken over from other versions of the model.
    pub carried: f64,
    /// A person's latest remark about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// logit(calibrated) = alpha + beta × logit(stated).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationLearned {
    pub agent: String,
    /// The domain it was fitted in; absent if it holds for all domains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    #[serde(flatten)]
    pub line: CalibrationLine,
    /// Mean squared distance of confidence and truth; 0 is perfect.
    pub brier_stated: f64,
    pub brier_calibrated: f64,
    /// Mean distance of confidence and frequency over the groups of the curve.
    pub error_stated: f64,
    pub error_calibrated: f64,
    pub curve: Vec<CurvePoint>,
    /// Effective outcomes taken over from other versions of the model.
    pub carried: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationLine {
    pub alpha: f64,
    pub beta: f64,
    pub outcomes: u32,
    pub effective: f64,
}

impl CalibrationLine {
    pub fn calibrated(&self, stated: f64) -> f64 {
        let p = stated.clamp(0.01, 0.99);
        let logit = self.alpha + self.beta * (p / (1.0 - p)).ln();
        1.0 / (1.0 + (-logit).exp())
    }
}

/// A group of answers with about the same confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CurvePoint {
    pub stated: f64,
    pub right: f64,
    /// The share of right answers among these lies in this interval with 90 %
    /// probability.
    #[serde(default)]
    pub interval: [f64; 2],
    pub calibrated: f64,
    pub count: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum QuestionPriority {
    Low,
    Medium,
    High,
}

impl QuestionPriority {
    pub fn word(self) -> &'static str {
        match self {
            QuestionPriority::Low => "low",
            QuestionPriority::Medium => "medium",
            QuestionPriority::High => "high",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionLearned {
    pub question: String,
    /// The share of times that asking it brings up something that matters.
    pub effectiveness: Estimate,
    pub priority: QuestionPriority,
    /// The number of outcomes that asked for it, of those in which it brought up
    /// something, and of those in which it did not.
    pub asked_for: u32,
    pub surfaced: u32,
    pub idle: u32,
    pub state: QuestionState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QuestionState {
    /// Debates of the domain are made to answer it.
    Required,
    /// Asked often enough without result.
    Retired,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PerspectiveLearned {
    pub name: String,
    /// Outcomes that found it missing, of those in the domain.
    pub missed: u32,
    pub of: u32,
    pub priority: QuestionPriority,
}

/// Everything outcomes taught about one domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DomainLearned {
    pub domain: String,
    pub outcomes: u32,
    /// The number of outcomes that came in an imported file.
    pub imported: u32,
    /// The mean accuracy of decisions.
    pub accuracy: f64,
    pub weights: Vec<WeightLearned>,
    pub agents: Vec<AgentLearned>,
    pub calibration: Vec<CalibrationLearned>,
    pub questions: Vec<QuestionLearned>,
    pub perspectives: Vec<PerspectiveLearned>,
    /// Remarks on the number of rounds and the agreement, in words.
    pub remarks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Learning {
    pub as_of: Day,
    pub outcomes: u32,
    pub domains: Vec<DomainLearned>,
    /// Confidence calibration of each model over all domains.
    pub calibration: Vec<CalibrationLearned>,
}

impl Learning {
    pub fn domain(&self, name: &str) -> Option<&DomainLearned> {
        self.domains.iter().find(|domain| domain.domain == name)
    }
}

/// The change that one outcome made to one estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EstimateChange {
    pub on: Day,
    pub domain: String,
    pub what: ChangeSubject,
    pub old: f64,
    pub new: f64,
    /// The value that debates used before and the one they use after.
    pub used_before: f64,
    pub used_after: f64,
    pub interval: [f64; 2],
    pub reason: String,
    /// The debate whose outcome it was.
    pub outcome: String,
    /// Outcomes behind the new value, this one included.
    pub outcomes: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum ChangeSubject {
    Evidence { evidence_type: EvidenceType },
    Agent { agent: String },
    Question { question: String },
}

impl ChangeSubject {
    pub fn word(&self) -> String {
        match self {
            ChangeSubject::Evidence { evidence_type } => evidence_type.word().to_owned(),
            ChangeSubject::Agent { agent } => agent.clone(),
            ChangeSubject::Question { question } => format!("“{question}”"),
        }
    }
}

/// The lessons a debate starts with. They are part of the brief, so that a replay
/// needs no store.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Lessons {
    pub domain: String,
    pub as_of: Day,
    pub outcomes: u32,
    pub weights: EvidenceWeights,
    /// By agent name at this table.
    pub reliability: Reliability,
    pub calibration: BTreeMap<String, CalibrationLine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub perspectives: Vec<Perspective>,
    /// Each lesson that is used, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<String>,
}
