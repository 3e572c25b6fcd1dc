//! The engine's errors, sorted by what the caller should do about them.

use debate::{OpenError, RefusedCommand, ReplayError};
use store::StoreError;

use crate::config::ConfigError;
use crate::config::keys::KeysError;
use crate::run::RunError;

/// An error, sorted by what the caller should do about it.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The input is invalid; each line names one fault.
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
    /// A replay asked for something that its recording does not contain, or a
    /// recording could not be completed.
    #[error("{0}")]
    Tape(String),
    /// Too much is asked for at once.
    #[error("{why}. Nothing was started; try again in {retry_seconds} seconds")]
    Busy { why: String, retry_seconds: u64 },
    #[error("the log of this debate cannot be read: {0}")]
    Log(#[from] ReplayError),
}

/// Adds what to do about a disk that cannot be written.
fn advised(error: &StoreError) -> String {
    match error {
        StoreError::Io { .. } => format!(
            "{error} `roundtable doctor` looks for the cause; ROUNDTABLE_DATA_DIR names another \
             folder for the data."
        ),
        other => other.to_string(),
    }
}

impl EngineError {
    pub fn input(line: impl Into<String>) -> EngineError {
        EngineError::Input(vec![line.into()])
    }

    /// Returns whether the input was invalid, as opposed to a failure while
    /// carrying it out.
    pub fn is_input(&self) -> bool {
        match self {
            EngineError::Input(_) | EngineError::Log(_) => true,
            EngineError::Store(error) | EngineError::Run(RunError::Store(error)) => matches!(
                error,
                StoreError::NotOurs { .. }
                    | StoreError::Newer { .. }
                    | StoreError::Missing { .. }
                    | StoreError::Unknown { .. }
                    | StoreError::Ambiguous { .. }
                    | StoreError::Taken { .. }
                    | StoreError::Occupied { .. }
            ),
            EngineError::Run(RunError::Broken(_))
            | EngineError::Clerk { .. }
            | EngineError::Busy { .. }
            | EngineError::Fetch(_)
            | EngineError::Tape(_) => false,
        }
    }
}

impl From<ConfigError> for EngineError {
    fn from(error: ConfigError) -> EngineError {
        EngineError::input(error.to_string())
    }
}

impl From<KeysError> for EngineError {
    fn from(error: KeysError) -> EngineError {
        EngineError::input(error.to_string())
    }
}

impl From<OpenError> for EngineError {
    fn from(error: OpenError) -> EngineError {
        EngineError::Input(error.to_string().lines().map(str::to_owned).collect())
    }
}

impl From<RefusedCommand> for EngineError {
    fn from(error: RefusedCommand) -> EngineError {
        EngineError::input(error.to_string())
    }
}
