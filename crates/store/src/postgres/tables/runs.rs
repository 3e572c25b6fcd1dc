//! The table `runs`: the lease of every debate.

use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};

use crate::error::StoreError;
use crate::lease::{DebateStanding, Lease, LeaseRequest, LeaseTerm, LeaseView};
use crate::log_row::signed;

/// The present moment of the server's clock, in milliseconds since 1970.
macro_rules! server_now {
    () => {
        "(extract(epoch FROM clock_timestamp()) * 1000)::int8"
    };
}

/// Writes a lease that was granted.
pub(crate) async fn write(
    connection: &mut PgConnection,
    request: &LeaseRequest,
    epoch: i64,
) -> Result<(), StoreError> {
    sqlx::query(concat!(
        "INSERT INTO runs (debate_id, epoch, owner, lease_until, boot_until, server_until)
             VALUES ($1, $2, $3, $4, $5, ",
        server_now!(),
        " + $6)
             ON CONFLICT (debate_id) DO UPDATE
             SET epoch = excluded.epoch, owner = excluded.owner,
                 lease_until = excluded.lease_until, boot_until = excluded.boot_until,
                 server_until = excluded.server_until"
    ))
    .bind(&request.id)
    .bind(epoch)
    .bind(&request.owner)
    .bind(request.term.until)
    .bind(request.term.boot_until)
    .bind(request.term.lasts)
    .execute(connection)
    .await?;
    Ok(())
}

/// Changes the owner and the end of a lease, if it is still the debate's.
pub(crate) async fn change(
    connection: &mut PgConnection,
    lease: &Lease,
    owner: Option<&str>,
    term: LeaseTerm,
) -> Result<u64, StoreError> {
    let changed = sqlx::query(concat!(
        "UPDATE runs SET owner = $4, lease_until = $5, boot_until = $6, server_until = ",
        server_now!(),
        " + $7 WHERE debate_id = $1 AND epoch = $2 AND owner = $3"
    ))
    .bind(&lease.id)
    .bind(signed(lease.epoch))
    .bind(&lease.owner)
    .bind(owner)
    .bind(term.until)
    .bind(term.boot_until)
    .bind(term.lasts)
    .execute(connection)
    .await?;
    if changed.rows_affected() == 0 {
        return Err(StoreError::NotRunner { id: lease.id.clone() });
    }
    Ok(lease.epoch)
}

/// Returns the lease of a debate, whether it runs or not.
pub(crate) async fn of(pool: &PgPool, id: &str) -> Result<LeaseView, StoreError> {
    let sql = concat!(
        "SELECT epoch, owner, lease_until, boot_until, server_until - ",
        server_now!(),
        " AS lasts FROM runs WHERE debate_id = $1"
    );
    let row = sqlx::query(sql).bind(id).fetch_optional(pool).await?;
    row.as_ref().map_or_else(|| Ok(LeaseView::default()), view)
}

/// Returns the standing of a debate, in one read; `None` if there is no such debate.
pub(crate) async fn standing(
    pool: &PgPool,
    id: &str,
) -> Result<Option<DebateStanding>, StoreError> {
    let query = sqlx::query(concat!(
        "SELECT d.last_seq, COALESCE(r.epoch, 0) AS epoch, r.owner,
                 COALESCE(r.lease_until, 0) AS lease_until, r.boot_until, r.server_until - ",
        server_now!(),
        " AS lasts, EXISTS (SELECT 1 FROM commands c
                 WHERE c.debate_id = d.id AND c.handled = 0) AS is_commanded
             FROM debates d LEFT JOIN runs r ON r.debate_id = d.id WHERE d.id = $1"
    ));
    let Some(row) = query.bind(id).fetch_optional(pool).await? else { return Ok(None) };
    Ok(Some(DebateStanding {
        last_seq: u64::try_from(row.try_get::<i64, _>("last_seq")?).unwrap_or(0),
        lease: view(&row)?,
        is_commanded: row.try_get("is_commanded")?,
    }))
}

/// Returns the active debates with their leases, oldest first.
pub(crate) async fn of_active(pool: &PgPool) -> Result<Vec<(String, LeaseView)>, StoreError> {
    let query = sqlx::query(concat!(
        "SELECT d.id, COALESCE(r.epoch, 0) AS epoch, r.owner,
                 COALESCE(r.lease_until, 0) AS lease_until, r.boot_until, r.server_until - ",
        server_now!(),
        " AS lasts FROM debates d LEFT JOIN runs r ON r.debate_id = d.id
             WHERE d.status = 'active' ORDER BY d.created, d.id"
    ));
    let rows = query.fetch_all(pool).await?;
    rows.iter().map(|row| Ok((row.try_get("id")?, view(row)?))).collect()
}

fn view(row: &PgRow) -> Result<LeaseView, StoreError> {
    let epoch: i64 = row.try_get("epoch")?;
    let term = LeaseTerm {
        until: row.try_get("lease_until")?,
        boot_until: row.try_get("boot_until")?,
        lasts: row.try_get("lasts")?,
    };
    Ok(LeaseView { owner: row.try_get("owner")?, epoch: u64::try_from(epoch).unwrap_or(0), term })
}
