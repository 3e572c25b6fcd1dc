//! Carries out one write request in a transaction of its own. It looks first and writes last,
//! and a request that is refused is rolled back, so that it leaves nothing behind.

use std::time::Duration;

use sqlx::Connection as _;
use sqlx::postgres::{PgConnection, PgPool};
use tokio::time::timeout;

use super::tables::{calls, commands, debates, events, outcomes, people, runs};
use super::{books, state};
use crate::error::StoreError;
use crate::lease::{LeaseRequest, LeaseTerm};
use crate::log_row::signed;
use crate::request::debate_state::DebateState;
use crate::request::{ImportedLog, LeaseTurn, LogAppend, NewDebate, WriteRequest, not_opened};
use crate::spending::CallOwner;

/// A write that takes longer is given up with its connection: a network that swallows what it is
/// given would hold up a lease until it has run out.
const MOST_TIME: Duration = Duration::from_secs(12);
/// Whole logs take longer, and no lease depends on them.
const MOVING_TIME: Duration = Duration::from_secs(600);

/// Returns a number whose meaning depends on the request: the last entry, the epoch, the number
/// of the command.
pub(crate) async fn perform(pool: &PgPool, request: &WriteRequest) -> Result<u64, StoreError> {
    let mut held = pool.acquire().await?;
    let written = async {
        let mut transaction = held.begin().await?;
        let answer = run(request, &mut transaction).await?;
        transaction.commit().await?;
        Ok(answer)
    };
    let moves = matches!(request, WriteRequest::Import(_) | WriteRequest::Books(_));
    match timeout(if moves { MOVING_TIME } else { MOST_TIME }, written).await {
        Ok(answer) => answer,
        Err(_) => {
            held.close_on_drop();
            Err(StoreError::Away { what: "a write was not answered in time".into() })
        }
    }
}

async fn run(request: &WriteRequest, connection: &mut PgConnection) -> Result<u64, StoreError> {
    match request {
        WriteRequest::Create(debate) => create(connection, debate).await,
        WriteRequest::Append(log) => append(connection, log).await,
        WriteRequest::Import(log) => import(connection, log).await,
        WriteRequest::Lease(request) => lease(connection, request).await,
        WriteRequest::Renew { lease, term } => {
            runs::change(connection, lease, Some(&lease.owner), *term).await
        }
        WriteRequest::Release { lease } => {
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
        WriteRequest::Delete { id, now } => delete(connection, id, *now).await,
        WriteRequest::Outcomes(rows) => outcomes::write(connection, rows).await,
        WriteRequest::Books(page) => books::write(connection, page).await,
        // Words enter this index with their answers.
        WriteRequest::IndexWords => Ok(0),
        WriteRequest::People(write) => people::write_alone(connection, write).await,
        WriteRequest::Share { id, shared } => {
            let mut row = plain_state(connection, id).await?.take_row(id)?;
            row.shared = *shared;
            debates::update(connection, &row).await?;
            Ok(row.last_seq)
        }
    }
}

/// The state without accounts and calls.
async fn plain_state(connection: &mut PgConnection, id: &str) -> Result<DebateState, StoreError> {
    state::read(connection, id, None, &[]).await
}

async fn create(connection: &mut PgConnection, debate: &NewDebate) -> Result<u64, StoreError> {
    let NewDebate { id, events, owner } = debate;
    let mut state = state::read(connection, id, None, &events.calls.asks()).await?;
    state.must_not_exist(id)?;
    let mut row = events.change.begin(id, events.at).ok_or_else(|| not_opened(id))?;
    owner.enter(&mut row);
    state.spending.owner = CallOwner::of_new(owner.owner.as_deref());
    row.last_seq = events.entries.len() as u64;
    debates::insert(connection, &row, events.change.words()).await?;
    events::write(connection, id, events.at, &events.entries).await?;
    calls::write(connection, id, &events.calls.plan(id, &mut state.spending)).await?;
    Ok(row.last_seq)
}

async fn append(connection: &mut PgConnection, log: &LogAppend) -> Result<u64, StoreError> {
    let (id, events) = (&log.lease.id, &log.events);
    let budgeted = log.caps.map(|_| &events.calls);
    let mut state = state::read(connection, id, budgeted, &events.calls.asks()).await?;
    let mut row = state.take_row(id)?;
    let claim = state.admit(log, row.last_seq)?;
    if let Some(caps) = &log.caps {
        events.calls.check(id, caps, &state.spending)?;
    }
    events::write(connection, id, events.at, &events.entries).await?;
    calls::write(connection, id, &events.calls.plan(id, &mut state.spending)).await?;
    events.change.apply(&mut row, events.at, events.entries.len());
    debates::update(connection, &row).await?;
    if let Some(number) = log.handled {
        commands::obey(connection, id, number).await?;
    }
    if let Some(claim) = claim {
        runs::write(connection, &claim, signed(log.lease.epoch)).await?;
    }
    if log.turn == LeaseTurn::GivesBack {
        runs::change(connection, &log.lease, None, LeaseTerm::default()).await?;
    }
    Ok(row.last_seq)
}

async fn import(connection: &mut PgConnection, log: &ImportedLog) -> Result<u64, StoreError> {
    let id = &log.id;
    let mut state = state::read(connection, id, None, &log.parties.asks()).await?;
    state.must_not_exist(id)?;
    let mut row = log.change.begin(id, log.begun()).ok_or_else(|| not_opened(id))?;
    log.owner.enter(&mut row);
    row.last_seq = log.log.len() as u64;
    row.updated = log.updated();
    debates::insert(connection, &row, log.change.words()).await?;
    calls::write(connection, id, &log.parties.plan(id, &mut state.spending)).await?;
    events::write_sealed(connection, id, &log.log).await?;
    Ok(row.last_seq)
}

async fn lease(connection: &mut PgConnection, request: &LeaseRequest) -> Result<u64, StoreError> {
    let state = plain_state(connection, &request.id).await?;
    state.must_exist(&request.id)?;
    let epoch = request.grant(state.lease.as_ref())?;
    runs::write(connection, request, epoch).await?;
    Ok(u64::try_from(epoch).unwrap_or(0))
}

/// Refuses while a process runs the debate.
async fn delete(connection: &mut PgConnection, id: &str, now: i64) -> Result<u64, StoreError> {
    let state = plain_state(connection, id).await?;
    state.must_exist(id)?;
    if let Some(lease) = &state.lease {
        lease.refuse_until(id, now)?;
    }
    let mut rows = 0;
    for sql in [
        "DELETE FROM commands WHERE debate_id = $1",
        "DELETE FROM parties WHERE debate_id = $1",
        "DELETE FROM runs WHERE debate_id = $1",
        "DELETE FROM events WHERE debate_id = $1",
        "DELETE FROM debates WHERE id = $1",
    ] {
        rows += sqlx::query(sql).bind(id).execute(&mut *connection).await?.rows_affected();
    }
    Ok(rows)
}
