//! Write requests: everything that can be written, prepared and checked as far
//! as it can be before an engine takes its turn. An engine looks first and writes
//! last, or has its first write look, so that a refused request leaves nothing behind.

pub(crate) mod debate_state;

use debate::model::Event;

use crate::error::StoreError;
use crate::lease::{Lease, LeaseCondition, LeaseRequest, LeaseTerm};
use crate::limits::SpendingCaps;
use crate::listing::{ListedDebate, RowChange};
use crate::log_row::{NewEntry, SealedEntry, new_entries};
use crate::mailbox::DebateCommand;
use crate::moving::books::BookRows;
use crate::outcomes::OutcomeRow;
use crate::people::PeopleWrite;
use crate::spending::CallEntries;

/// The event that a write must survive before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// A power cut: the write waits for the disk.
    PowerCut,
    /// A kill of this process: the write is in the system's memory. The next
    /// commit that waits for the disk takes it along.
    Kill,
}

#[derive(Debug)]
pub(crate) enum WriteRequest {
    Create(NewDebate),
    Append(LogAppend),
    Import(ImportedLog),
    Lease(LeaseRequest),
    Renew {
        lease: Lease,
        term: LeaseTerm,
    },
    Release {
        lease: Lease,
    },
    Command {
        id: String,
        at: i64,
        command: DebateCommand,
    },
    Refuse {
        lease: Lease,
        number: u64,
        why: String,
    },
    Delete {
        id: String,
        now: i64,
    },
    Outcomes(Vec<OutcomeRow>),
    People(PeopleWrite),
    /// Shares a debate with the team, or makes it private again.
    Share {
        id: String,
        shared: bool,
    },
    /// Rows of a store that moves here.
    Books(BookRows),
    /// Indexes the words of debates that wait for it, if they are enough. The writer asks itself.
    IndexWords,
}

impl WriteRequest {
    /// The debates that a caller names in it, and must reach.
    pub(crate) fn named_debates(&self) -> Vec<&str> {
        match self {
            WriteRequest::Command { id, .. }
            | WriteRequest::Delete { id, .. }
            | WriteRequest::Share { id, .. } => vec![id],
            WriteRequest::Outcomes(rows) => rows.iter().map(|row| row.id.as_str()).collect(),
            WriteRequest::Lease(request) => vec![&request.id],
            WriteRequest::Create(_)
            | WriteRequest::Append(_)
            | WriteRequest::Import(_)
            | WriteRequest::Renew { .. }
            | WriteRequest::Release { .. }
            | WriteRequest::Refuse { .. }
            | WriteRequest::People(_)
            | WriteRequest::Books(_)
            | WriteRequest::IndexWords => Vec::new(),
        }
    }
}

/// Events made ready to be written, with everything that follows from them.
#[derive(Debug)]
pub(crate) struct NewEvents {
    pub at: i64,
    pub entries: Vec<NewEntry>,
    pub change: RowChange,
    pub calls: CallEntries,
}

impl NewEvents {
    /// Prepares events that come after entry `after`.
    pub(crate) fn of(
        id: &str,
        after: u64,
        at: i64,
        events: &[Event],
    ) -> Result<NewEvents, StoreError> {
        Ok(NewEvents {
            at,
            entries: new_entries(id, after, at, events)?,
            change: RowChange::of(events),
            calls: CallEntries::of(events, at),
        })
    }
}

/// A debate with its first events, of which one must open it.
#[derive(Debug)]
pub(crate) struct NewDebate {
    pub id: String,
    pub events: NewEvents,
    pub owner: DebateOwner,
}

/// The person whose debate it is, if it has one, and its place in the team.
#[derive(Debug, Clone, Default)]
pub(crate) struct DebateOwner {
    pub owner: Option<String>,
    pub shared: bool,
}

impl DebateOwner {
    pub(crate) fn enter(&self, row: &mut ListedDebate) {
        row.owner.clone_from(&self.owner);
        row.shared = self.shared;
    }
}

/// Events to add after entry `expected`.
#[derive(Debug)]
pub(crate) struct LogAppend {
    pub lease: Lease,
    pub expected: u64,
    pub events: NewEvents,
    /// Limits that the calls about to be sent must keep.
    pub caps: Option<SpendingCaps>,
    /// Commands up to this number are obeyed by these events.
    pub handled: Option<u64>,
    pub turn: LeaseTurn,
}

/// What an append does to the lease it is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeaseTurn {
    /// The lease is held before and after it.
    #[default]
    Held,
    /// The append takes the lease until the end of this term, over the one of the epoch before,
    /// which the caller has judged to be over.
    Takes(LeaseTerm),
    /// The append gives the lease back.
    GivesBack,
}

impl LogAppend {
    /// The request for the lease, if the append takes it.
    pub(crate) fn claim(&self) -> Option<LeaseRequest> {
        let LeaseTurn::Takes(term) = self.turn else { return None };
        let Lease { id, owner, epoch } = self.lease.clone();
        let condition = LeaseCondition::Over { epoch: epoch.saturating_sub(1) };
        Some(LeaseRequest { id, owner, term, condition })
    }

    /// The number of the last entry once it is written.
    pub(crate) fn last(&self) -> u64 {
        self.expected + self.events.entries.len() as u64
    }
}

/// The log of a debate from elsewhere, checked entry for entry. Its calls were
/// paid for elsewhere and are not in the books.
#[derive(Debug)]
pub(crate) struct ImportedLog {
    pub id: String,
    pub log: Vec<SealedEntry>,
    pub change: RowChange,
    pub parties: CallEntries,
    pub owner: DebateOwner,
}

impl ImportedLog {
    pub(crate) fn of(
        id: &str,
        log: Vec<SealedEntry>,
        owner: DebateOwner,
    ) -> Result<ImportedLog, StoreError> {
        let mut events: Vec<Event> = Vec::with_capacity(log.len());
        for (seq, entry) in (1..).zip(&log) {
            let damaged =
                |what: &str| StoreError::Damaged { id: id.into(), seq, what: what.into() };
            if entry.seq != seq {
                return Err(damaged("it is missing"));
            }
            if !entry.is_whole(id) {
                return Err(damaged("its hash does not match"));
            }
            let unreadable = |why| StoreError::Unreadable { id: id.into(), seq, why };
            events.push(entry.event().map_err(unreadable)?);
        }
        let at = log.first().map_or(0, |entry| entry.at);
        let parties = CallEntries::of(&events, at).without_calls();
        Ok(ImportedLog { id: id.into(), log, change: RowChange::of(&events), parties, owner })
    }

    /// The moment of the first entry.
    pub(crate) fn begun(&self) -> i64 {
        self.log.first().map_or(0, |entry| entry.at)
    }

    /// The latest moment of any entry.
    pub(crate) fn updated(&self) -> i64 {
        self.log.iter().map(|entry| entry.at).max().unwrap_or_default()
    }
}

/// The error for a log that does not begin as a log must.
pub(crate) fn not_opened(id: &str) -> StoreError {
    let why = "a log begins with the event that opens the debate".into();
    StoreError::Unstorable { id: id.into(), why }
}
