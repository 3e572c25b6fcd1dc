//! Carries out one write request inside a transaction that the writer holds. It
//! looks first and writes last, so that a refused request has left nothing behind; an append to a
//! debate that is known looks with its first write.

use sqlx::sqlite::SqliteConnection;

use super::known::KnownDebates;
use super::packing::EventPacker;
use super::statements::script::SqlScript;
use super::tables::debates::KnownRow;
use super::tables::words::{self, KeptTexts, WaitingCount};
use super::tables::{calls, commands, debates, events, outcomes, people, runs};
use super::{books, state};
use crate::error::StoreError;
use crate::lease::{LeaseRequest, LeaseTerm};
use crate::listing::ListedDebate;
use crate::log_row::signed;
use crate::request::debate_state::DebateState;
use crate::request::{ImportedLog, LeaseTurn, LogAppend, NewDebate, WriteRequest, not_opened};
use crate::search::INDEXED_KIND;
use crate::spending::{CallOwner, CallRow, SpendingState};

/// The begin and the end of a transaction, as far as its one request sends them along
/// with its own statements. Most transactions hold one request, and the way to SQLite's
/// thread costs more than the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransactionEnds {
    /// The request begins and commits; a request that is refused leaves the transaction
    /// open.
    Own,
    /// The writer begins and commits.
    Writer,
}

impl TransactionEnds {
    fn begin(self) -> SqlScript {
        let mut script = SqlScript::default();
        if self == TransactionEnds::Own {
            script.say("BEGIN IMMEDIATE");
        }
        script
    }

    fn commit(self, script: &mut SqlScript) {
        if self == TransactionEnds::Own {
            script.say("COMMIT");
        }
    }
}

/// What the writer keeps from one request to the next.
#[derive(Default)]
pub(crate) struct WriterMemory {
    known: KnownDebates,
    packer: EventPacker,
    /// The debates that have come to wait for their words to be indexed.
    pub(crate) waiting: WaitingCount,
    texts: KeptTexts,
}

impl WriterMemory {
    fn note(&mut self, log: &LogAppend) {
        self.waiting.add(log.events.change.rests());
        self.texts.keep(&log.events.entries);
    }
}

/// Returns whether a request can be a whole transaction.
pub(crate) fn is_whole(request: &WriteRequest) -> bool {
    use WriteRequest::{Append, Create, Lease};
    matches!(request, Create(_) | Append(_) | Lease(_))
}

/// Returns whether a request is one statement, which is a transaction by itself.
pub(crate) fn is_one_statement(request: &WriteRequest) -> bool {
    matches!(request, WriteRequest::Renew { .. } | WriteRequest::Release { .. })
}

/// Returns a number whose meaning depends on the request: the last entry, the
/// epoch, the number of the command.
pub(crate) async fn run(
    request: &WriteRequest,
    (connection, memory): (&mut SqliteConnection, &mut WriterMemory),
    ends: TransactionEnds,
) -> Result<u64, StoreError> {
    match request {
        WriteRequest::Create(debate) => create((connection, memory), debate, ends).await,
        WriteRequest::Append(log) => append((connection, memory), log, ends).await,
        WriteRequest::Import(log) => import((connection, memory), log).await,
        WriteRequest::Lease(request) => lease(connection, request, ends).await,
        WriteRequest::Renew { lease, term } => {
            runs::change(connection, lease, Some(&lease.owner), *term).await
        }
        WriteRequest::Release { lease } => {
            memory.known.forget(&lease.id);
            runs::change(connection, lease, None, LeaseTerm::default()).await
        }
        WriteRequest::Command { id, at, command } => {
            plain_state(connection, id).await?.must_exist(id)?;
            commands::send(connection, id, *at, command).await
        }
        WriteRequest::Refuse { lease, number, why } => {
            plain_state(connection, &lease.id).await?.must_hold(lease)?;
            commands::refuse(connection, &lease.id, *number, why).await?;
            Ok(*number)
        }
        WriteRequest::Delete { id, now } => {
            memory.known.forget(id);
            delete(connection, id, *now).await
        }
        WriteRequest::Outcomes(rows) => outcomes::write(connection, rows).await,
        WriteRequest::Books(page) => books::write(connection, page).await,
        WriteRequest::IndexWords => words::enter_waiting(connection, &mut memory.texts).await,
        WriteRequest::People(write) => people::write(connection, write).await,
        WriteRequest::Share { id, shared } => share(connection, id, *shared).await,
    }
}

async fn share(
    connection: &mut SqliteConnection,
    id: &str,
    shared: bool,
) -> Result<u64, StoreError> {
    let mut row = plain_state(connection, id).await?.take_row(id)?;
    row.shared = shared;
    let mut script = SqlScript::default();
    debates::update(&mut script, &row, None, None);
    script.run(connection).await?;
    Ok(row.last_seq)
}

/// The state without accounts and calls.
async fn plain_state(
    connection: &mut SqliteConnection,
    id: &str,
) -> Result<DebateState, StoreError> {
    state::read((SqlScript::default(), connection), id, None, &[]).await
}

async fn create(
    (connection, memory): (&mut SqliteConnection, &mut WriterMemory),
    debate: &NewDebate,
    ends: TransactionEnds,
) -> Result<u64, StoreError> {
    let NewDebate { id, events, owner } = debate;
    let (row, asks) = (events.change.begin(id, events.at), events.calls.asks());
    let (mut script, mut spending) = (ends.begin(), SpendingState::default());
    // A debate of this name that was deleted has left its calls. A refusal needs the transaction.
    if row.is_none() || !asks.is_empty() {
        let state = state::read((std::mem::take(&mut script), &mut *connection), id, None, &asks);
        let state = state.await?;
        state.must_not_exist(id)?;
        spending = state.spending;
    }
    let mut row = row.ok_or_else(|| not_opened(id))?;
    owner.enter(&mut row);
    spending.owner = CallOwner::of_new(owner.owner.as_deref());
    row.last_seq = events.entries.len() as u64;
    // The row comes first: where there is one already, nothing is written.
    debates::insert(&mut script, &row, events.change.words());
    events::write((&mut script, &mut memory.packer), id, events.at, &events.entries);
    calls::write(&mut script, id, &events.calls.plan(id, &mut spending));
    let is_said = events.entries.iter().any(|entry| entry.kind == INDEXED_KIND);
    if is_said {
        words::wait(&mut script, id);
    }
    ends.commit(&mut script);
    if !script.run_if_new(connection).await? {
        return Err(StoreError::Exists { id: id.clone() });
    }
    memory.waiting.add(is_said);
    memory.texts.keep(&events.entries);
    let last = row.last_seq;
    memory.known.keep(id, None, row, spending.calls);
    Ok(last)
}

async fn append(
    (connection, memory): (&mut SqliteConnection, &mut WriterMemory),
    log: &LogAppend,
    ends: TransactionEnds,
) -> Result<u64, StoreError> {
    let id = &log.lease.id;
    let mut calls = Vec::new();
    let mut before = memory.known.take(log);
    let most = before.as_ref().and_then(|before| before.is_enough_for(log));
    if let Some((most, before)) = most.and_then(|most| Some((most, before.take()?))) {
        let claim = log.claim().filter(|_| before.lease.is_none());
        let spending = SpendingState { calls: before.calls, ..SpendingState::default() };
        let mut appended = AppendedDebate { row: before.row, spending };
        let known = RowGuard::AsKnown(claim.as_ref(), &most);
        let script = appended.write((log, &mut memory.packer), ends, known);
        if script.run_guarded(connection).await? {
            memory.note(log);
            return Ok(appended.remember(&mut memory.known, log));
        }
        // Another process was here, or a budget is used up. A statement that fails leaves its
        // transaction open.
        if ends == TransactionEnds::Own {
            sqlx::query("ROLLBACK").execute(&mut *connection).await?;
        }
    }
    let begin = (ends.begin(), &mut *connection);
    let budgeted = log.caps.map(|_| &log.events.calls);
    let mut state = state::read(begin, id, budgeted, &log.events.calls.asks()).await?;
    let row = state.take_row(id)?;
    let claim = state.admit(log, row.last_seq)?;
    if let Some(caps) = &log.caps {
        log.events.calls.check(id, caps, &state.spending)?;
    }
    if let Some(before) = before.filter(|before| before.row == row) {
        calls.extend(before.calls);
    }
    let mut appended = AppendedDebate { row, spending: state.spending };
    let read = RowGuard::WasRead(claim.as_ref());
    let script = appended.write((log, &mut memory.packer), ends, read);
    script.run(connection).await?;
    memory.note(log);
    let is_new = |call: &CallRow| !appended.spending.calls.iter().any(|one| one.ask == call.ask);
    calls.retain(is_new);
    appended.spending.calls.extend(calls);
    Ok(appended.remember(&mut memory.known, log))
}

/// A debate that is appended to.
struct AppendedDebate {
    row: ListedDebate,
    spending: SpendingState,
}

/// Whether the statement that changes a debate's row is to find out if it may.
#[derive(Clone, Copy)]
enum RowGuard<'c> {
    /// The row was read in this transaction, and this lease is to be taken.
    WasRead(Option<&'c LeaseRequest>),
    /// The row and the lease must be as they are known, or the lease is to be taken as the first of
    /// its debate; and accounts may hold no more than this.
    AsKnown(Option<&'c LeaseRequest>, &'c [(String, i64)]),
}

impl AppendedDebate {
    fn write(
        &mut self,
        (log, packer): (&LogAppend, &mut EventPacker),
        ends: TransactionEnds,
        guard: RowGuard<'_>,
    ) -> SqlScript {
        let (id, events) = (&log.lease.id, &log.events);
        let (mut script, claim, known) = match guard {
            RowGuard::WasRead(claim) => (SqlScript::default(), claim, None),
            RowGuard::AsKnown(claim, most) => {
                let lease = claim.is_none().then_some(&log.lease);
                (ends.begin(), claim, Some(KnownRow { hash: self.row.hash(), lease, most }))
            }
        };
        events.change.apply(&mut self.row, events.at, events.entries.len());
        // The row comes first: where it may not be changed, nothing is written.
        debates::update(&mut script, &self.row, events.change.status(), known);
        events::write((&mut script, packer), id, events.at, &events.entries);
        calls::write(&mut script, id, &events.calls.plan(id, &mut self.spending));
        if let Some(number) = log.handled {
            commands::obey(&mut script, id, number);
        }
        if events.change.rests() {
            words::wait(&mut script, id);
        }
        if let Some(claim) = claim {
            runs::write(&mut script, claim, signed(log.lease.epoch));
        }
        if log.turn == LeaseTurn::GivesBack {
            runs::give_back(&mut script, &log.lease);
        }
        ends.commit(&mut script);
        script
    }

    fn remember(self, known: &mut KnownDebates, log: &LogAppend) -> u64 {
        let last = self.row.last_seq;
        if log.turn != LeaseTurn::GivesBack {
            known.keep(&log.lease.id, Some(&log.lease), self.row, self.spending.calls);
        }
        last
    }
}

async fn import(
    (connection, memory): (&mut SqliteConnection, &mut WriterMemory),
    log: &ImportedLog,
) -> Result<u64, StoreError> {
    let id = &log.id;
    let plain = (SqlScript::default(), &mut *connection);
    let mut state = state::read(plain, id, None, &log.parties.asks()).await?;
    state.must_not_exist(id)?;
    let mut row = log.change.begin(id, log.begun()).ok_or_else(|| not_opened(id))?;
    log.owner.enter(&mut row);
    row.last_seq = log.log.len() as u64;
    row.updated = log.updated();
    let mut script = SqlScript::default();
    debates::insert(&mut script, &row, log.change.words());
    calls::write(&mut script, id, &log.parties.plan(id, &mut state.spending));
    words::wait(&mut script, id);
    script.run(connection).await?;
    for some in log.log.chunks(events::ENTRIES_PER_SCRIPT) {
        let mut script = SqlScript::default();
        events::write_sealed((&mut script, &mut memory.packer), id, some);
        script.run(connection).await?;
    }
    memory.waiting.add(true);
    Ok(row.last_seq)
}

async fn lease(
    connection: &mut SqliteConnection,
    request: &LeaseRequest,
    ends: TransactionEnds,
) -> Result<u64, StoreError> {
    let begin = (ends.begin(), &mut *connection);
    let state = state::read(begin, &request.id, None, &[]).await?;
    state.must_exist(&request.id)?;
    let epoch = request.grant(state.lease.as_ref())?;
    let mut script = SqlScript::default();
    runs::write(&mut script, request, epoch);
    ends.commit(&mut script);
    script.run(connection).await?;
    Ok(u64::try_from(epoch).unwrap_or(0))
}

/// Refuses while a process runs the debate.
async fn delete(connection: &mut SqliteConnection, id: &str, now: i64) -> Result<u64, StoreError> {
    let state = plain_state(connection, id).await?;
    state.must_exist(id)?;
    if let Some(lease) = &state.lease {
        lease.refuse_until(id, now)?;
    }
    // What is refused has written nothing.
    events::must_be_own(connection, id).await?;
    words::forget(connection, id).await?;
    let mut rows = events::delete(connection, id).await?;
    for sql in [
        "DELETE FROM commands WHERE debate_id = $1",
        "DELETE FROM parties WHERE debate_id = $1",
        "DELETE FROM runs WHERE debate_id = $1",
        "DELETE FROM debates WHERE id = $1",
    ] {
        rows += sqlx::query(sql).bind(id).execute(&mut *connection).await?.rows_affected();
    }
    Ok(rows)
}
