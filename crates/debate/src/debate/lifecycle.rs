//! Which commands a status allows.

use super::Debate;
use crate::model::Status;

/// What a person or a client may ask of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Start it, or go on after a pause.
    Go,
    Pause,
    Stop,
    Remark,
}

impl Command {
    const ALL: [Command; 4] = [Command::Go, Command::Pause, Command::Stop, Command::Remark];

    fn word(self) -> &'static str {
        match self {
            Command::Go => "resume",
            Command::Pause => "pause",
            Command::Stop => "stop",
            Command::Remark => "interject",
        }
    }

    fn fits(self, status: &Status) -> bool {
        match self {
            Command::Go => matches!(status, Status::Created | Status::Paused { .. }),
            Command::Pause => matches!(status, Status::Active),
            Command::Stop | Command::Remark => !status.is_over(),
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
        if command.fits(status) {
            return Ok(());
        }
        let allowed: Vec<&str> =
            Command::ALL.iter().filter(|c| c.fits(status)).map(|c| c.word()).collect();
        let allowed = match allowed.as_slice() {
            [] => "it is over and can only be read and analysed".into(),
            some => format!("allowed now: {}", some.join(", ")),
        };
        Err(Refused { command: command.word(), status: status.word(), allowed })
    }
}
