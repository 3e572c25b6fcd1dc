//! The commands that each status allows.

use serde::{Deserialize, Serialize};

use super::Debate;
use crate::model::{ContextId, PauseReason, Status};

/// A command of a person or a client to a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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

/// A command the current status does not allow, with those it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusedCommand {
    pub command: LifecycleCommand,
    pub status: Status,
    /// Empty if the debate is over.
    pub allowed: Vec<LifecycleCommand>,
    /// The requests that must be answered or declined first.
    pub unanswered: Vec<ContextId>,
}

impl Debate {
    pub fn may(&self, command: LifecycleCommand) -> Result<(), RefusedCommand> {
        if self.allows(command) {
            return Ok(());
        }
        let asked = self.room.open_requests().count() > 0;
        let listed =
            |c: &LifecycleCommand| self.allows(*c) && (asked || *c != LifecycleCommand::Answer);
        Err(RefusedCommand {
            command,
            status: self.room.status.clone(),
            allowed: LifecycleCommand::ALL.into_iter().filter(listed).collect(),
            unanswered: match command {
                LifecycleCommand::Go => self.unanswered(),
                LifecycleCommand::Pause
                | LifecycleCommand::Stop
                | LifecycleCommand::Remark
                | LifecycleCommand::Answer => Vec::new(),
            },
        })
    }

    fn allows(&self, command: LifecycleCommand) -> bool {
        let held_up = command == LifecycleCommand::Go && !self.unanswered().is_empty();
        command.fits(&self.room.status) && !held_up
    }

    /// Returns the questions that a debate paused for the caller still waits for.
    fn unanswered(&self) -> Vec<ContextId> {
        match &self.room.status {
            Status::Paused { reason: PauseReason::NeedsContext { .. } } => {
                // A person whose turn it is can be asked again at any time.
                let others = self.room.required_requests().filter(|request| !request.is_turn);
                others.map(|request| request.id).collect()
            }
            _ => Vec::new(),
        }
    }
}
