//! Errors of the store, named by what the caller should do next. Each reads as
//! one or two lines for a person, without SQL and without a backtrace.

use std::fmt::{self, Write as _};
use std::path::PathBuf;

use debate::model::MicroUsd;
use futures::future::BoxFuture;

use crate::limits::SpendingLimit;
use crate::people::PeopleProblem;

/// The answer of a store, still to come. It is boxed here, in this crate: the compiler would copy
/// the whole way to the database into every place of other crates that waits for one.
pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("There is no Roundtable database at {}.", .path.display())]
    Missing { path: PathBuf },
    #[error(
        "{} is not a Roundtable database ({why}). It was left as it is; choose another path.",
        .path.display()
    )]
    NotOurs { path: PathBuf, why: String },
    #[error(
        "{} was written by a newer Roundtable (format {found}, this one knows {known}). \
         It was left as it is; update Roundtable to open it.",
        .path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error(
        "{} has an older format ({found}, now {known}) and was opened only for reading. \
         Any command that writes brings it up to date.",
        .path.display()
    )]
    Older { path: PathBuf, found: i64, known: i64 },
    #[error("Another process keeps the database locked. Try again.")]
    Locked,
    #[error("The disk is full: nothing was written. Free some space and resume.")]
    Full,
    #[error(
        "The database cannot be written to: it is open only for reading, or its file or \
         directory is write-protected."
    )]
    ReadOnly,
    #[error(
        "The database is damaged: {what}.\n\
         Restore a backup, or run `roundtable doctor` to see what can still be read."
    )]
    Corrupt { what: String },
    #[error(
        "Entry {seq} of debate {id} is damaged ({what}) and is not shown.\n\
         Restore a backup, or run `roundtable doctor` to see what can still be read."
    )]
    Damaged { id: String, seq: u64, what: String },
    #[error("Entry {seq} of debate {id} is whole but this version cannot read it: {why}.")]
    Unreadable { id: String, seq: u64, why: String },
    #[error("{}", unknown(.asked, .recent))]
    Unknown { asked: String, recent: Vec<DebateHint> },
    #[error("{}", ambiguous(.asked, .candidates))]
    Ambiguous { asked: String, candidates: Vec<DebateHint> },
    #[error("{}", .problem.sentence(.name))]
    People { name: String, problem: PeopleProblem },
    #[error("A debate with the id {id} already exists.")]
    Exists { id: String },
    #[error("Debate {id} is being run by {}. Watch it, or pause it there first.", shown_owner(.owner))]
    Taken { id: String, owner: String, epoch: u64, until: i64 },
    #[error("Debate {id} is now run elsewhere; this process may no longer write to it.")]
    NotRunner { id: String },
    #[error("Debate {id} has moved on: entry {expected} was expected last, but it is {found}.")]
    Conflict { id: String, expected: u64, found: u64 },
    #[error(
        "The next call would pass {}: it may cost up to {wanted}, and {bound} of {cap} is already \
         spent or reserved.",
        .which.word()
    )]
    Budget { which: SpendingLimit, cap: MicroUsd, bound: MicroUsd, wanted: MicroUsd },
    #[error(
        "There is a budget, and the price of the next call is not known, so the budget could not \
         be kept."
    )]
    Unpriced { id: String, calls: usize },
    #[error("An event of debate {id} cannot be stored: {why}.")]
    Unstorable { id: String, why: String },
    #[error("{} already exists and was left as it is. Choose another path.", .path.display())]
    Occupied { path: PathBuf },
    #[error(
        "{} was moved or deleted while it was in use; what was stored since is lost.\n\
         Put the file and its -wal back, or restore a backup, and resume.",
        .path.display()
    )]
    Vanished { path: PathBuf },
    #[error("The database server {server} cannot be used: {why}.")]
    Unreachable { server: String, why: String },
    #[error("The database server does not answer: {what}. Nothing is lost; try again.")]
    Away { what: String },
    #[error(
        "The debates are on the server {server}, so there is no file to copy. Back it up with \
         pg_dump, or copy the debates with `roundtable store move`."
    )]
    NotAFile { server: String },
    #[error(
        "There are other debates in {place}, so nothing was moved there. Choose an empty place."
    )]
    NotEmpty { place: String },
    #[error("The database could not be read or written: {what}.")]
    Io { what: String },
    #[error("The database has been closed.")]
    Closed,
    #[error(
        "The database could not be read: SQLite gave up in the middle. The file may be damaged; \
         run `roundtable doctor`, or restore a backup."
    )]
    Crashed,
}

/// A debate to suggest when the one asked for is unknown or ambiguous.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebateHint {
    pub id: String,
    pub topic: String,
}

impl StoreError {
    /// Tells whether the request was refused with the database in good order, so
    /// that the other requests of the same commit may go on.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(
            self,
            StoreError::Unknown { .. }
                | StoreError::Exists { .. }
                | StoreError::People { .. }
                | StoreError::Taken { .. }
                | StoreError::NotRunner { .. }
                | StoreError::Conflict { .. }
                | StoreError::Budget { .. }
                | StoreError::Unpriced { .. }
                | StoreError::Damaged { .. }
                | StoreError::Unstorable { .. }
        )
    }

    /// Tells whether the same request may well succeed a little later: the disk is full, the file
    /// is locked, or the server is away.
    pub fn is_passing(&self) -> bool {
        matches!(self, StoreError::Full | StoreError::Locked | StoreError::Away { .. })
    }

    pub(crate) fn io(doing: &str, error: &std::io::Error) -> StoreError {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => StoreError::Full,
            _ => StoreError::Io { what: format!("{doing}: {error}") },
        }
    }
}

/// The process alone: the ids of its machine mean nothing to a person.
fn shown_owner(owner: &str) -> &str {
    match owner.split_once(" (") {
        _ if owner.is_empty() => "another process",
        Some((process, _)) => process,
        None => owner,
    }
}

fn unknown(asked: &str, recent: &[DebateHint]) -> String {
    let mut text = format!("There is no debate {asked:?}.");
    if recent.is_empty() {
        text.push_str(" None has been held yet.");
    } else {
        text.push_str(" The most recent:");
        list(&mut text, recent);
    }
    text
}

fn ambiguous(asked: &str, candidates: &[DebateHint]) -> String {
    let mut text = format!("More than one debate begins with {asked:?}; give more of its id:");
    list(&mut text, candidates);
    text
}

fn list(text: &mut String, candidates: &[DebateHint]) {
    for candidate in candidates {
        let topic: String = candidate.topic.chars().take(60).collect();
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {}  {}", candidate.id, topic.replace('\n', " "));
    }
}

/// One thing that a check found wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The debate it is in; `None`: the file's own structure.
    pub debate: Option<String>,
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.debate {
            Some(id) => write!(f, "debate {id}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}
