//! Tells whether the database was written to: by the server's own list of transactions, which
//! moves on with every commit. It reads no table and misses nothing. A notification that a command
//! was left for a debate is a hint to look sooner, and nothing is lost with it.

use std::time::Duration;

use sqlx::Row;
use sqlx::postgres::{PgListener, PgPool};
use tokio::time::{sleep, timeout};

use crate::error::StoreError;

/// The channel of the hints.
pub(crate) const CHANNEL: &str = "roundtable";
/// The time that a connection for hints may take.
const CONNECTS: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct ServerSnapshot {
    pool: PgPool,
    seen: Option<String>,
    /// A connection of its own, opened when it is first waited for.
    hints: Option<PgListener>,
}

impl ServerSnapshot {
    pub(crate) fn new(pool: PgPool) -> ServerSnapshot {
        ServerSnapshot { pool, seen: None, hints: None }
    }

    /// True the first time.
    pub(crate) async fn since_last(&mut self) -> Result<bool, StoreError> {
        let query = sqlx::query("SELECT pg_current_snapshot()::text");
        let now: String = query.fetch_one(&self.pool).await?.try_get(0)?;
        let is_new = self.seen.as_ref() != Some(&now);
        self.seen = Some(now);
        Ok(is_new)
    }

    /// Waits for a hint, and no longer than this, beside the time to connect.
    pub(crate) async fn wait(&mut self, most: Duration) {
        if self.hints.is_none() {
            self.hints = timeout(CONNECTS, listen(&self.pool)).await.ok().and_then(Result::ok);
        }
        let Some(hints) = &mut self.hints else { return sleep(most).await };
        if let Ok(Err(_)) = timeout(most, hints.recv()).await {
            self.hints = None;
            sleep(most).await;
        }
    }
}

async fn listen(pool: &PgPool) -> Result<PgListener, sqlx::Error> {
    let mut hints = PgListener::connect_with(pool).await?;
    hints.listen(CHANNEL).await?;
    Ok(hints)
}
