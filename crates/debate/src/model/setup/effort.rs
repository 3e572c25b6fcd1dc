//! How much is asked for before a decision is made, and how a figure that is
//! asked for is to be read.

use serde::{Deserialize, Serialize};

use crate::model::MicroUsd;

/// The effort a debate makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DebateEffort {
    /// All rounds as planned.
    #[default]
    Debate,
    /// Sealed first answers until one of them clearly leads; talk only where
    /// they are split.
    Adaptive,
    /// Sealed first answers and no talk.
    Vote,
}

impl DebateEffort {
    pub const ALL: [DebateEffort; 3] =
        [DebateEffort::Debate, DebateEffort::Adaptive, DebateEffort::Vote];

    pub fn word(self) -> &'static str {
        match self {
            DebateEffort::Debate => "debate",
            DebateEffort::Adaptive => "adaptive",
            DebateEffort::Vote => "vote",
        }
    }

    pub(super) fn is_debate(&self) -> bool {
        *self == DebateEffort::Debate
    }
}

/// The most sealed first answers that are asked for where no other number is set.
pub const DEFAULT_SAMPLES: u32 = 9;

pub(super) fn default_samples() -> u32 {
    DEFAULT_SAMPLES
}

pub(super) fn is_default_samples(samples: &u32) -> bool {
    *samples == DEFAULT_SAMPLES
}

/// How numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NumberReading {
    /// True where the number is an estimate: the figures are combined. False
    /// where it is a value to be found: the value that most hold leads.
    pub estimate: bool,
    /// How far apart two figures may lie and still be one answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Tolerance>,
}

impl NumberReading {
    pub(super) fn is_default(&self) -> bool {
        *self == NumberReading::default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "of")]
pub enum Tolerance {
    /// In the unit of the question.
    Absolute(f64),
    /// A share of the larger figure.
    Share(f64),
}

impl Tolerance {
    /// Reads "0.5" as an amount in the unit of the question, "2 %" as a share.
    pub fn parse(text: &str) -> Option<Tolerance> {
        let text = text.trim();
        let of = |text: &str| {
            let number = text.trim().parse::<f64>().ok();
            number.filter(|number| number.is_finite() && *number >= 0.0)
        };
        match text.strip_suffix('%') {
            Some(share) => of(share).map(|share| Tolerance::Share(share / 100.0)),
            None => of(text).map(Tolerance::Absolute),
        }
    }

    pub fn value(self) -> f64 {
        match self {
            Tolerance::Absolute(value) | Tolerance::Share(value) => value,
        }
    }
}

/// What the sealed first answers came to, and what a debate would have asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EffortUsed {
    pub effort: DebateEffort,
    /// Sealed first answers asked for, those that abstained and failed included.
    pub first_answers: u32,
    /// How probable it is that the leading answer is the one most would give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posterior: Option<f64>,
    /// True if the table went on to talk.
    pub talked: bool,
    pub calls: u32,
    /// Absent where a call has no known price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<MicroUsd>,
    /// The calls of all planned rounds, and about what they would have cost.
    pub debate_calls: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debate_cost: Option<MicroUsd>,
    /// The same in words.
    pub words: String,
}
