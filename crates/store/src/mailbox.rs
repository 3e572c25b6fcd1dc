//! The mailbox of a debate: commands that people leave for the process that
//! runs it, from any process.

use std::borrow::Cow;

use debate::model::{ContextId, GivenContext, SeatId};

use crate::error::StoreError;
use crate::log_row::digest;

/// A command of a person to a debate that another process may be running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DebateCommand {
    Pause,
    Resume,
    Stop,
    Remark(String),
    Focus(String),
    /// A seat is dropped: it is asked no more.
    Drop(SeatId),
    /// The caller's answer to a request of an agent.
    Context {
        request: ContextId,
        given: GivenContext,
    },
}

impl DebateCommand {
    /// The word for this kind of command.
    pub fn kind(&self) -> &'static str {
        self.columns().0
    }

    /// The command as it is stored: its kind and its text.
    pub(crate) fn columns(&self) -> (&'static str, Cow<'_, str>) {
        match self {
            DebateCommand::Pause => ("pause", "".into()),
            DebateCommand::Resume => ("resume", "".into()),
            DebateCommand::Stop => ("stop", "".into()),
            DebateCommand::Remark(text) => ("remark", text.into()),
            DebateCommand::Focus(text) => ("focus", text.into()),
            DebateCommand::Drop(seat) => ("drop", seat.index().to_string().into()),
            // The name is one word, so the first blank ends it.
            DebateCommand::Context { request, given: GivenContext::Answered { text } } => {
                ("answer", format!("{request} {text}").into())
            }
            DebateCommand::Context { request, given: GivenContext::Declined } => {
                ("decline", request.to_string().into())
            }
        }
    }

    fn from_columns(kind: &str, text: String) -> Option<DebateCommand> {
        match kind {
            "pause" => Some(DebateCommand::Pause),
            "resume" => Some(DebateCommand::Resume),
            "stop" => Some(DebateCommand::Stop),
            "remark" => Some(DebateCommand::Remark(text)),
            "focus" => Some(DebateCommand::Focus(text)),
            "drop" => Some(DebateCommand::Drop(SeatId(text.parse().ok()?))),
            "answer" => {
                let (request, text) = text.split_once(' ')?;
                let given = GivenContext::Answered { text: text.into() };
                Some(DebateCommand::Context { request: request.parse().ok()?, given })
            }
            "decline" => {
                let request = text.parse().ok()?;
                Some(DebateCommand::Context { request, given: GivenContext::Declined })
            }
            _ => None,
        }
    }
}

/// A command that was not handled yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingCommand {
    pub id: String,
    /// Counted from 1 within the debate.
    pub number: u64,
    pub at: i64,
    pub command: DebateCommand,
}

/// The columns of a command as they came from the database, not yet trusted.
pub(crate) struct RawCommand {
    pub id: String,
    pub number: i64,
    pub at: i64,
    pub kind: String,
    pub text: String,
    pub hash: Vec<u8>,
}

impl RawCommand {
    /// Refuses a damaged command: no process must obey what no person said.
    pub(crate) fn check(self) -> Result<PendingCommand, StoreError> {
        let RawCommand { id, number, at, kind, text, hash } = self;
        if command_hash(&id, number, at, &kind, &text) != hash {
            return Err(StoreError::Corrupt { what: format!("command {number} of debate {id}") });
        }
        let unknown = || StoreError::Corrupt { what: format!("a command {kind:?} is not known") };
        let command = DebateCommand::from_columns(&kind, text).ok_or_else(unknown)?;
        Ok(PendingCommand { id, number: u64::try_from(number).unwrap_or(0), at, command })
    }
}

pub(crate) fn command_hash(id: &str, number: i64, at: i64, kind: &str, text: &str) -> Vec<u8> {
    let (number, at) = (number.to_le_bytes(), at.to_le_bytes());
    digest(&[b"command", id.as_bytes(), &number, &at, kind.as_bytes(), text.as_bytes()])
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandFate {
    /// No runner has seen it yet.
    Waiting,
    Obeyed,
    Refused(String),
}

impl CommandFate {
    pub(crate) fn of(handled: bool, refusal: String) -> CommandFate {
        if !handled {
            CommandFate::Waiting
        } else if refusal.is_empty() {
            CommandFate::Obeyed
        } else {
            CommandFate::Refused(refusal)
        }
    }
}
