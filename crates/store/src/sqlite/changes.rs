//! Tells whether the database was written to.

use std::path::PathBuf;
use std::sync::Arc;

use sqlx::sqlite::SqliteConnection;
use sqlx::{ConnectOptions, Connection, Row};
use tokio::sync::Mutex;

use super::schema;
use crate::error::StoreError;

/// The one connection that watches, shared by all clones of a store, so that
/// closing the store closes it: a connection left open keeps the WAL file.
#[derive(Debug, Clone)]
pub(crate) struct WatchConnection {
    path: PathBuf,
    state: Arc<Mutex<WatchState>>,
}

#[derive(Debug)]
enum WatchState {
    Unused,
    Open(SqliteConnection),
    Closed,
}

impl WatchConnection {
    pub(crate) fn new(path: PathBuf) -> WatchConnection {
        WatchConnection { path, state: Arc::new(Mutex::new(WatchState::Unused)) }
    }

    async fn version(&self) -> Result<i64, StoreError> {
        let mut state = self.state.lock().await;
        if let WatchState::Unused = *state {
            *state = WatchState::Open(schema::reader_options(&self.path).connect().await?);
        }
        let WatchState::Open(connection) = &mut *state else { return Err(StoreError::Closed) };
        let row = sqlx::query("PRAGMA data_version").fetch_one(connection).await;
        if row.is_err() {
            *state = WatchState::Unused;
        }
        Ok(row?.try_get(0)?)
    }

    pub(crate) async fn close(&self) {
        let mut state = self.state.lock().await;
        if let WatchState::Open(connection) = std::mem::replace(&mut *state, WatchState::Closed) {
            // It has nothing to lose.
            let _ = connection.close().await;
        }
    }
}

/// Tells whether any process, this one included, has written since the last
/// question. It reads no table, so asking often costs next to nothing.
#[derive(Debug)]
pub(crate) struct DataVersion {
    connection: WatchConnection,
    seen: Option<i64>,
}

impl DataVersion {
    pub(crate) fn new(connection: WatchConnection) -> DataVersion {
        DataVersion { connection, seen: None }
    }

    /// True the first time.
    pub(crate) async fn since_last(&mut self) -> Result<bool, StoreError> {
        let version = self.connection.version().await?;
        Ok(self.seen.replace(version) != Some(version))
    }
}
