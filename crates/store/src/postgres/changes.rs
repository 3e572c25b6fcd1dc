//! Tells whether the database was written to: by the server's own list of transactions, which
//! moves on with every commit. It reads no table and misses nothing.

use sqlx::Row;
use sqlx::postgres::PgPool;

use crate::error::StoreError;

#[derive(Debug)]
pub(crate) struct ServerSnapshot {
    pool: PgPool,
    seen: Option<String>,
}

impl ServerSnapshot {
    pub(crate) fn new(pool: PgPool) -> ServerSnapshot {
        ServerSnapshot { pool, seen: None }
    }

    /// True the first time.
    pub(crate) async fn since_last(&mut self) -> Result<bool, StoreError> {
        let query = sqlx::query("SELECT pg_current_snapshot()::text");
        let now: String = query.fetch_one(&self.pool).await?.try_get(0)?;
        let is_new = self.seen.as_ref() != Some(&now);
        self.seen = Some(now);
        Ok(is_new)
    }
}
