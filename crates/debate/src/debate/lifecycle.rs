//! The commands that each status allows.

use super::Debate;
use crate::model::{PauseReason, Status};

/// A command of a person or a client to a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LifecycleCommand {
    /// Start it, or resume after a pause.
    Go,
    Pause,
    Stop,
    Remark,
    /// Answer or decline an agent's request.
    Answer,
}

impl LifecycleCommand {
    const ALL: [LifecycleCommand; 5] = [
        LifecycleCommand::Go,
        LifecycleCommand::Pause,
        LifecycleCommand::Stop,
        LifecycleCommand::Remark,
        LifecycleCommand::Answer,
    ];

    fn word(self) -> &'static str {
        match self {
            LifecycleCommand::Go => "resume",
            LifecycleCommand::Pause => "pause",
            LifecycleCommand::Stop => "stop",
            LifecycleCommand::Remark => "interject",
            LifecycleCommand::Answer => "answer",
        }
    }

    fn fits(self, status: &Status) -> bool {
        match self {
            LifecycleCommand::Go => matches!(status, Status::Created | Status::Paused { .. }),
            LifecycleCommand::Pause => matches!(status, Status::Active),
            LifecycleCommand::Stop | LifecycleCommand::Remark | LifecycleCommand::Answer => {
                !status.is_over()
            }
        }
    }
}

/// A command the current status does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot {command} a debate that is {status}; {allowed}")]
pub struct RefusedCommand {
    pub command: &'static str,
    pub status: &'static str,
    pub allowed: String,
}

impl Debate {
    pub fn may(&self, command: LifecycleCommand) -> Result<(), RefusedCommand> {
        let status = &self.room.status;
        if self.allows(command) {
            return Ok(());
        }
        let asked = self.room.open_requests().count() > 0;
        let listed =
            |c: &&LifecycleCommand| self.allows(**c) && (asked || **c != LifecycleCommand::Answer);
        let allowed: Vec<&str> =
            LifecycleCommand::ALL.iter().filter(listed).map(|c| c.word()).collect();
        let allowed = match allowed.as_slice() {
            [] => "it is over and can only be read and analysed".into(),
            some => format!("allowed now: {}", some.join(", ")),
        };
        let allowed = match (command, self.unanswered().as_slice()) {
            (_, [])
            | (
                LifecycleCommand::Pause
                | LifecycleCommand::Stop
                | LifecycleCommand::Remark
                | LifecycleCommand::Answer,
                _,
            ) => allowed,
            (LifecycleCommand::Go, ids) => {
                format!("first answer or decline {}; {allowed}", ids.join(", "))
            }
        };
        Err(RefusedCommand { command: command.word(), status: status.word(), allowed })
    }

    fn allows(&self, command: LifecycleCommand) -> bool {
        let held_up = command == LifecycleCommand::Go && !self.unanswered().is_empty();
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
