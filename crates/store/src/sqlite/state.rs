//! Reads the state of one debate under the write lock, all in one go.

use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::statements::script::SqlScript;
use super::tables::{debates, people};
use crate::error::StoreError;
use crate::lease::LeaseRow;
use crate::request::debate_state::DebateState;
use crate::spending::{CallEntries, CallOwner, CallRow, person_day_account, person_month_account};

/// Reads a debate's row and lease, the accounts that the budgets of these calls look at,
/// and the calls of these asks, after the statements that the script holds already.
pub(crate) async fn read(
    (mut script, connection): (SqlScript, &mut SqliteConnection),
    id: &str,
    budgeted: Option<&CallEntries>,
    asks: &[String],
) -> Result<DebateState, StoreError> {
    script
        .say(
            "SELECT 'debate' AS what, d.id, d.topic, d.mode, d.agents, d.status, d.rounds,
                     d.rounds_done, d.cost_micro, d.unpriced_calls, d.created, d.updated,
                     d.last_seq, d.earlier, d.hash, d.owner, d.shared, p.day_micro, p.month_micro,
                     r.epoch, r.owner AS runner, r.lease_until
                 FROM debates d LEFT JOIN runs r ON r.debate_id = d.id
                     LEFT JOIN people p ON p.name = d.owner WHERE d.id = ?",
        )
        .with(id);
    if let Some(calls) = budgeted {
        let accounts = calls.accounts(id, None);
        script.say("SELECT 'account' AS what, name, bound_micro FROM accounts WHERE name IN ");
        script.list(accounts.iter().map(String::as_str));
        // The owner is known only when the row is read, in this same go.
        let [day, month] = [person_day_account, person_month_account].map(|of| calls.account(of));
        script
            .say(
                "SELECT 'account' AS what, a.name, a.bound_micro FROM debates d JOIN accounts a
                     ON a.name IN (REPLACE(?, '?', d.owner), REPLACE(?, '?', d.owner))
                 WHERE d.id = ?",
            )
            .with(day)
            .with(month)
            .with(id);
    }
    if !asks.is_empty() {
        script
            .say(
                "SELECT 'call' AS what, ask, state, day, COALESCE(reserved_micro, 0) AS reserved
                     FROM calls WHERE debate_id = ? AND ask IN ",
            )
            .with(id)
            .list(asks.iter().map(String::as_str));
    }
    let mut state = DebateState::default();
    for row in script.rows(connection).await? {
        take(&mut state, &row)?;
    }
    Ok(state)
}

fn take(state: &mut DebateState, row: &SqliteRow) -> Result<(), StoreError> {
    match row.try_get("what")? {
        "debate" => {
            state.listed = Some(debates::read(row));
            if let Some(epoch) = row.try_get("epoch")? {
                let (owner, until) = (row.try_get("runner")?, row.try_get("lease_until")?);
                state.lease = Some(LeaseRow { epoch, owner, until });
            }
            if let Some(name) = row.try_get("owner")? {
                state.spending.owner = Some(CallOwner { name, budget: people::budget(row)? });
            }
        }
        "account" => {
            state.spending.accounts.push((row.try_get("name")?, row.try_get("bound_micro")?));
        }
        _ => state.spending.calls.push(CallRow {
            ask: row.try_get("ask")?,
            held: row.try_get::<&str, _>("state")? == "held",
            day: row.try_get("day")?,
            reserved: row.try_get("reserved")?,
        }),
    }
    Ok(())
}
