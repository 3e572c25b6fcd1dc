//! The engine for a team: PostgreSQL, on which any number of nodes work at once. Every write
//! is a transaction of its own that first locks the row of its debate, so that requests for
//! different debates do not wait for each other. Rows, hashes and rules are those of the file.

mod books;
mod changes;
mod check;
mod schema;
mod server_error;
mod state;
mod tables;
mod words;
mod work;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::postgres::PgPool;

use crate::address::ServerAddress;
use crate::error::{Damage, StoreError};
use crate::lease::{DebateStanding, LeaseView};
use crate::listing::{ListFilter, ListedDebate};
use crate::log_row::{LogEntry, SealedEntry};
use crate::mailbox::{CommandFate, PendingCommand};
use crate::moving::books::BookRows;
use crate::outcomes::{FinishedDebate, StoredOutcome};
use crate::people::{AuditEntry, NamedToken, Person, Reach, TokenHash};
use crate::request::{Durability, WriteRequest};
use crate::spending::{CachedLine, CostLine, CostsBy, LeastSpending, Spender};

pub(crate) use changes::ServerSnapshot;
pub(crate) use server_error::meaning;
use tables::{calls, commands, debates, events, outcomes, people, runs};

/// How often a transaction is tried that another one was in the way of.
const MOST_TRIES: usize = 5;

/// A database of debates on a server.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    address: Arc<ServerAddress>,
    pool: PgPool,
    /// Connections for leases alone: many writers at once cost no node its debates.
    leases: PgPool,
    commits: Arc<AtomicU64>,
    /// The debates that this handle reaches.
    reach: Arc<Reach>,
}

impl PostgresStore {
    /// Opens the database and brings its tables up to date.
    pub(crate) async fn open(address: &ServerAddress) -> Result<PostgresStore, StoreError> {
        let pool = schema::connect(address).await?;
        schema::migrate(&pool, address).await?;
        Ok(PostgresStore::on(pool, address))
    }

    /// Opens a database that must be there.
    pub(crate) async fn open_existing(
        address: &ServerAddress,
    ) -> Result<PostgresStore, StoreError> {
        let pool = schema::connect(address).await?;
        schema::must_exist(&pool, address).await?;
        Ok(PostgresStore::on(pool, address))
    }

    fn on(pool: PgPool, address: &ServerAddress) -> PostgresStore {
        let (leases, address) = (schema::beside(&pool), Arc::new(address.clone()));
        let (commits, reach) = (Arc::default(), Arc::default());
        PostgresStore { address, pool, leases, commits, reach }
    }

    pub(crate) fn address(&self) -> &ServerAddress {
        &self.address
    }

    pub(crate) async fn close(&self) {
        self.pool.close().await;
        self.leases.close().await;
    }

    /// Carries out one request. A commit on the server has reached its disk, so every write
    /// survives a power cut; see `work` for the meaning of the number.
    pub(crate) async fn write(
        &self,
        request: WriteRequest,
        _durability: Durability,
    ) -> Result<u64, StoreError> {
        let renews = matches!(request, WriteRequest::Renew { .. });
        let pool = if renews { &self.leases } else { &self.pool };
        let mut tries = 0;
        let answer = loop {
            tries += 1;
            match work::perform(pool, &request).await {
                // Another transaction was in the way, and nothing was written.
                Err(StoreError::Locked) if tries < MOST_TRIES => {}
                answer => break answer,
            }
        };
        if answer.is_ok() {
            self.commits.fetch_add(1, Ordering::Relaxed);
        }
        match answer {
            Err(StoreError::Unknown { asked, .. }) => {
                Err(debates::unknown(&self.pool, &self.reach, &asked).await?)
            }
            answer => answer,
        }
    }

    pub(crate) async fn log_after(&self, id: &str, seq: u64) -> Result<Vec<LogEntry>, StoreError> {
        events::log_after(&self.pool, &self.reach, id, seq).await
    }

    pub(crate) async fn sealed_log(&self, id: &str) -> Result<Vec<SealedEntry>, StoreError> {
        events::sealed_log(&self.pool, &self.reach, id).await
    }

    pub(crate) async fn get(&self, id: &str) -> Result<ListedDebate, StoreError> {
        debates::get(&self.pool, &self.reach, id).await
    }

    pub(crate) async fn find(&self, start: &str) -> Result<ListedDebate, StoreError> {
        debates::find(&self.pool, &self.reach, start).await
    }

    pub(crate) async fn list(&self, filter: &ListFilter) -> Result<Vec<ListedDebate>, StoreError> {
        debates::list(&self.pool, &self.reach, filter).await
    }

    pub(crate) async fn followers(
        &self,
        earlier: Option<&str>,
    ) -> Result<Vec<(String, String)>, StoreError> {
        debates::followers(&self.pool, &self.reach, earlier).await
    }

    pub(crate) async fn lease_of(&self, id: &str) -> Result<LeaseView, StoreError> {
        runs::of(&self.pool, id).await
    }

    pub(crate) async fn standing(&self, id: &str) -> Result<Option<DebateStanding>, StoreError> {
        runs::standing(&self.pool, id).await
    }

    pub(crate) async fn active_leases(&self) -> Result<Vec<(String, LeaseView)>, StoreError> {
        runs::of_active(&self.pool).await
    }

    pub(crate) async fn pending(
        &self,
        id: Option<&str>,
    ) -> Result<Vec<PendingCommand>, StoreError> {
        commands::pending(&self.pool, id).await
    }

    pub(crate) async fn fate(&self, id: &str, number: u64) -> Result<CommandFate, StoreError> {
        commands::fate(&self.pool, &self.reach, id, number).await
    }

    pub(crate) fn changes(&self) -> ServerSnapshot {
        ServerSnapshot::new(self.pool.clone())
    }

    pub(crate) async fn least_spending(
        &self,
        spender: Spender<'_>,
        now: i64,
    ) -> Result<LeastSpending, StoreError> {
        calls::least_spending(&self.pool, spender, now).await
    }

    pub(crate) async fn costs(&self, by: CostsBy) -> Result<Vec<CostLine>, StoreError> {
        calls::costs(&self.pool, &self.reach, by).await
    }

    pub(crate) async fn cached(&self, by: CostsBy) -> Result<Vec<CachedLine>, StoreError> {
        calls::cached(&self.pool, &self.reach, by).await
    }

    pub(crate) async fn outcomes(
        &self,
        id: Option<&str>,
    ) -> Result<Vec<StoredOutcome>, StoreError> {
        outcomes::read(&self.pool, &self.reach, id).await
    }

    pub(crate) async fn finished(&self) -> Result<Vec<FinishedDebate>, StoreError> {
        outcomes::finished(&self.pool, &self.reach).await
    }

    /// The server looks after its own files.
    pub(crate) async fn quick_check(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    pub(crate) async fn check(&self) -> Result<Vec<Damage>, StoreError> {
        check::check(&self.pool).await
    }

    /// A server is backed up with its own tools.
    pub(crate) async fn backup(&self, _to: &Path) -> Result<(), StoreError> {
        Err(StoreError::NotAFile { server: self.address.to_string() })
    }

    pub(crate) async fn book_rows(
        &self,
        table: usize,
        from: usize,
        most: usize,
    ) -> Result<BookRows, StoreError> {
        books::read(&self.pool, table, from, most).await
    }

    pub(crate) fn reaching(&self, reach: Reach) -> PostgresStore {
        PostgresStore { reach: Arc::new(reach), ..self.clone() }
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }

    pub(crate) async fn people(&self) -> Result<Vec<Person>, StoreError> {
        people::people(&self.pool).await
    }

    pub(crate) async fn tokens(&self, person: &str) -> Result<Vec<NamedToken>, StoreError> {
        people::tokens(&self.pool, person).await
    }

    pub(crate) async fn by_token(
        &self,
        hash: &TokenHash,
        now: i64,
    ) -> Result<Option<Person>, StoreError> {
        people::by_token(&self.pool, hash, now).await
    }

    pub(crate) async fn audit(&self, most: u32) -> Result<Vec<AuditEntry>, StoreError> {
        people::audit(&self.pool, most).await
    }

    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}
