//! Tells whether the database was written to.

use std::path::Path;

use sqlx::sqlite::SqliteConnection;
use sqlx::{ConnectOptions, Row};

use super::schema;
use crate::error::StoreError;

/// Tells whether any process, this one included, has written since the last
/// question. It reads no table, so asking often costs next to nothing.
#[derive(Debug)]
pub(crate) struct DataVersion {
    connection: SqliteConnection,
    seen: Option<i64>,
}

impl DataVersion {
    pub(crate) async fn open(path: &Path) -> Result<DataVersion, StoreError> {
        let connection = schema::reader_options(path).connect().await?;
        Ok(DataVersion { connection, seen: None })
    }

    /// True the first time.
    pub(crate) async fn since_last(&mut self) -> Result<bool, StoreError> {
        let row = sqlx::query("PRAGMA data_version").fetch_one(&mut self.connection).await?;
        let version: i64 = row.try_get(0)?;
        Ok(self.seen.replace(version) != Some(version))
    }
}
