//! Reads the state of one debate and locks it until the transaction ends: first the debate's
//! row, then the accounts in the order of their names, so that no two requests can wait for
//! each other.

use sqlx::Row;
use sqlx::postgres::PgConnection;

use super::tables::{debates, people};
use crate::error::StoreError;
use crate::lease::LeaseRow;
use crate::request::debate_state::DebateState;
use crate::spending::{CallEntries, CallOwner, CallRow};

/// Reads a debate's row and lease, the accounts that the budgets of these calls look at, and the
/// calls of these asks.
pub(crate) async fn read(
    connection: &mut PgConnection,
    id: &str,
    budgeted: Option<&CallEntries>,
    asks: &[String],
) -> Result<DebateState, StoreError> {
    let mut state = DebateState::default();
    let row = sqlx::query(
        "SELECT d.*, p.day_micro, p.month_micro
         FROM debates d LEFT JOIN people p ON p.name = d.owner WHERE d.id = $1 FOR UPDATE OF d",
    );
    let row = row.bind(id).fetch_optional(&mut *connection).await?;
    state.listed = row.as_ref().map(debates::read);
    if let Some(row) = &row {
        if let Some(name) = row.try_get("owner")? {
            state.spending.owner = Some(CallOwner { name, budget: people::budget(row)? });
        }
        let lease = sqlx::query("SELECT epoch, owner, lease_until FROM runs WHERE debate_id = $1")
            .bind(id)
            .fetch_optional(&mut *connection)
            .await?;
        if let Some(row) = lease {
            let (epoch, owner) = (row.try_get("epoch")?, row.try_get("owner")?);
            state.lease = Some(LeaseRow { epoch, owner, until: row.try_get("lease_until")? });
        }
    }
    if let Some(calls) = budgeted {
        let owner = state.spending.owner.as_ref().map(|owner| owner.name.as_str());
        let names = calls.accounts(id, owner);
        lock_accounts(connection, names, &mut state).await?;
    }
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
    mut names: Vec<String>,
    state: &mut DebateState,
) -> Result<(), StoreError> {
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
