//! The store as others use it: open it, then create, append, read. Cloning is
//! cheap; all clones share one engine. Requests are prepared here, whatever the
//! engine beneath.

use std::path::Path;

use futures::future::BoxFuture;

use crate::address::StoreAddress;
use crate::change_watch::{ChangeWatch, StoreChanges};
use crate::error::{Damage, StoreError, StoreFuture};
use crate::people::Reach;
use crate::postgres::PostgresStore;
use crate::request::{Durability, WriteRequest};
#[cfg(debug_assertions)]
use crate::sqlite::Lockout;
use crate::sqlite::SqliteStore;

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

mod listings;
mod logs;
mod runs;

pub use logs::AppendOptions;

/// Opening, closing, looking after the file.
impl Store {
    /// Opens the database, making it (and its directory) if it is not there.
    /// Does not look for damage: see [`Store::quick_check`].
    pub fn open(address: impl Into<StoreAddress>) -> StoreFuture<'static, Store> {
        opened(address.into())
    }

    /// Opens a database that must be there; makes nothing.
    pub fn open_existing(address: impl Into<StoreAddress>) -> StoreFuture<'static, Store> {
        opened_existing(address.into())
    }

    /// Opens a database that must be there, for reading alone. A server is opened as ever:
    /// reading it leaves no file behind.
    pub fn read_only(address: impl Into<StoreAddress>) -> StoreFuture<'static, Store> {
        opened_to_read(address.into())
    }

    /// Opens a database whose writes do not wait for the disk. It loses
    /// acknowledged writes in a power cut: the tests of durability need a store
    /// that fails them.
    #[cfg(debug_assertions)]
    pub fn open_careless(path: &Path) -> StoreFuture<'_, Store> {
        Box::pin(async move { SqliteStore::open_careless(path).await.map(Store::Sqlite) })
    }

    /// Keeps all other processes from writing until it is let go: the tests need
    /// another process that holds the lock.
    #[cfg(debug_assertions)]
    pub fn lock_out(path: &Path) -> StoreFuture<'_, Lockout> {
        Box::pin(async move { Lockout::take(path).await })
    }

    /// Puts a checked copy of the backup `from` at `to`, where nothing may be.
    pub fn restore<'a>(from: &'a Path, to: &'a Path) -> StoreFuture<'a, ()> {
        Box::pin(async move { SqliteStore::restore(from, to).await })
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
    pub fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            engine!(self, engine => engine.close().await);
        })
    }

    /// Takes a quick look at the file's structure. It reads the whole file, so run
    /// it beside the work, not before it, unless the file is small.
    pub fn quick_check(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move { engine!(self, engine => engine.quick_check().await) })
    }

    /// Takes the quick look of [`Store::quick_check`] once, however often it is asked
    /// of this store and its clones.
    pub fn quick_check_once(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            match self {
                Store::Sqlite(engine) => engine.quick_check_once().await,
                // The server looks after its own files.
                Store::Postgres(_) => Ok(()),
            }
        })
    }

    /// Returns the result of the one quick look; `None` while it is not over.
    pub fn checked(&self) -> Option<Result<(), StoreError>> {
        match self {
            Store::Sqlite(engine) => engine.checked(),
            Store::Postgres(_) => Some(Ok(())),
        }
    }

    /// Reads everything and reports every damage found.
    pub fn check(&self) -> StoreFuture<'_, Vec<Damage>> {
        Box::pin(async move { engine!(self, engine => engine.check().await) })
    }

    /// Makes a copy of the database as it is now, while others go on writing.
    /// Refuses to overwrite.
    pub fn backup<'a>(&'a self, to: &'a Path) -> StoreFuture<'a, ()> {
        Box::pin(async move { engine!(self, engine => engine.backup(to).await) })
    }

    /// The number of commits made, for measuring.
    pub fn commits(&self) -> u64 {
        engine!(self, engine => engine.commits())
    }

    /// Tells whether the database was written to; see [`ChangeWatch`].
    pub fn changes(&self) -> StoreFuture<'_, ChangeWatch> {
        Box::pin(async move {
            Ok(ChangeWatch(match self {
                Store::Sqlite(engine) => StoreChanges::File(engine.changes()),
                Store::Postgres(engine) => StoreChanges::Server(engine.changes()),
            }))
        })
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

fn opened(address: StoreAddress) -> StoreFuture<'static, Store> {
    Box::pin(async move {
        match address {
            StoreAddress::File(path) => SqliteStore::open(&path).await.map(Store::Sqlite),
            StoreAddress::Server(at) => PostgresStore::open(&at).await.map(Store::Postgres),
        }
    })
}

fn opened_existing(address: StoreAddress) -> StoreFuture<'static, Store> {
    Box::pin(async move {
        match address {
            StoreAddress::File(path) => SqliteStore::open_existing(&path).await.map(Store::Sqlite),
            StoreAddress::Server(at) => {
                PostgresStore::open_existing(&at).await.map(Store::Postgres)
            }
        }
    })
}

fn opened_to_read(address: StoreAddress) -> StoreFuture<'static, Store> {
    Box::pin(async move {
        match address {
            StoreAddress::File(path) => SqliteStore::read_only(&path).await.map(Store::Sqlite),
            StoreAddress::Server(at) => {
                PostgresStore::open_existing(&at).await.map(Store::Postgres)
            }
        }
    })
}
