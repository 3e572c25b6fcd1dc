//! Questions that agents put to the person who started the debate, and the
//! answers. A required request holds up the seat that made it; an optional one
//! does not.

use serde::{Deserialize, Serialize};

use crate::model::{ContextId, Room, Round, SeatId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// The agent cannot answer without it.
    Required,
    Optional,
}

impl Priority {
    pub fn word(self) -> &'static str {
        match self {
            Priority::Required => "required",
            Priority::Optional => "optional",
        }
    }
}

/// A request as an agent makes it in its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WantedContext {
    pub question: String,
    /// The difference the answer would make.
    pub why: String,
    pub priority: Priority,
}

/// A request as the caller sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextRequest {
    pub id: ContextId,
    pub round: Round,
    pub seat: SeatId,
    /// The seat's name.
    pub agent: String,
    pub question: String,
    pub why: String,
    pub priority: Priority,
    /// True if a person is asked for the answer of their own seat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_turn: bool,
    /// The answer; absent while the request is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<GivenContext>,
}

/// The caller's answer to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "outcome")]
pub enum GivenContext {
    Answered {
        text: String,
    },
    /// The caller cannot or will not say.
    Declined,
}

impl ContextRequest {
    pub fn is_required(&self) -> bool {
        self.priority == Priority::Required
    }

    pub fn is_open(&self) -> bool {
        self.given.is_none()
    }

    /// Returns true if a seat is waiting for this request to be settled.
    pub fn holds_up(&self) -> bool {
        self.is_open() && self.priority == Priority::Required
    }

    /// Returns the answer of a person's own seat, with how sure they are in per cent.
    pub fn turn_text(said: &str, confidence: Option<u8>) -> String {
        match confidence {
            Some(percent) => format!("{}\n\nConfidence: {percent} %", said.trim()),
            None => said.trim().to_owned(),
        }
    }

    /// Returns one line that says which agent asks what.
    pub fn sentence(&self) -> String {
        format!("{} ({}) from {}: {}", self.id, self.priority.word(), self.agent, self.question)
    }
}

/// Returns true if two questions differ only in case, spacing or punctuation.
pub fn same_question(one: &str, other: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_lowercase)
    }
    words(one).eq(words(other))
}

impl Room {
    /// Requests not yet answered or declined, oldest first.
    pub fn open_requests(&self) -> impl Iterator<Item = &ContextRequest> {
        self.context.iter().filter(|request| request.is_open())
    }

    /// Open requests that hold the debate up.
    pub fn required_requests(&self) -> impl Iterator<Item = &ContextRequest> {
        self.context.iter().filter(|request| request.holds_up())
    }
}
