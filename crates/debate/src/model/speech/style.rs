//! How an agent's answers are asked for: in which parts, and with how many
//! words of instruction. It is settled when a debate opens and stands in the brief.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AnswerStyle {
    pub parts: AnswerParts,
    /// Small models get the lighter set of words, and no record call where the
    /// closing lines of their working say all that is counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub small: bool,
}

/// The parts in which an answer comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerParts {
    /// One JSON object: scripted agents, and every debate of an older log.
    #[default]
    Form,
    /// The working as text and the record as a call of `submit_response`, in one
    /// request.
    OneGo,
    /// The working as text, then a second request that copies it into the record.
    TwoCalls,
}

/// The form in which one reply is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplyForm {
    /// One JSON object that fits the ask's schema.
    #[default]
    Json,
    /// Free words; the schema is not sent.
    Words,
    /// Free words, then one call of `submit_response` with the ask's schema.
    WordsThenRecord,
}

/// A field of an answer that the engine counts, and that is asked for once more
/// where an answer lacks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CountedField {
    Answer,
    Stance,
    Vote,
    Confidence,
}

impl CountedField {
    /// Returns the field's name in the record.
    pub fn word(self) -> &'static str {
        match self {
            CountedField::Answer => "answer",
            CountedField::Stance => "stance",
            CountedField::Vote => "vote",
            CountedField::Confidence => "confidence",
        }
    }
}
