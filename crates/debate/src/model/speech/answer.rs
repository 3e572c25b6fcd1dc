//! The answer of an agent in one turn, after reading. Every field comes from the
//! agent; the program adds its own in [`crate::model::Turn`].

use serde::{Deserialize, Serialize};

use crate::model::{Citation, ClaimId, EvidenceType};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// The core position in one or two sentences.
    pub position: String,
    /// The full argument, Markdown, with numeric citations.
    pub reasoning: String,
    pub key_points: Vec<String>,
    /// 0 to 1. Absent when the agent did not state one: it is never guessed.
    pub confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<Stance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vote: Option<Vote>,
    pub claims: Vec<ClaimMade>,
    pub citations: Vec<Citation>,
    /// The option, value or probability chosen, where the question asks for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Choice>,
    /// The reason (possibly empty) of an agent that was asked for an answer and
    /// says that it cannot give one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cannot_say: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub critiques: Vec<Critique>,
    /// The decision to go on or to conclude; only the seat that decides gives
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    /// True when no structure could be read and `reasoning` is the raw text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unstructured: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Stance {
    Yes,
    No,
    Neutral,
}

impl Stance {
    pub fn word(self) -> &'static str {
        match self {
            Stance::Yes => "YES",
            Stance::No => "NO",
            Stance::Neutral => "NEUTRAL",
        }
    }

    /// On a 0..1 scale, for spread and deviation.
    pub fn value(self) -> f64 {
        match self {
            Stance::Yes => 1.0,
            Stance::Neutral => 0.5,
            Stance::No => 0.0,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Ballot {
    /// Ship as it is.
    Accept,
    /// Small edits.
    Minor,
    /// Must change.
    Blocker,
}

impl Ballot {
    pub fn word(self) -> &'static str {
        match self {
            Ballot::Accept => "ACCEPT",
            Ballot::Minor => "MINOR",
            Ballot::Blocker => "BLOCKER",
        }
    }

    /// On a 0..1 scale, for spread and deviation.
    pub fn value(self) -> f64 {
        match self {
            Ballot::Accept => 1.0,
            Ballot::Minor => 0.5,
            Ballot::Blocker => 0.0,
        }
    }
}

/// The deciding seat's ruling on the next round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Ruling {
    Continue,
    Conclude,
}

impl Ruling {
    pub fn word(self) -> &'static str {
        match self {
            Ruling::Continue => "CONTINUE",
            Ruling::Conclude => "CONCLUDE",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Vote {
    pub ballot: Ballot,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objection: Option<String>,
}

/// The way an agent knows what it claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Label {
    /// Directly verifiable; a citation is required.
    Fact,
    /// Derived from stated facts.
    Infer,
    /// An unverified premise or a value choice.
    Assume,
    /// A question.
    Open,
}

impl Label {
    pub fn word(self) -> &'static str {
        match self {
            Label::Fact => "FACT",
            Label::Infer => "INFER",
            Label::Assume => "ASSUME",
            Label::Open => "OPEN",
        }
    }
}

/// One atomic claim as an answer makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimMade {
    pub text: String,
    pub label: Label,
    pub evidence_type: EvidenceType,
    #[serde(default)]
    pub citations: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<ClaimId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opposes: Vec<ClaimId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retracts: Vec<ClaimId>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum Choice {
    /// One of the question's options, word for word.
    Option(String),
    Number(f64),
    /// 0 to 1.
    Probability(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    High,
    Medium,
    Low,
}

/// The result of a critique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CritiqueOutcome {
    Alternative,
    Synthesis,
    Concession,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Critique {
    /// The claim attacked.
    pub claim: ClaimId,
    pub evidence_type: EvidenceType,
    pub strength: Strength,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter_evidence: Option<String>,
    pub outcome: CritiqueOutcome,
    /// The alternative, synthesis or concession in words.
    #[serde(default)]
    pub text: String,
}
