//! The depth of a debate: the caller's facts about the case, the estimates made
//! for it, and the depth that was chosen with its reasons.

use serde::{Deserialize, Serialize};

use crate::model::{Depth, MicroUsd};

/// The caller's facts about the decision at hand. The clerk estimates those that
/// are missing; without a clerk they count for nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DecisionCase {
    #[serde(flatten)]
    pub counts: ComplexityFigures,
    pub importance: Importance,
    /// The rest of the day's budget; `None` means there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day_budget_left: Option<MicroUsd>,
    /// The estimated cost of the debate at each depth; `None` means prices are
    /// not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_cost: Option<MicroUsd>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extended_cost: Option<MicroUsd>,
    /// The number of rounds the caller insists on; without it the depth sets the
    /// number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
}

impl DecisionCase {
    pub fn is_default(&self) -> bool {
        *self == DecisionCase::default()
    }
}

/// The figures that make a decision complex, where they are known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ComplexityFigures {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stakeholders: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub technical_domains: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub horizon: Option<Horizon>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_impact: Option<Impact>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Horizon {
    Short,
    Medium,
    Long,
}

impl Horizon {
    pub const ALL: [Horizon; 3] = [Horizon::Short, Horizon::Medium, Horizon::Long];

    pub fn word(self) -> &'static str {
        match self {
            Horizon::Short => "short",
            Horizon::Medium => "medium",
            Horizon::Long => "long",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Impact {
    Low,
    Medium,
    High,
}

impl Impact {
    pub const ALL: [Impact; 3] = [Impact::Low, Impact::Medium, Impact::High];

    pub fn word(self) -> &'static str {
        match self {
            Impact::Low => "low",
            Impact::Medium => "medium",
            Impact::High => "high",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Importance {
    #[default]
    Normal,
    High,
    Critical,
}

impl Importance {
    pub const ALL: [Importance; 3] = [Importance::Normal, Importance::High, Importance::Critical];

    pub fn word(self) -> &'static str {
        match self {
            Importance::Normal => "normal",
            Importance::High => "high",
            Importance::Critical => "critical",
        }
    }
}

/// The clerk's view of how hard a topic is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ComplexityRating {
    /// 0 to 1.
    pub rating: Option<f64>,
    #[serde(flatten)]
    pub counts: ComplexityFigures,
}

/// The depth of a debate, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChosenDepth {
    pub depth: Depth,
    pub rounds: u32,
    /// 0 to 1.
    pub score: f64,
    pub factors: Vec<DepthFactor>,
    pub why: String,
}

/// One addend of a complexity score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DepthFactor {
    /// `base`, `detailed_topic`, `stakeholders`, …
    pub name: String,
    pub points: f64,
    /// The figure and its source, in words.
    pub from: String,
}

/// The gain and the extra cost of the deeper of two debates on one topic. Each
/// difference is extended minus standard, and absent if either side has no
/// figure.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DepthComparison {
    /// Reasoning depth.
    pub quality: Option<f64>,
    /// Argument diversity.
    pub diversity: Option<f64>,
    /// Decision confidence.
    pub confidence: Option<f64>,
    /// Cost of the extended debate ÷ cost of the standard one.
    pub cost_multiple: Option<f64>,
}
