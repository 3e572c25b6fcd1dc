//! The engine's errors, sorted by what the caller should do about them.

mod foreign;
mod problem;
mod refusal;
mod setting_name;

use debate::ReplayError;
use store::StoreError;

use crate::run::RunError;

pub use foreign::existing;
pub use problem::{
    AfterDebate, AnswerGap, BudgetProblem, BudgetSpan, DebateCosts, FileKind, FileProblem,
    ImportClash, RequestFault, SeatProblem, SessionName, SessionProblem, StorageProblem,
};
pub use refusal::{At, KeyFault, LengthUnit, Problem, Refusal, Remedy};
pub use setting_name::{SettingName, SettingNames};

/// An error, sorted by what the caller should do about it. Its text is for logs; a
/// face words [`EngineError::refusals`] for people.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// The request cannot be carried out; each entry names one thing that is wrong.
    #[error("refused: {0:?}")]
    Refused(Vec<Refusal>),
    /// A face refuses something that only this face takes, already in its words.
    /// The engine never makes one.
    #[error("{}", .0.join("\n"))]
    Face(Vec<String>),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("the clerk could not do it: {why}")]
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

impl EngineError {
    /// A refusal of a face, in its own words.
    pub fn input(line: impl Into<String>) -> EngineError {
        EngineError::Face(vec![line.into()])
    }

    /// Returns whether the input was invalid, as opposed to a failure while
    /// carrying it out.
    pub fn is_input(&self) -> bool {
        match self {
            EngineError::Refused(_) | EngineError::Face(_) | EngineError::Log(_) => true,
            EngineError::Store(error) | EngineError::Run(RunError::Store(error)) => matches!(
                error,
                StoreError::NotOurs { .. }
                    | StoreError::Newer { .. }
                    | StoreError::Missing { .. }
                    | StoreError::Unknown { .. }
                    | StoreError::Ambiguous { .. }
                    | StoreError::Taken { .. }
                    | StoreError::Occupied { .. }
                    | StoreError::NotEmpty { .. }
                    | StoreError::NotAFile { .. }
                    | StoreError::People { .. }
            ),
            EngineError::Run(RunError::Broken(_))
            | EngineError::Clerk { .. }
            | EngineError::Busy { .. }
            | EngineError::Fetch(_)
            | EngineError::Tape(_) => false,
        }
    }

    /// Returns the refusals of this error, those of the store among them; empty
    /// if something went wrong on the way.
    pub fn refusals(&self) -> Vec<Refusal> {
        match self {
            EngineError::Refused(refusals) => refusals.clone(),
            EngineError::Store(error) | EngineError::Run(RunError::Store(error)) => {
                vec![foreign::of_store(error)]
            }
            EngineError::Face(_)
            | EngineError::Run(RunError::Broken(_))
            | EngineError::Clerk { .. }
            | EngineError::Busy { .. }
            | EngineError::Fetch(_)
            | EngineError::Tape(_)
            | EngineError::Log(_) => Vec::new(),
        }
    }
}

impl From<Refusal> for EngineError {
    fn from(refusal: Refusal) -> EngineError {
        EngineError::Refused(vec![refusal])
    }
}

impl From<Vec<Refusal>> for EngineError {
    fn from(refusals: Vec<Refusal>) -> EngineError {
        EngineError::Refused(refusals)
    }
}

/// Refuses everything that was found wrong; nothing wrong is fine.
pub fn refuse_all(faults: Vec<Refusal>) -> Result<(), EngineError> {
    if faults.is_empty() { Ok(()) } else { Err(EngineError::Refused(faults)) }
}
