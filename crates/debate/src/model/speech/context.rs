//! What agents ask of the people who called the debate, and what these said.
//! A required request holds up the seat that made it; an optional one does not.

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
    /// What the answer would change.
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
    /// Absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<GivenContext>,
}

/// What the caller said to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "outcome")]
pub enum GivenContext {
    Answered {
        text: String,
    },
    /// They cannot or will not say.
    Declined,
}

impl ContextRequest {
    pub fn is_required(&self) -> bool {
        self.priority == Priority::Required
    }

    pub fn is_open(&self) -> bool {
        self.given.is_none()
    }

    /// Whether somebody cannot go on before it is settled.
    pub fn holds_up(&self) -> bool {
        self.is_open() && self.priority == Priority::Required
    }

    /// Who wants to know what, and what for, in one line.
    pub fn sentence(&self) -> String {
        format!("{} ({}) from {}: {}", self.id, self.priority.word(), self.agent, self.question)
    }
}

/// Whether two questions differ only in the accidents of their spelling.
pub fn same_question(one: &str, other: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_lowercase)
    }
    words(one).eq(words(other))
}

impl Room {
    /// Requests that nobody has answered or declined yet, oldest first.
    pub fn open_requests(&self) -> impl Iterator<Item = &ContextRequest> {
        self.context.iter().filter(|request| request.is_open())
    }

    /// Those of them that hold the debate up.
    pub fn required_requests(&self) -> impl Iterator<Item = &ContextRequest> {
        self.context.iter().filter(|request| request.holds_up())
    }
}
