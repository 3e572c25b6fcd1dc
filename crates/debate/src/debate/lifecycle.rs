//! The commands that each status allows.

use super::Debate;
use crate::model::{PauseReason, Status};

/// A command of a person or a client to a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Start it, or go on after a pause.
    Go,
    Pause,
    Stop,
    Remark,
    /// Answer or decline an agent's request.
    Answer,
}

impl Command {
    const ALL: [Command; 5] =
        [Command::Go, Command::Pause, Command::Stop, Command::Remark, Command::Answer];

    fn word(self) -> &'static str {
        match self {
            Command::Go => "resume",
            Command::Pause => "pause",
            Command::Stop => "stop",
            Command::Remark => "interject",
            Command::Answer => "answer",
        }
    }

    fn fits(self, status: &Status) -> bool {
        match self {
            Command::Go => matches!(status, Status::Created | Status::Paused { .. }),
            Command::Pause => matches!(status, Status::Active),
            Command::Stop | Command::Remark | Command::Answer => !status.is_over(),
        }
    }
}

/// A command the current status does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot {command} a debate that is {status}; {allowed}")]
pub struct Refused {
    pub command: &'static str,
    pub status: &'static str,
    pub allowed: String,
}

impl Debate {
    pub fn may(&self, command: Command) -> Result<(), Refused> {
        let status = &self.room.status;
        if self.allows(command) {
            return Ok(());
        }
        let asked = self.room.open_requests().count() > 0;
        let listed = |c: &&Command| self.allows(**c) && (asked || **c != Command::Answer);
        let allowed: Vec<&str> = Command::ALL.iter().filter(listed).map(|c| c.word()).collect();
        let allowed = match allowed.as_slice() {
            [] => "it is over and can only be read and analysed".into(),
            some => format!("allowed now: {}", some.join(", ")),
        };
        let allowed = match (command, self.unanswered().as_slice()) {
            (_, []) | (Command::Pause | Command::Stop | Command::Remark | Command::Answer, _) => {
                allowed
            }
            (Command::Go, ids) => {
                format!("first answer or decline {}; {allowed}", ids.join(", "))
            }
        };
        Err(Refused { command: command.word(), status: status.word(), allowed })
    }

    fn allows(&self, command: Command) -> bool {
        let held_up = command == Command::Go && !self.unanswered().is_empty();
        command.fits(&self.room.status) && !held_up
    }

    /// Returns the questions that a debate paused for the caller still waits for.
    fn unanswered(&self) -> Vec<String> {
        match &self.room.status {
            Status::Paused { reason: PauseReason::NeedsContext { .. } } => {
                self.room.required_requests().map(|request| request.id.to_string()).collect()
            }
            _ => Vec::new(),
        }
    }
}
