//! The store as others use it: open it, then create, append, read. Cloning is
//! cheap; all clones share one engine. Requests are prepared here, whatever the
//! engine beneath.

use std::path::Path;

use debate::model::Event;

use crate::address::StoreAddress;
use crate::change_watch::{ChangeWatch, StoreChanges};
use crate::error::{Damage, DebateHint, StoreError};
use crate::lease::{Lease, LeaseCondition, LeaseRequest, LeaseTerm, LeaseView};
use crate::limits::SpendingCaps;
use crate::listing::{ListFilter, ListedDebate};
use crate::log_row::{LogEntry, SealedEntry};
use crate::mailbox::{CommandFate, DebateCommand, PendingCommand};
use crate::outcomes::{FinishedDebate, NewOutcome, OutcomeRow, StoredOutcome};
use crate::people::Reach;
use crate::postgres::PostgresStore;
use crate::request::{Durability, LogAppend, NewDebate, NewEvents, WriteRequest};
use crate::spending::{CachedLine, CostLine, CostsBy, LeastSpending, Spender};
#[cfg(debug_assertions)]
use crate::sqlite::Lockout;
use crate::sqlite::SqliteStore;

/// The most debates that are named where one was not found.
const MOST_HINTS: usize = 5;

/// A database of debates: one engine of those there are.
#[derive(Debug, Clone)]
pub enum Store {
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
}

/// Hands a call to the engine, whichever it is.
macro_rules! engine {
    ($store:expr, $engine:ident => $call:expr) => {
        match $store {
            Store::Sqlite($engine) => $call,
            Store::Postgres($engine) => $call,
        }
    };
}

/// Options of an append.
#[derive(Debug, Default)]
struct AppendOptions {
    caps: Option<SpendingCaps>,
    handled: Option<u64>,
    /// `None`: until the disk has it.
    durability: Option<Durability>,
}

/// Opening, closing, looking after the file.
impl Store {
    /// Opens the database, making it (and its directory) if it is not there.
    /// Does not look for damage: see [`Store::quick_check`].
    pub async fn open(address: impl Into<StoreAddress>) -> Result<Store, StoreError> {
        match address.into() {
            StoreAddress::File(path) => SqliteStore::open(&path).await.map(Store::Sqlite),
            StoreAddress::Server(at) => PostgresStore::open(&at).await.map(Store::Postgres),
        }
    }

    /// Opens a database that must be there; makes nothing.
    pub async fn open_existing(address: impl Into<StoreAddress>) -> Result<Store, StoreError> {
        match address.into() {
            StoreAddress::File(path) => SqliteStore::open_existing(&path).await.map(Store::Sqlite),
            StoreAddress::Server(at) => {
                PostgresStore::open_existing(&at).await.map(Store::Postgres)
            }
        }
    }

    /// Opens a database that must be there, for reading alone. A server is opened as ever:
    /// reading it leaves no file behind.
    pub async fn read_only(address: impl Into<StoreAddress>) -> Result<Store, StoreError> {
        match address.into() {
            StoreAddress::File(path) => SqliteStore::read_only(&path).await.map(Store::Sqlite),
            StoreAddress::Server(at) => {
                PostgresStore::open_existing(&at).await.map(Store::Postgres)
            }
        }
    }

    /// Opens a database whose writes do not wait for the disk. It loses
    /// acknowledged writes in a power cut: the tests of durability need a store
    /// that fails them.
    #[cfg(debug_assertions)]
    pub async fn open_careless(path: &Path) -> Result<Store, StoreError> {
        SqliteStore::open_careless(path).await.map(Store::Sqlite)
    }

    /// Keeps all other processes from writing until it is let go: the tests need
    /// another process that holds the lock.
    #[cfg(debug_assertions)]
    pub async fn lock_out(path: &Path) -> Result<Lockout, StoreError> {
        Lockout::take(path).await
    }

    /// Puts a checked copy of the backup `from` at `to`, where nothing may be.
    pub async fn restore(from: &Path, to: &Path) -> Result<(), StoreError> {
        SqliteStore::restore(from, to).await
    }

    /// Tells whether a database at this path was in use when it was last written
    /// and has no WAL file beside it: a copy that was made so may lack the newest
    /// debates. Look before opening it, which makes a WAL file.
    pub fn may_lack_wal(path: &Path) -> Result<bool, StoreError> {
        SqliteStore::may_lack_wal(path)
    }

    /// The place where this store is.
    pub fn address(&self) -> StoreAddress {
        match self {
            Store::Sqlite(engine) => engine.path().into(),
            Store::Postgres(engine) => StoreAddress::Server(engine.address().clone()),
        }
    }

    /// Tells whether several machines may work on this store.
    pub fn is_shared(&self) -> bool {
        matches!(self, Store::Postgres(_))
    }

    /// Finishes all requests and lets go of the file. All clones are closed.
    pub async fn close(&self) {
        engine!(self, engine => engine.close().await);
    }

    /// Takes a quick look at the file's structure. It reads the whole file, so run
    /// it beside the work, not before it, unless the file is small.
    pub async fn quick_check(&self) -> Result<(), StoreError> {
        engine!(self, engine => engine.quick_check().await)
    }

    /// Takes the quick look of [`Store::quick_check`] once, however often it is asked
    /// of this store and its clones.
    pub async fn quick_check_once(&self) -> Result<(), StoreError> {
        match self {
            Store::Sqlite(engine) => engine.quick_check_once().await,
            // The server looks after its own files.
            Store::Postgres(_) => Ok(()),
        }
    }

    /// Returns the result of the one quick look; `None` while it is not over.
    pub fn checked(&self) -> Option<Result<(), StoreError>> {
        match self {
            Store::Sqlite(engine) => engine.checked(),
            Store::Postgres(_) => Some(Ok(())),
        }
    }

    /// Reads everything and reports every damage found.
    pub async fn check(&self) -> Result<Vec<Damage>, StoreError> {
        engine!(self, engine => engine.check().await)
    }

    /// Makes a copy of the database as it is now, while others go on writing.
    /// Refuses to overwrite.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        engine!(self, engine => engine.backup(to).await)
    }

    /// The number of commits made, for measuring.
    pub fn commits(&self) -> u64 {
        engine!(self, engine => engine.commits())
    }

    /// Tells whether the database was written to; see [`ChangeWatch`].
    pub async fn changes(&self) -> Result<ChangeWatch, StoreError> {
        Ok(ChangeWatch(match self {
            Store::Sqlite(engine) => StoreChanges::File(engine.changes()),
            Store::Postgres(engine) => StoreChanges::Server(engine.changes()),
        }))
    }

    /// The debates that this handle reaches.
    pub fn reach(&self) -> &Reach {
        engine!(self, engine => engine.reach())
    }

    pub(crate) async fn write(&self, request: WriteRequest) -> Result<u64, StoreError> {
        self.write_by(request, Durability::PowerCut).await
    }

    async fn write_by(
        &self,
        request: WriteRequest,
        durability: Durability,
    ) -> Result<u64, StoreError> {
        if !self.reach().is_all() {
            for id in request.named_debates() {
                self.get(id).await?;
            }
        }
        engine!(self, engine => engine.write(request, durability).await)
    }
}

/// Logs.
impl Store {
    /// Adds a debate with its first events, of which one must open it. Returns
    /// the number of the last. Durable when it returns.
    pub async fn create(&self, id: &str, at: i64, events: &[Event]) -> Result<u64, StoreError> {
        let events = NewEvents::of(id, 0, at, events)?;
        let owner = self.owner();
        self.write(WriteRequest::Create(NewDebate { id: id.into(), events, owner })).await
    }

    /// Adds events after entry `expected`, which must be the last one, and
    /// returns the number of the last added. Durable when it returns. After any
    /// other error than a refusal, and if the call is abandoned, the events may
    /// be there all the same: read the log before writing again.
    pub async fn append(
        &self,
        lease: &Lease,
        expected: u64,
        at: i64,
        events: &[Event],
    ) -> Result<u64, StoreError> {
        self.append_with(lease, expected, at, events, AppendOptions::default()).await
    }

    /// Appends as [`Store::append`] does, but without waiting for the disk: the
    /// events outlive this process at once, and a power cut only together with
    /// the next append that waits. For events that are a pity to lose and no more.
    pub async fn append_soon(
        &self,
        lease: &Lease,
        expected: u64,
        at: i64,
        events: &[Event],
    ) -> Result<u64, StoreError> {
        let options =
            AppendOptions { durability: Some(Durability::Kill), ..AppendOptions::default() };
        self.append_with(lease, expected, at, events, options).await
    }

    /// Appends as [`Store::append`] does, unless the calls that the events announce
    /// might pass a limit: then nothing is written and the error is
    /// [`StoreError::Budget`] or [`StoreError::Unpriced`].
    pub async fn append_reserving(
        &self,
        lease: &Lease,
        expected: u64,
        at: i64,
        events: &[Event],
        caps: SpendingCaps,
    ) -> Result<u64, StoreError> {
        let options = AppendOptions { caps: Some(caps), ..AppendOptions::default() };
        self.append_with(lease, expected, at, events, options).await
    }

    /// Appends as [`Store::append`] does, and in the same commit marks the commands
    /// up to `handled` as obeyed, so that none is obeyed twice after a crash. With
    /// no events it only marks them.
    pub async fn append_handled(
        &self,
        lease: &Lease,
        expected: u64,
        at: i64,
        events: &[Event],
        handled: u64,
    ) -> Result<u64, StoreError> {
        let options = AppendOptions { handled: Some(handled), ..AppendOptions::default() };
        self.append_with(lease, expected, at, events, options).await
    }

    async fn append_with(
        &self,
        lease: &Lease,
        expected: u64,
        at: i64,
        events: &[Event],
        options: AppendOptions,
    ) -> Result<u64, StoreError> {
        let events = NewEvents::of(&lease.id, expected, at, events)?;
        let AppendOptions { caps, handled, durability } = options;
        let append = LogAppend { lease: lease.clone(), expected, events, caps, handled };
        let durability = durability.unwrap_or(Durability::PowerCut);
        self.write_by(WriteRequest::Append(append), durability).await
    }

    /// Returns the whole log of a debate, in order, every hash checked.
    pub async fn log(&self, id: &str) -> Result<Vec<LogEntry>, StoreError> {
        self.log_after(id, 0).await
    }

    /// Returns the entries after entry `seq`.
    pub async fn log_after(&self, id: &str, seq: u64) -> Result<Vec<LogEntry>, StoreError> {
        engine!(self, engine => engine.log_after(id, seq).await)
    }

    /// Returns the whole log exactly as it is stored, every hash checked.
    pub async fn sealed_log(&self, id: &str) -> Result<Vec<SealedEntry>, StoreError> {
        engine!(self, engine => engine.sealed_log(id).await)
    }

    /// Imports a debate that was held elsewhere, entry for entry, under an id that
    /// must be free. Every hash must fit the id. Its cost is not in the books: it
    /// was spent elsewhere. Durable when it returns.
    pub async fn import(&self, id: &str, log: Vec<SealedEntry>) -> Result<u64, StoreError> {
        self.import_for(id, log, self.owner()).await
    }

    /// Removes a debate with its whole log, unless a process runs it.
    pub async fn delete(&self, id: &str, now: i64) -> Result<(), StoreError> {
        self.write(WriteRequest::Delete { id: id.into(), now }).await.map(drop)
    }
}

/// Listings and sums.
impl Store {
    /// Returns one debate's row in the listing, by its whole id.
    pub async fn get(&self, id: &str) -> Result<ListedDebate, StoreError> {
        engine!(self, engine => engine.get(id).await)
    }

    /// Returns the debate with this id, or the only one whose id begins so. `@1` is the
    /// newest debate, `@2` the one before it.
    pub async fn find(&self, start: &str) -> Result<ListedDebate, StoreError> {
        let place = start.trim().strip_prefix('@').and_then(|place| place.parse::<u32>().ok());
        let Some(place) = place.filter(|place| *place > 0) else {
            return engine!(self, engine => engine.find(start).await);
        };
        let filter = ListFilter { limit: Some(place), ..ListFilter::default() };
        let mut newest = self.list(&filter).await?;
        if newest.len() == place as usize
            && let Some(found) = newest.pop()
        {
            return Ok(found);
        }
        let hint = |row: ListedDebate| DebateHint { id: row.id, topic: row.topic };
        let recent = newest.into_iter().take(MOST_HINTS).map(hint).collect();
        Err(StoreError::Unknown { asked: start.into(), recent })
    }

    /// Returns the debates that fit, newest first.
    pub async fn list(&self, filter: &ListFilter) -> Result<Vec<ListedDebate>, StoreError> {
        engine!(self, engine => engine.list(filter).await)
    }

    /// Returns the debates that come after another, each behind the id of that one:
    /// those after `earlier`, or all.
    pub async fn followers(
        &self,
        earlier: Option<&str>,
    ) -> Result<Vec<(String, String)>, StoreError> {
        engine!(self, engine => engine.followers(earlier).await)
    }

    /// Returns the spending of this debate and of the day if every request that is
    /// on its way turned out to cost nothing, and that of the debate's owner. A call
    /// whose process is gone counts with all that is reserved for it. Without an id: of
    /// the day and the person of this handle.
    pub async fn least_spending(&self, id: &str, now: i64) -> Result<LeastSpending, StoreError> {
        let owner = match id {
            "" => self.reach().person.clone(),
            id => self.get(id).await?.owner,
        };
        let spender = Spender { debate: id, owner: owner.as_deref() };
        engine!(self, engine => engine.least_spending(spender, now).await)
    }

    /// Returns all spending, added up, in the order of the keys; days and debates
    /// newest first.
    pub async fn costs(&self, by: CostsBy) -> Result<Vec<CostLine>, StoreError> {
        engine!(self, engine => engine.costs(by).await)
    }

    /// Returns the tokens that came from providers' caches, by key and model, in the
    /// order of the keys.
    pub async fn cached(&self, by: CostsBy) -> Result<Vec<CachedLine>, StoreError> {
        engine!(self, engine => engine.cached(by).await)
    }
}

/// Leases and commands.
impl Store {
    /// Takes the lease on a debate until `now + lease_ms`. Refused while another
    /// runs, even of the same owner: two tasks of one process must not both run a
    /// debate. `owner` is shown to others; it must name the process.
    pub async fn claim_run(
        &self,
        id: &str,
        owner: &str,
        lease_ms: i64,
        now: i64,
    ) -> Result<Lease, StoreError> {
        let until = now.saturating_add(lease_ms);
        let term = LeaseTerm { until, ..LeaseTerm::default() };
        self.lease(id, owner, term, LeaseCondition::Free { now }).await
    }

    /// Takes the lease on a debate over the one of epoch `epoch`, which the caller
    /// has judged to be over: given back, run out, or held by a dead process. If
    /// another process was faster, the stored lease has a newer epoch and this one
    /// is refused. Epoch 0: none was ever granted.
    pub async fn take_over_run(
        &self,
        id: &str,
        owner: &str,
        term: LeaseTerm,
        epoch: u64,
    ) -> Result<Lease, StoreError> {
        self.lease(id, owner, term, LeaseCondition::Over { epoch }).await
    }

    async fn lease(
        &self,
        id: &str,
        owner: &str,
        term: LeaseTerm,
        condition: LeaseCondition,
    ) -> Result<Lease, StoreError> {
        let request = LeaseRequest { id: id.into(), owner: owner.into(), term, condition };
        let epoch = self.write(WriteRequest::Lease(request)).await?;
        Ok(Lease { id: id.into(), owner: owner.into(), epoch })
    }

    /// Keeps a lease until the end of this term.
    pub async fn renew_run(&self, lease: &Lease, term: LeaseTerm) -> Result<(), StoreError> {
        self.write(WriteRequest::Renew { lease: lease.clone(), term }).await.map(drop)
    }

    /// Gives a lease back; it can no longer write.
    pub async fn release_run(&self, lease: &Lease) -> Result<(), StoreError> {
        self.write(WriteRequest::Release { lease: lease.clone() }).await.map(drop)
    }

    /// Returns the stored lease of a debate. The caller judges if it is over.
    pub async fn lease_of(&self, id: &str) -> Result<LeaseView, StoreError> {
        engine!(self, engine => engine.lease_of(id).await)
    }

    /// Returns the active debates with their stored leases, oldest first.
    pub async fn active_leases(&self) -> Result<Vec<(String, LeaseView)>, StoreError> {
        engine!(self, engine => engine.active_leases().await)
    }

    /// Leaves a command for the process that runs the debate. Returns its number.
    pub async fn send(&self, id: &str, at: i64, command: DebateCommand) -> Result<u64, StoreError> {
        self.write(WriteRequest::Command { id: id.into(), at, command }).await
    }

    /// Marks a command as seen and not obeyed, with the reason for its sender.
    pub async fn refuse(&self, lease: &Lease, number: u64, why: &str) -> Result<(), StoreError> {
        let (lease, why) = (lease.clone(), why.into());
        self.write(WriteRequest::Refuse { lease, number, why }).await.map(drop)
    }

    /// Returns the result of a command.
    pub async fn fate(&self, id: &str, number: u64) -> Result<CommandFate, StoreError> {
        engine!(self, engine => engine.fate(id, number).await)
    }

    /// Returns the commands of one debate that were not handled yet, in order.
    pub async fn pending(&self, id: &str) -> Result<Vec<PendingCommand>, StoreError> {
        engine!(self, engine => engine.pending(Some(id)).await)
    }

    /// Returns the commands of all debates that were not handled yet.
    pub async fn pending_everywhere(&self) -> Result<Vec<PendingCommand>, StoreError> {
        engine!(self, engine => engine.pending(None).await)
    }
}

/// Outcomes of decisions.
impl Store {
    /// Writes records about how decisions turned out, all or none, and returns the
    /// number of the last. No debate needs to be there: a record outlives it.
    pub async fn note_outcomes(&self, at: i64, notes: &[NewOutcome]) -> Result<u64, StoreError> {
        let rows: Result<Vec<_>, StoreError> =
            notes.iter().map(|note| OutcomeRow::of(note, at)).collect();
        self.write(WriteRequest::Outcomes(rows?)).await
    }

    /// Returns the records of one debate, or of all, oldest first.
    pub async fn outcomes(&self, id: Option<&str>) -> Result<Vec<StoredOutcome>, StoreError> {
        engine!(self, engine => engine.outcomes(id).await)
    }

    /// Returns every finished debate with its project and domain, newest first.
    pub async fn finished(&self) -> Result<Vec<FinishedDebate>, StoreError> {
        engine!(self, engine => engine.finished().await)
    }
}
