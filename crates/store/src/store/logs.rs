//! Creating, appending to, reading, importing and deleting logs.

use debate::model::Event;

use super::Store;
use crate::error::StoreFuture;
use crate::lease::Lease;
use crate::limits::SpendingCaps;
use crate::log_row::{LogEntry, SealedEntry};
use crate::request::{Durability, LeaseTurn, LogAppend, NewDebate, NewEvents, WriteRequest};

/// Options of an append.
#[derive(Debug, Clone, Copy, Default)]
pub struct AppendOptions {
    /// Limits that the calls about to be sent must keep.
    pub caps: Option<SpendingCaps>,
    /// Commands up to this number are obeyed by the events.
    pub handled: Option<u64>,
    /// Does not wait for the disk ([`Store::append_soon`]).
    pub soon: bool,
    pub turn: LeaseTurn,
}

/// Logs.
impl Store {
    /// Adds a debate with its first events, of which one must open it. Returns
    /// the number of the last. Durable when it returns.
    pub fn create<'a>(&'a self, id: &'a str, at: i64, events: &'a [Event]) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let events = NewEvents::of(id, 0, at, events)?;
            let owner = self.owner();
            self.write(WriteRequest::Create(NewDebate { id: id.into(), events, owner })).await
        })
    }

    /// Adds events after entry `expected`, which must be the last one, and
    /// returns the number of the last added. Durable when it returns. After any
    /// other error than a refusal, and if the call is abandoned, the events may
    /// be there all the same: read the log before writing again.
    pub fn append<'a>(
        &'a self,
        lease: &'a Lease,
        expected: u64,
        at: i64,
        events: &'a [Event],
    ) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            self.append_with(lease, expected, at, events, AppendOptions::default()).await
        })
    }

    /// Appends as [`Store::append`] does, but without waiting for the disk: the
    /// events outlive this process at once, and a power cut only together with
    /// the next append that waits. For events that are a pity to lose and no more.
    pub fn append_soon<'a>(
        &'a self,
        lease: &'a Lease,
        expected: u64,
        at: i64,
        events: &'a [Event],
    ) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let options = AppendOptions { soon: true, ..AppendOptions::default() };
            self.append_with(lease, expected, at, events, options).await
        })
    }

    /// Appends as [`Store::append`] does, unless the calls that the events announce
    /// might pass a limit: then nothing is written and the error is
    /// [`Budget`](crate::StoreError::Budget) or [`Unpriced`](crate::StoreError::Unpriced).
    pub fn append_reserving<'a>(
        &'a self,
        lease: &'a Lease,
        expected: u64,
        at: i64,
        events: &'a [Event],
        caps: SpendingCaps,
    ) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let options = AppendOptions { caps: Some(caps), ..AppendOptions::default() };
            self.append_with(lease, expected, at, events, options).await
        })
    }

    /// Appends as [`Store::append`] does, and in the same commit marks the commands
    /// up to `handled` as obeyed, so that none is obeyed twice after a crash. With
    /// no events it only marks them.
    pub fn append_handled<'a>(
        &'a self,
        lease: &'a Lease,
        expected: u64,
        at: i64,
        events: &'a [Event],
        handled: u64,
    ) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let options = AppendOptions { handled: Some(handled), ..AppendOptions::default() };
            self.append_with(lease, expected, at, events, options).await
        })
    }

    /// Appends with these options. Where the append is to take the lease, it may be refused as
    /// [`Store::take_over_run`] may.
    pub fn append_with<'a>(
        &'a self,
        lease: &'a Lease,
        expected: u64,
        at: i64,
        events: &'a [Event],
        options: AppendOptions,
    ) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let events = NewEvents::of(&lease.id, expected, at, events)?;
            let AppendOptions { caps, handled, soon, turn } = options;
            let append = LogAppend { lease: lease.clone(), expected, events, caps, handled, turn };
            let durability = if soon { Durability::Kill } else { Durability::PowerCut };
            self.write_by(WriteRequest::Append(append), durability).await
        })
    }

    /// Returns the whole log of a debate, in order, every hash checked.
    pub fn log<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Vec<LogEntry>> {
        Box::pin(async move { self.log_after(id, 0).await })
    }

    /// Returns the entries after entry `seq`.
    pub fn log_after<'a>(&'a self, id: &'a str, seq: u64) -> StoreFuture<'a, Vec<LogEntry>> {
        Box::pin(async move { engine!(self, engine => engine.log_after(id, seq).await) })
    }

    /// Returns the whole log exactly as it is stored, every hash checked.
    pub fn sealed_log<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Vec<SealedEntry>> {
        Box::pin(async move { engine!(self, engine => engine.sealed_log(id).await) })
    }

    /// Imports a debate that was held elsewhere, entry for entry, under an id that
    /// must be free. Every hash must fit the id. Its cost is not in the books: it
    /// was spent elsewhere. Durable when it returns.
    pub fn import<'a>(&'a self, id: &'a str, log: Vec<SealedEntry>) -> StoreFuture<'a, u64> {
        Box::pin(async move { self.import_for(id, log, self.owner()).await })
    }

    /// Removes a debate with its whole log, unless a process runs it.
    pub fn delete<'a>(&'a self, id: &'a str, now: i64) -> StoreFuture<'a, ()> {
        Box::pin(
            async move { self.write(WriteRequest::Delete { id: id.into(), now }).await.map(drop) },
        )
    }
}
