//! Moves all debates from one store to another, exactly: every log entry for entry, and the
//! books row by row. The place they move to must hold nothing else, and afterwards both are
//! compared.

pub(crate) mod books;

use std::collections::HashSet;

use self::books::{BOOK_TABLES, BookRows};
use crate::error::{StoreError, StoreFuture};
use crate::listing::ListFilter;
use crate::log_row::SealedEntry;
use crate::request::{DebateOwner, ImportedLog, WriteRequest};
use crate::store::Store;

/// Rows that are read or written at a time.
const PAGE: usize = 500;

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MovedStore {
    pub debates: u64,
    pub entries: u64,
    /// Rows of the tables beside the logs.
    pub rows: u64,
}

/// Copies everything of `from` into `to` and compares both. What an earlier try has copied already
/// is left as it is, so that one that was cut off goes on where it stopped. `now` is the present
/// moment: nothing is copied while a process runs one of the debates.
pub fn copy_store<'a>(from: &'a Store, to: &'a Store, now: i64) -> StoreFuture<'a, MovedStore> {
    Box::pin(copied(from, to, now))
}

async fn copied(from: &Store, to: &Store, now: i64) -> Result<MovedStore, StoreError> {
    let ids = all_ids(from).await?;
    must_rest(from, &ids, now).await?;
    let there: HashSet<String> = all_ids(to).await?.into_iter().collect();
    for id in &there {
        let is_copy = ids.contains(id) && from.sealed_log(id).await? == to.sealed_log(id).await?;
        if !is_copy {
            return Err(StoreError::NotEmpty { place: to.address().to_string() });
        }
    }
    let mut moved = MovedStore::default();
    for id in &ids {
        let log = from.sealed_log(id).await?;
        moved.entries += log.len() as u64;
        moved.debates += 1;
        if !there.contains(id) {
            let row = from.get(id).await?;
            let owner = DebateOwner { owner: row.owner, shared: row.shared };
            to.import_for(id, log, owner).await?;
        }
    }
    for table in 0..BOOK_TABLES.len() {
        moved.rows += copy_table(from, to, table).await?;
    }
    compare(from, to, &ids).await?;
    Ok(moved)
}

/// Refuses while a process runs one of the debates.
async fn must_rest(store: &Store, ids: &[String], now: i64) -> Result<(), StoreError> {
    for id in ids {
        let lease = store.lease_of(id).await?;
        if let Some(owner) = lease.owner.filter(|_| lease.term.until > now) {
            let (epoch, until) = (lease.epoch, lease.term.until);
            return Err(StoreError::Taken { id: id.clone(), owner, epoch, until });
        }
    }
    Ok(())
}

/// The ids of all debates, oldest first.
async fn all_ids(store: &Store) -> Result<Vec<String>, StoreError> {
    let mut ids = Vec::new();
    let mut filter = ListFilter { limit: Some(PAGE as u32), ..ListFilter::default() };
    loop {
        let page = store.list(&filter).await?;
        let Some(last) = page.last() else { break };
        filter.before = Some(last.position());
        ids.extend(page.into_iter().map(|debate| debate.id));
    }
    ids.reverse();
    Ok(ids)
}

async fn copy_table(from: &Store, to: &Store, table: usize) -> Result<u64, StoreError> {
    let mut copied = 0;
    loop {
        let page = from.book_rows(table, copied, PAGE).await?;
        if page.rows.is_empty() {
            return Ok(copied as u64);
        }
        copied += page.rows.len();
        to.add_book_rows(page).await?;
    }
}

/// Refuses a copy that is not the same to the last bit.
async fn compare(from: &Store, to: &Store, ids: &[String]) -> Result<(), StoreError> {
    let differs = |what: String| StoreError::Corrupt { what: format!("the copy differs: {what}") };
    for id in ids {
        let same = from.sealed_log(id).await? == to.sealed_log(id).await?
            && from.get(id).await? == to.get(id).await?;
        if !same {
            return Err(differs(format!("debate {id}")));
        }
    }
    for (table, described) in BOOK_TABLES.iter().enumerate() {
        let mut at = 0;
        loop {
            let (one, other) =
                (from.book_rows(table, at, PAGE).await?, to.book_rows(table, at, PAGE).await?);
            if one != other {
                return Err(differs(format!("table {}", described.name)));
            }
            if one.rows.is_empty() {
                break;
            }
            at += one.rows.len();
        }
    }
    Ok(())
}

/// The tables beside the logs, for a store that moves.
impl Store {
    /// Imports a debate for its owner.
    pub(crate) async fn import_for(
        &self,
        id: &str,
        log: Vec<SealedEntry>,
        owner: DebateOwner,
    ) -> Result<u64, StoreError> {
        self.write(WriteRequest::Import(ImportedLog::of(id, log, owner)?)).await
    }

    pub(crate) async fn book_rows(
        &self,
        table: usize,
        from: usize,
        most: usize,
    ) -> Result<BookRows, StoreError> {
        match self {
            Store::Sqlite(engine) => engine.book_rows(table, from, most).await,
            Store::Postgres(engine) => engine.book_rows(table, from, most).await,
        }
    }

    pub(crate) async fn add_book_rows(&self, page: BookRows) -> Result<u64, StoreError> {
        self.write(WriteRequest::Books(page)).await
    }
}
