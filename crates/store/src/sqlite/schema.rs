//! Connections and the tables behind them. The only file that opens the
//! database. A migration is one transaction with its version number, so a
//! process killed in the middle leaves the old version behind, whole.
#![allow(clippy::disallowed_methods, reason = "this is the door")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection, Row};

use super::file;
use super::format::{APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION, TABLES, TABLES_HASH};
use crate::error::StoreError;
use crate::log_row::digest;

/// Older libraries can damage a WAL file that several connections reset at once.
const OLDEST_LIBRARY: [u32; 3] = [3, 51, 3];

/// A commit changes a few short rows in several tables, and writes each page that one of them lies
/// in: small pages make it write less.
const PAGE_BYTES: u32 = 1024;
const READERS: u32 = 4;
const BUSY: Duration = Duration::from_secs(5);
const MOST_TRIES: u32 = 1_500;
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// The version whose tables a process of an older one cannot write to.
const TABLES_ANEW: i64 = 9;
/// A lease that seems to run longer was granted by a clock that was set back since.
const LONGEST_LEASE_MS: i64 = 600_000;

/// Said to every connection. `fullfsync` means something on macOS only.
const PRAGMAS: [(&str, &str); 4] = [
    ("trusted_schema", "OFF"),
    ("cell_size_check", "ON"),
    ("fullfsync", "1"),
    ("checkpoint_fullfsync", "1"),
];

/// Said to the connection that writes. What is deleted is overwritten. Its pages stay in memory from
/// one commit to the next: those of some hundred debates that are held at once, in KiB.
const WRITER_PRAGMAS: [(&str, &str); 4] = [
    ("wal_autocheckpoint", "8000"),
    ("journal_size_limit", "67108864"),
    ("secure_delete", "ON"),
    ("cache_size", "-8192"),
];

fn options(path: &Path) -> SqliteConnectOptions {
    let plain = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        .disable_statement_logging();
    PRAGMAS.iter().fold(plain, |options, (name, value)| options.pragma(*name, *value))
}

pub(crate) fn reader_options(path: &Path) -> SqliteConnectOptions {
    options(path).read_only(true)
}

pub(crate) fn writer_options(path: &Path) -> SqliteConnectOptions {
    let durable = options(path)
        .journal_mode(SqliteJournalMode::Wal)
        // NORMAL loses acknowledged commits when the power goes.
        .synchronous(SqliteSynchronous::Full);
    WRITER_PRAGMAS.iter().fold(durable, |options, (name, value)| options.pragma(*name, *value))
}

pub(crate) fn readers(path: &Path) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(READERS)
        .test_before_acquire(false)
        .connect_lazy_with(reader_options(path))
}

/// Opens a connection. Two processes that open a file at rest at once both want
/// to put it into WAL mode; SQLite refuses one of them without waiting.
pub(crate) async fn connect(
    options: &SqliteConnectOptions,
) -> Result<SqliteConnection, StoreError> {
    for _ in 0..MOST_TRIES {
        match options.connect().await.map_err(StoreError::from) {
            Err(StoreError::Locked) => tokio::time::sleep(BETWEEN_TRIES).await,
            other => return other,
        }
    }
    Err(StoreError::Locked)
}

/// Puts a file to rest: everything is in the one file, no other lies beside it,
/// and its header says so. While other processes use it, that is left to the last
/// of them, and only the WAL is emptied. A WAL that is needed again is made again.
pub(crate) async fn put_to_rest(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    sqlx::query("PRAGMA busy_timeout = 0").execute(&mut *connection).await?;
    let mode = sqlx::query("PRAGMA journal_mode = DELETE").fetch_one(&mut *connection).await;
    let mode = mode.and_then(|row| row.try_get::<String, _>(0));
    if !mode.is_ok_and(|mode| mode == "delete") {
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(connection).await?;
    }
    Ok(())
}

/// Makes a new database under a draft's name, then gives it its own. If two
/// processes do so at once, one of the files stays and both use it.
pub(crate) async fn create(path: &Path) -> Result<(), StoreError> {
    file::make_home(path)?;
    let draft = file::draft(path)?;
    match fill(&draft).await {
        Ok(()) => file::publish(&draft, path).map(drop),
        Err(error) => {
            file::discard(&draft);
            Err(error)
        }
    }
}

async fn fill(draft: &Path) -> Result<(), StoreError> {
    let new = options(draft).page_size(PAGE_BYTES).synchronous(SqliteSynchronous::Full);
    let mut connection = new.connect().await?;
    sqlx::query(sqlx::AssertSqlSafe(format!("PRAGMA application_id = {APPLICATION_ID}")))
        .execute(&mut connection)
        .await?;
    migrate(&mut connection).await?;
    connection.close().await?;
    settle(draft).await
}

/// Opens a file for writing and lets go of it again: a write that was cut short
/// is undone and the file is in WAL mode afterwards. Done to a new file before
/// it gets its name, since the change of mode is the one write that a reader
/// cannot look past when it is cut short.
pub(crate) async fn settle(path: &Path) -> Result<(), StoreError> {
    connect(&writer_options(path)).await?.close().await?;
    Ok(())
}

/// Returns the version of a database that is ours. Its connection cannot write.
pub(crate) async fn look(path: &Path) -> Result<i64, StoreError> {
    match glance(path).await {
        // Only a writer can undo a write that was cut short.
        Err(StoreError::ReadOnly) => {
            settle(path).await?;
            glance(path).await
        }
        seen => seen,
    }
}

async fn glance(path: &Path) -> Result<i64, StoreError> {
    let mut looking = reader_options(path).connect().await?;
    let version = verify(path, &mut looking).await?;
    looking.close().await?;
    Ok(version)
}

/// Refuses a file of a newer version or of another program. The header said
/// the same before, but what a WAL file holds counts more.
async fn verify(path: &Path, connection: &mut SqliteConnection) -> Result<i64, StoreError> {
    let library: String =
        sqlx::query("SELECT sqlite_version()").fetch_one(&mut *connection).await?.try_get(0)?;
    if !is_recent(&library) {
        return Err(StoreError::Io { what: format!("SQLite {library} is too old to be safe") });
    }
    let application = number(connection, "PRAGMA application_id").await?;
    if application != APPLICATION_ID {
        let why = "another program made it".into();
        return Err(StoreError::NotOurs { path: path.to_owned(), why });
    }
    let found = number(connection, "PRAGMA user_version").await?;
    if found > SCHEMA_VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: SCHEMA_VERSION });
    }
    if found == SCHEMA_VERSION {
        verify_tables(connection).await?;
    }
    Ok(found)
}

/// Refuses a file of the current version whose tables are not as they were made.
/// A changed byte in their definitions could make a table look empty.
pub(crate) async fn verify_tables(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    if tables_hash(connection).await? == TABLES_HASH {
        Ok(())
    } else {
        Err(StoreError::Corrupt { what: "its tables are not defined as they should be".into() })
    }
}

async fn tables_hash(connection: &mut SqliteConnection) -> Result<String, StoreError> {
    let rows = sqlx::query("SELECT name, COALESCE(sql, ''), rootpage FROM sqlite_schema")
        .fetch_all(&mut *connection)
        .await?;
    connection.ping().await?;
    let mut roots = BTreeSet::new();
    let mut found: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    for row in &rows {
        let root: i64 = row.try_get(2)?;
        if root != 0 && !roots.insert(root) {
            return Err(StoreError::Corrupt { what: format!("two tables share page {root}") });
        }
        found.insert(row.try_get(0)?, row.try_get(1)?);
    }
    let fields: Vec<&[u8]> = TABLES
        .iter()
        .map(|name| found.get(name.as_bytes()).map_or(&[] as &[u8], Vec::as_slice))
        .collect();
    Ok(digest(&fields).iter().map(|byte| format!("{byte:02x}")).collect())
}

pub(crate) fn is_recent(library: &str) -> bool {
    let numbers: Vec<u32> = library.split('.').filter_map(|part| part.parse().ok()).collect();
    numbers.as_slice() >= OLDEST_LIBRARY.as_slice()
}

/// Brings the tables up to date, one transaction per version.
pub(crate) async fn migrate(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    // Without this look every opening would wait for the writer.
    if number(connection, "PRAGMA user_version").await? >= SCHEMA_VERSION {
        return Ok(());
    }
    for (version, sql) in (1_i64..).zip(MIGRATIONS) {
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
        // Another process may have done it while this one waited for the lock.
        if number(&mut transaction, "PRAGMA user_version").await? >= version {
            transaction.rollback().await?;
            continue;
        }
        if version == TABLES_ANEW {
            must_be_at_rest(&mut transaction).await?;
        }
        sqlx::raw_sql(*sql).execute(&mut *transaction).await?;
        sqlx::query(sqlx::AssertSqlSafe(format!("PRAGMA user_version = {version}")))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
    }
    Ok(())
}

/// Refuses while a process of an older version runs a debate: it could not write the answers that
/// are on their way to it.
async fn must_be_at_rest(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let query = sqlx::query(
        "SELECT debate_id, epoch, owner, lease_until FROM runs
         WHERE owner IS NOT NULL AND lease_until > $1 AND lease_until <= $1 + $2 LIMIT 1",
    );
    let now = UNIX_EPOCH.elapsed().unwrap_or_default().as_millis();
    let query = query.bind(i64::try_from(now).unwrap_or(i64::MAX / 2)).bind(LONGEST_LEASE_MS);
    let Some(row) = query.fetch_optional(connection).await? else { return Ok(()) };
    let epoch = row.try_get::<i64, _>("epoch")?;
    Err(StoreError::Taken {
        id: row.try_get("debate_id")?,
        owner: row.try_get("owner")?,
        epoch: u64::try_from(epoch).unwrap_or(0),
        until: row.try_get("lease_until")?,
    })
}

async fn number(
    connection: &mut SqliteConnection,
    pragma: &'static str,
) -> Result<i64, StoreError> {
    Ok(sqlx::query(pragma).fetch_one(connection).await?.try_get(0)?)
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
