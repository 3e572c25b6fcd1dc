//! The SQLite engine: one file, one task that writes, a few connections that
//! only read. Nothing outside this folder knows SQL. Each file uses only those
//! above it:
//!
//! | file | content |
//! |---|---|
//! | `sql_error` | the meaning of SQLite's result codes |
//! | `format` | the marks of our file, its migrations |
//! | `file` | recognising the file, making a new one, keeping it private |
//! | `schema` | connections, pragmas, migrating |
//! | `statements/` | several statements sent as one, reading rows |
//! | `packing` | the text of an event as it lies in the file |
//! | `tables/` | the statements of each table |
//! | `state` | the state of one debate under the write lock |
//! | `known` | the debates that were written last, for appends that need not look |
//! | `work` | carrying out one write request |
//! | `writer` | the one task that writes, many requests per commit |
//! | `check`, `backup`, `changes` | checks, copies, noticing writes |

mod backup;
mod books;
mod changes;
mod check;
mod file;
mod format;
mod known;
mod packing;
mod schema;
mod sql_error;
mod state;
mod statements;
mod tables;
mod work;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::sqlite::SqlitePool;
#[cfg(debug_assertions)]
use sqlx::sqlite::SqliteSynchronous;
use tokio::sync::OnceCell;

pub(crate) use changes::DataVersion;
use changes::WatchConnection;
pub use format::{APPLICATION_ID, SCHEMA_VERSION};
pub(crate) use sql_error::meaning;

use self::tables::{calls, commands, debates, events, outcomes, people, runs};
use self::writer::SqliteWriter;
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

/// A database in one SQLite file. See [`crate::Store`] for what each method
/// promises.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    path: PathBuf,
    readers: SqlitePool,
    watch: WatchConnection,
    /// Absent in a store opened only for reading.
    writer: Option<SqliteWriter>,
    /// The result of the one quick look at the file; all clones share it.
    looked: Arc<OnceCell<Result<(), StoreError>>>,
    /// The debates that this handle reaches.
    reach: Arc<Reach>,
}

impl SqliteStore {
    fn new(path: &Path, writer: Option<SqliteWriter>) -> SqliteStore {
        let watch = WatchConnection::new(path.to_owned());
        let (path, readers) = (path.to_owned(), schema::readers(path));
        SqliteStore { path, readers, watch, writer, looked: Arc::default(), reach: Arc::default() }
    }

    pub(crate) async fn open(path: &Path) -> Result<SqliteStore, StoreError> {
        if !file::exists(path)? {
            schema::create(path).await?;
        }
        SqliteStore::open_existing(path).await
    }

    pub(crate) async fn open_existing(path: &Path) -> Result<SqliteStore, StoreError> {
        must_exist(path)?;
        file::sweep(path);
        file::keep_private(path)?;
        schema::look(path).await?;
        let options = schema::writer_options(path);
        let mut connection = schema::connect(&options).await?;
        schema::migrate(&mut connection).await?;
        schema::verify_tables(&mut connection).await?;
        file::keep_private(path)?;
        let writer = Some(SqliteWriter::start(path, options, connection));
        Ok(SqliteStore::new(path, writer))
    }

    pub(crate) async fn read_only(path: &Path) -> Result<SqliteStore, StoreError> {
        must_exist(path)?;
        let found = schema::look(path).await?;
        if found < SCHEMA_VERSION {
            return Err(StoreError::Older { path: path.to_owned(), found, known: SCHEMA_VERSION });
        }
        Ok(SqliteStore::new(path, None))
    }

    /// Opens a database whose writes do not wait for the disk. It loses
    /// acknowledged writes in a power cut: the tests of durability need a store
    /// that fails them.
    #[cfg(debug_assertions)]
    pub(crate) async fn open_careless(path: &Path) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(path).await?.close().await;
        let options = schema::writer_options(path).synchronous(SqliteSynchronous::Off);
        let connection = schema::connect(&options).await?;
        let writer = Some(SqliteWriter::start(path, options, connection));
        Ok(SqliteStore::new(path, writer))
    }

    pub(crate) fn may_lack_wal(path: &Path) -> Result<bool, StoreError> {
        file::may_lack_wal(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) async fn close(&self) {
        // Readers first: the last connection to go tidies the WAL file away, and
        // only a writer can.
        self.watch.close().await;
        self.readers.close().await;
        if let Some(writer) = &self.writer {
            writer.close().await;
        }
    }

    /// Carries out one request; see `work` for the meaning of the number.
    pub(crate) async fn write(
        &self,
        request: WriteRequest,
        durability: Durability,
    ) -> Result<u64, StoreError> {
        let writer = self.writer.as_ref().ok_or(StoreError::ReadOnly)?;
        match writer.perform_by(request, durability).await {
            Err(StoreError::Unknown { asked, .. }) => {
                Err(debates::unknown(&self.readers, &self.reach, &asked).await?)
            }
            answer => answer,
        }
    }

    pub(crate) async fn log_after(&self, id: &str, seq: u64) -> Result<Vec<LogEntry>, StoreError> {
        events::log_after(&self.readers, &self.reach, id, seq).await
    }

    pub(crate) async fn sealed_log(&self, id: &str) -> Result<Vec<SealedEntry>, StoreError> {
        events::sealed_log(&self.readers, &self.reach, id).await
    }

    pub(crate) async fn get(&self, id: &str) -> Result<ListedDebate, StoreError> {
        debates::get(&self.readers, &self.reach, id).await
    }

    pub(crate) async fn find(&self, start: &str) -> Result<ListedDebate, StoreError> {
        debates::find(&self.readers, &self.reach, start).await
    }

    pub(crate) async fn list(&self, filter: &ListFilter) -> Result<Vec<ListedDebate>, StoreError> {
        let found = debates::list(&self.readers, &self.reach, filter).await?;
        if found.is_empty() && filter.is_everything() && self.reach.is_all() {
            // An empty file is quickly checked, and a damaged one may look empty.
            check::quick_check(&self.readers).await?;
        }
        Ok(found)
    }

    pub(crate) async fn followers(
        &self,
        earlier: Option<&str>,
    ) -> Result<Vec<(String, String)>, StoreError> {
        debates::followers(&self.readers, &self.reach, earlier).await
    }

    pub(crate) async fn lease_of(&self, id: &str) -> Result<LeaseView, StoreError> {
        runs::of(&self.readers, id).await
    }

    pub(crate) async fn standing(&self, id: &str) -> Result<Option<DebateStanding>, StoreError> {
        runs::standing(&self.readers, id).await
    }

    pub(crate) async fn active_leases(&self) -> Result<Vec<(String, LeaseView)>, StoreError> {
        runs::of_active(&self.readers).await
    }

    pub(crate) async fn pending(
        &self,
        id: Option<&str>,
    ) -> Result<Vec<PendingCommand>, StoreError> {
        commands::pending(&self.readers, id).await
    }

    pub(crate) async fn fate(&self, id: &str, number: u64) -> Result<CommandFate, StoreError> {
        commands::fate(&self.readers, &self.reach, id, number).await
    }

    pub(crate) fn changes(&self) -> DataVersion {
        DataVersion::new(self.watch.clone())
    }

    pub(crate) async fn least_spending(
        &self,
        spender: Spender<'_>,
        now: i64,
    ) -> Result<LeastSpending, StoreError> {
        calls::least_spending(&self.readers, spender, now).await
    }

    pub(crate) async fn costs(&self, by: CostsBy) -> Result<Vec<CostLine>, StoreError> {
        calls::costs(&self.readers, &self.reach, by).await
    }

    pub(crate) async fn cached(&self, by: CostsBy) -> Result<Vec<CachedLine>, StoreError> {
        calls::cached(&self.readers, &self.reach, by).await
    }

    pub(crate) async fn outcomes(
        &self,
        id: Option<&str>,
    ) -> Result<Vec<StoredOutcome>, StoreError> {
        outcomes::read(&self.readers, &self.reach, id).await
    }

    pub(crate) async fn finished(&self) -> Result<Vec<FinishedDebate>, StoreError> {
        outcomes::finished(&self.readers, &self.reach).await
    }

    pub(crate) async fn quick_check(&self) -> Result<(), StoreError> {
        check::quick_check(&self.readers).await
    }

    pub(crate) async fn quick_check_once(&self) -> Result<(), StoreError> {
        self.looked.get_or_init(|| self.quick_check()).await.clone()
    }

    pub(crate) fn checked(&self) -> Option<Result<(), StoreError>> {
        self.looked.get().cloned()
    }

    pub(crate) async fn check(&self) -> Result<Vec<Damage>, StoreError> {
        check::check(&self.readers).await
    }

    pub(crate) async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        backup::copy(&self.path, to).await
    }

    pub(crate) async fn restore(from: &Path, to: &Path) -> Result<(), StoreError> {
        let backup = SqliteStore::read_only(from).await?;
        let damages = backup.check().await;
        backup.close().await;
        match damages?.first() {
            None => backup::copy(from, to).await,
            Some(damage) => Err(StoreError::Corrupt { what: damage.to_string() }),
        }
    }

    pub(crate) async fn book_rows(
        &self,
        table: usize,
        from: usize,
        most: usize,
    ) -> Result<BookRows, StoreError> {
        books::read(&self.readers, table, from, most).await
    }

    pub(crate) fn reaching(&self, reach: Reach) -> SqliteStore {
        SqliteStore { reach: Arc::new(reach), ..self.clone() }
    }

    pub(crate) fn reach(&self) -> &Reach {
        &self.reach
    }

    pub(crate) async fn people(&self) -> Result<Vec<Person>, StoreError> {
        people::people(&self.readers).await
    }

    pub(crate) async fn tokens(&self, person: &str) -> Result<Vec<NamedToken>, StoreError> {
        people::tokens(&self.readers, person).await
    }

    pub(crate) async fn by_token(
        &self,
        hash: &TokenHash,
        now: i64,
    ) -> Result<Option<Person>, StoreError> {
        people::by_token(&self.readers, hash, now).await
    }

    pub(crate) async fn audit(&self, most: u32) -> Result<Vec<AuditEntry>, StoreError> {
        people::audit(&self.readers, most).await
    }

    pub(crate) fn commits(&self) -> u64 {
        self.writer.as_ref().map_or(0, SqliteWriter::commits)
    }
}

fn must_exist(path: &Path) -> Result<(), StoreError> {
    if file::exists(path)? { Ok(()) } else { Err(StoreError::Missing { path: path.to_owned() }) }
}

/// The write lock of a database, held: the tests need another process that holds
/// it.
#[cfg(debug_assertions)]
#[derive(Debug)]
pub struct Lockout {
    connection: sqlx::sqlite::SqliteConnection,
}

#[cfg(debug_assertions)]
impl Lockout {
    pub(crate) async fn take(path: &Path) -> Result<Lockout, StoreError> {
        let mut connection = schema::connect(&schema::writer_options(path)).await?;
        sqlx::query("BEGIN IMMEDIATE").execute(&mut connection).await?;
        Ok(Lockout { connection })
    }

    pub async fn let_go(mut self) -> Result<(), StoreError> {
        sqlx::query("ROLLBACK").execute(&mut self.connection).await?;
        Ok(sqlx::Connection::close(self.connection).await?)
    }
}
