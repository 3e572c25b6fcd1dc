//! The table `runs`: the lease of every debate.

use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use crate::error::StoreError;
use crate::lease::Lease;
use crate::log_row::signed;

/// Writes a lease that was granted.
pub(crate) async fn write(
    connection: &mut SqliteConnection,
    id: &str,
    epoch: i64,
    owner: &str,
    until: i64,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO runs (debate_id, epoch, owner, lease_until) VALUES ($1, $2, $3, $4)
         ON CONFLICT (debate_id) DO UPDATE
         SET epoch = excluded.epoch, owner = excluded.owner, lease_until = excluded.lease_until",
    )
    .bind(id)
    .bind(epoch)
    .bind(owner)
    .bind(until)
    .execute(connection)
    .await?;
    Ok(())
}

/// Changes the owner and the end of a lease, if it is still the debate's.
pub(crate) async fn change(
    connection: &mut SqliteConnection,
    lease: &Lease,
    owner: Option<&str>,
    until: i64,
) -> Result<u64, StoreError> {
    let changed = sqlx::query(
        "UPDATE runs SET owner = $4, lease_until = $5
         WHERE debate_id = $1 AND epoch = $2 AND owner = $3",
    )
    .bind(&lease.id)
    .bind(signed(lease.epoch))
    .bind(&lease.owner)
    .bind(owner)
    .bind(until)
    .execute(connection)
    .await?;
    if changed.rows_affected() == 0 {
        return Err(StoreError::NotRunner { id: lease.id.clone() });
    }
    Ok(lease.epoch)
}

/// Returns active debates that no process runs, oldest first.
pub(crate) async fn unattended(readers: &SqlitePool, now: i64) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query(
        "SELECT d.id FROM debates d LEFT JOIN runs r ON r.debate_id = d.id
         WHERE d.status = 'active'
           AND (r.owner IS NULL OR r.lease_until <= $1)
         ORDER BY d.created, d.id",
    )
    .bind(now)
    .fetch_all(readers)
    .await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Returns active debates that a process runs, with its name.
pub(crate) async fn attended(
    readers: &SqlitePool,
    now: i64,
) -> Result<Vec<(String, String)>, StoreError> {
    let rows = sqlx::query(
        "SELECT d.id, r.owner FROM debates d JOIN runs r ON r.debate_id = d.id
         WHERE d.status = 'active' AND r.owner IS NOT NULL AND r.lease_until > $1
         ORDER BY d.created, d.id",
    )
    .bind(now)
    .fetch_all(readers)
    .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// Returns the owner of a debate's lease at `now`.
pub(crate) async fn runner_of(
    readers: &SqlitePool,
    id: &str,
    now: i64,
) -> Result<Option<String>, StoreError> {
    let row = sqlx::query("SELECT owner FROM runs WHERE debate_id = $1 AND lease_until > $2")
        .bind(id)
        .bind(now)
        .fetch_optional(readers)
        .await?;
    Ok(row.map(|row| row.try_get::<Option<String>, _>(0)).transpose()?.flatten())
}
