//! The table `runs`: the lease of every debate.

use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};

use crate::error::StoreError;
use crate::lease::{DebateStanding, Lease, LeaseRequest, LeaseTerm, LeaseView};
use crate::log_row::signed;
use crate::sqlite::statements::rows;
use crate::sqlite::statements::script::SqlScript;

/// Writes a lease that was granted.
pub(crate) fn write(script: &mut SqlScript, request: &LeaseRequest, epoch: i64) {
    script
        .say(
            "INSERT INTO runs (debate_id, epoch, owner, lease_until, boot_until)
             VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (debate_id) DO UPDATE
             SET epoch = excluded.epoch, owner = excluded.owner,
                 lease_until = excluded.lease_until, boot_until = excluded.boot_until",
        )
        .with(request.id.as_str())
        .with(epoch)
        .with(request.owner.as_str())
        .with(request.term.until)
        .with(request.term.boot_until);
}

/// Gives a lease back that is known to be the debate's.
pub(crate) fn give_back(script: &mut SqlScript, lease: &Lease) {
    script
        .say(
            "UPDATE runs SET owner = NULL, lease_until = 0, boot_until = NULL
             WHERE debate_id = ? AND epoch = ? AND owner = ?",
        )
        .with(lease.id.as_str())
        .with(signed(lease.epoch))
        .with(lease.owner.as_str());
}

/// Changes the owner and the end of a lease, if it is still the debate's.
pub(crate) async fn change(
    connection: &mut SqliteConnection,
    lease: &Lease,
    owner: Option<&str>,
    term: LeaseTerm,
) -> Result<u64, StoreError> {
    let changed = sqlx::query(
        "UPDATE runs SET owner = $4, lease_until = $5, boot_until = $6
         WHERE debate_id = $1 AND epoch = $2 AND owner = $3",
    )
    .bind(&lease.id)
    .bind(signed(lease.epoch))
    .bind(&lease.owner)
    .bind(owner)
    .bind(term.until)
    .bind(term.boot_until)
    .execute(connection)
    .await?;
    if changed.rows_affected() == 0 {
        return Err(StoreError::NotRunner { id: lease.id.clone() });
    }
    Ok(lease.epoch)
}

/// Returns the lease of a debate, whether it runs or not.
pub(crate) async fn of(readers: &SqlitePool, id: &str) -> Result<LeaseView, StoreError> {
    let sql = "SELECT epoch, owner, lease_until, boot_until FROM runs WHERE debate_id = $1";
    let row = rows::first(readers, sqlx::query(sql).bind(id)).await?;
    row.as_ref().map_or_else(|| Ok(LeaseView::default()), view)
}

/// Returns the standing of a debate, in one read; `None` if there is no such debate.
pub(crate) async fn standing(
    readers: &SqlitePool,
    id: &str,
) -> Result<Option<DebateStanding>, StoreError> {
    let query = sqlx::query(
        "SELECT d.last_seq, COALESCE(r.epoch, 0) AS epoch, r.owner,
             COALESCE(r.lease_until, 0) AS lease_until, r.boot_until,
             EXISTS (SELECT 1 FROM commands c WHERE c.debate_id = d.id AND c.handled = 0)
                 AS is_commanded
         FROM debates d LEFT JOIN runs r ON r.debate_id = d.id WHERE d.id = $1",
    );
    let Some(row) = rows::first(readers, query.bind(id)).await? else { return Ok(None) };
    Ok(Some(DebateStanding {
        last_seq: u64::try_from(row.try_get::<i64, _>("last_seq")?).unwrap_or(0),
        lease: view(&row)?,
        is_commanded: row.try_get("is_commanded")?,
    }))
}

/// Returns the active debates with their leases, oldest first.
pub(crate) async fn of_active(
    readers: &SqlitePool,
) -> Result<Vec<(String, LeaseView)>, StoreError> {
    let query = sqlx::query(
        "SELECT d.id, COALESCE(r.epoch, 0) AS epoch, r.owner,
             COALESCE(r.lease_until, 0) AS lease_until, r.boot_until
         FROM debates d LEFT JOIN runs r ON r.debate_id = d.id
         WHERE d.status = 'active' ORDER BY d.created, d.id",
    );
    rows::all(readers, query)
        .await?
        .iter()
        .map(|row| Ok((row.try_get("id")?, view(row)?)))
        .collect()
}

fn view(row: &SqliteRow) -> Result<LeaseView, StoreError> {
    let epoch: i64 = row.try_get("epoch")?;
    let (until, boot_until) = (row.try_get("lease_until")?, row.try_get("boot_until")?);
    let term = LeaseTerm { until, boot_until, lasts: None };
    Ok(LeaseView { owner: row.try_get("owner")?, epoch: u64::try_from(epoch).unwrap_or(0), term })
}
