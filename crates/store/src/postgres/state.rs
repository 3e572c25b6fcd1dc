//! Reads the state of one debate and locks it until the transaction ends: first the debate's
//! row, then the accounts in the order of their names, so that no two requests can wait for
//! each other.

use sqlx::Row;
use sqlx::postgres::PgConnection;

use super::tables::debates;
use crate::error::StoreError;
use crate::lease::LeaseRow;
use crate::request::debate_state::DebateState;
use crate::spending::CallRow;

/// Reads a debate's row and lease, the accounts of these names and the calls of these asks.
pub(crate) async fn read(
    connection: &mut PgConnection,
    id: &str,
    accounts: &[String],
    asks: &[String],
) -> Result<DebateState, StoreError> {
    let mut state = DebateState::default();
    let row = sqlx::query("SELECT * FROM debates WHERE id = $1 FOR UPDATE")
        .bind(id)
        .fetch_optional(&mut *connection)
        .await?;
    state.listed = row.as_ref().map(debates::read);
    if row.is_some() {
        let lease = sqlx::query("SELECT epoch, owner, lease_until FROM runs WHERE debate_id = $1")
            .bind(id)
            .fetch_optional(&mut *connection)
            .await?;
        if let Some(row) = lease {
            let (epoch, owner) = (row.try_get("epoch")?, row.try_get("owner")?);
            state.lease = Some(LeaseRow { epoch, owner, until: row.try_get("lease_until")? });
        }
    }
    lock_accounts(connection, accounts, &mut state).await?;
    if !asks.is_empty() {
        let rows = sqlx::query(
            "SELECT ask, state, day, COALESCE(reserved_micro, 0) AS reserved FROM calls
             WHERE debate_id = $1 AND ask = ANY($2)",
        );
        for row in rows.bind(id).bind(asks).fetch_all(connection).await? {
            state.spending.calls.push(CallRow {
                ask: row.try_get("ask")?,
                held: row.try_get::<&str, _>("state")? == "held",
                day: row.try_get("day")?,
                reserved: row.try_get("reserved")?,
            });
        }
    }
    Ok(state)
}

/// An account that is not there cannot be locked, so each is made first.
async fn lock_accounts(
    connection: &mut PgConnection,
    names: &[String],
    state: &mut DebateState,
) -> Result<(), StoreError> {
    if names.is_empty() {
        return Ok(());
    }
    let mut names = names.to_vec();
    names.sort_unstable();
    sqlx::query(
        "INSERT INTO accounts (name, bound_micro) SELECT name, 0 FROM unnest($1::text[]) AS name
         ON CONFLICT (name) DO NOTHING",
    )
    .bind(&names)
    .execute(&mut *connection)
    .await?;
    let rows = sqlx::query(
        "SELECT name, bound_micro FROM accounts WHERE name = ANY($1) ORDER BY name FOR UPDATE",
    );
    for row in rows.bind(&names).fetch_all(connection).await? {
        state.spending.accounts.push((row.try_get("name")?, row.try_get("bound_micro")?));
    }
    Ok(())
}
