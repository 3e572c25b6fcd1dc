//! Everything a user can ask for, one file each. The faces translate what they
//! were told into one of these and show what comes back.

pub mod analyse;
pub mod assess;
pub mod attachments;
pub mod budget;
pub mod care;
pub mod clerk;
pub mod compare;
pub mod constitution;
pub mod context;
pub mod control;
pub mod costs;
pub mod doctor;
pub mod embedding;
pub mod export;
pub mod found;
pub mod host;
pub mod init;
pub mod keys;
pub mod learning;
pub mod lessons_file;
pub mod light;
pub mod models;
pub mod order;
pub mod outcomes;
pub mod profile;
pub mod record;
pub mod resume;
pub mod seating;
pub mod sessions;
pub mod settings;
pub mod setup;
pub mod start;
pub mod synthesise;
pub mod tape;
pub mod tools;

use debate::{OpenError, RefusedCommand, ReplayError};
use store::StoreError;

use crate::config::ConfigError;
use crate::config::keys::KeysError;
use crate::runner::RunError;

/// What went wrong, by what the caller should do about it.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// What was asked for cannot be; each line names one thing that is wrong.
    #[error("{}", .0.join("\n"))]
    Input(Vec<String>),
    #[error("{}", advised(.0))]
    Store(#[from] StoreError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("the clerk could not do it: {why}. Try again, or choose another clerk")]
    Clerk { why: String },
    #[error("{0}")]
    Fetch(String),
    /// A replay asked for what its recording does not hold, or a recording
    /// could not be written to the end.
    #[error("{0}")]
    Tape(String),
    #[error("the log of this debate cannot be read: {0}")]
    Log(#[from] ReplayError),
}

/// What a disk refuses can be mended here or stored elsewhere.
fn advised(error: &StoreError) -> String {
    match error {
        StoreError::Io { .. } => format!(
            "{error} `roundtable doctor` looks for the cause; ROUNDTABLE_DATA_DIR names another \
             folder for the data."
        ),
        other => other.to_string(),
    }
}

impl Trouble {
    pub fn input(line: impl Into<String>) -> Trouble {
        Trouble::Input(vec![line.into()])
    }

    /// Whether the caller asked for something that cannot be, as opposed to
    /// something going wrong on the way.
    pub fn is_input(&self) -> bool {
        match self {
            Trouble::Input(_) | Trouble::Log(_) => true,
            Trouble::Store(error) | Trouble::Run(RunError::Store(error)) => matches!(
                error,
                StoreError::NotOurs { .. }
                    | StoreError::Newer { .. }
                    | StoreError::Missing { .. }
                    | StoreError::Unknown { .. }
                    | StoreError::Ambiguous { .. }
                    | StoreError::Taken { .. }
                    | StoreError::Occupied { .. }
            ),
            Trouble::Run(RunError::Broken(_))
            | Trouble::Clerk { .. }
            | Trouble::Fetch(_)
            | Trouble::Tape(_) => false,
        }
    }
}

impl From<ConfigError> for Trouble {
    fn from(error: ConfigError) -> Trouble {
        Trouble::input(error.to_string())
    }
}

impl From<KeysError> for Trouble {
    fn from(error: KeysError) -> Trouble {
        Trouble::input(error.to_string())
    }
}

impl From<OpenError> for Trouble {
    fn from(error: OpenError) -> Trouble {
        Trouble::Input(error.to_string().lines().map(str::to_owned).collect())
    }
}

impl From<RefusedCommand> for Trouble {
    fn from(error: RefusedCommand) -> Trouble {
        Trouble::input(error.to_string())
    }
}
