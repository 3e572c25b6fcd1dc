//! Agents and the seats they take. An agent is a model with a name; a seat is
//! an agent in a role. One agent may hold several seats under several names.

use serde::{Deserialize, Serialize};

use crate::model::{SeatId, Stance};

/// A model with a name, as the caller brings it to the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// The agent's name at the table. It is unique among the agents of a debate.
    pub name: String,
    /// The row of the provider table that speaks for it, e.g. `ollama`.
    pub provider: String,
    /// The model's name at that provider.
    pub model: String,
    /// Models of one family err together and are discounted together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// In tokens, where known. A small window gets a smaller view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u32>,
    /// Overrides the debate's temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The model that answers if this one cannot: another model of the same
    /// provider, or `provider/model`. It is shown under its own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

/// The provider under which a person is seated.
pub const PERSON_PROVIDER: &str = "me";
/// Stands for the model of a person's seat.
pub const PERSON_MODEL: &str = "person";

impl Agent {
    /// Returns true if a person answers, not a model.
    pub fn is_person(&self) -> bool {
        self.provider == PERSON_PROVIDER
    }
}

/// A place at the table for the whole debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Seat {
    pub id: SeatId,
    /// Index into the brief's agents.
    pub agent: usize,
    /// Unique at the table.
    pub name: String,
    /// Key of the role in the mode's plan.
    pub role: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stance: Option<Stance>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perspective: Option<Perspective>,
    pub anchor: Anchor,
}

/// A permanent way of looking at the topic. The more it bears on the topic, the
/// more the seat uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    RiskAttentive,
    ImplementationFocused,
    EvidenceCalibrated,
    SystemsAware,
}

impl Anchor {
    pub const ALL: [Anchor; 4] = [
        Anchor::RiskAttentive,
        Anchor::ImplementationFocused,
        Anchor::EvidenceCalibrated,
        Anchor::SystemsAware,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Anchor::RiskAttentive => "risk-attentive",
            Anchor::ImplementationFocused => "implementation-focused",
            Anchor::EvidenceCalibrated => "evidence-calibrated",
            Anchor::SystemsAware => "systems-aware",
        }
    }
}

/// A viewpoint an expert speaks from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Perspective {
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub focus_areas: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence_types: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub key_questions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anti_patterns: Vec<String>,
}

/// The source of an expert panel's perspectives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PerspectiveSource {
    /// The user's, or the four built in where the user gave none.
    #[default]
    Given,
    /// Named for the topic by the clerk before round 1.
    Generated,
}

/// The rule that assigns perspectives to seats.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assignment {
    #[default]
    RoundRobin,
    /// Shuffled by the brief's seed.
    Random,
    /// For each agent in order, the name of its perspective.
    Explicit(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Perspectives {
    pub source: PerspectiveSource,
    pub given: Vec<Perspective>,
    pub assignment: Assignment,
}
