//! The table `commands`: the mailbox of every debate.

use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};

use super::debates;
use crate::error::StoreError;
use crate::log_row::signed;
use crate::mailbox::{CommandFate, DebateCommand, PendingCommand, RawCommand, command_hash};
use crate::people::Reach;
use crate::sqlite::statements::rows;
use crate::sqlite::statements::script::SqlScript;

/// Adds a command and returns its number.
pub(crate) async fn send(
    connection: &mut SqliteConnection,
    id: &str,
    at: i64,
    command: &DebateCommand,
) -> Result<u64, StoreError> {
    let last: i64 =
        sqlx::query("SELECT COALESCE(MAX(number), 0) FROM commands WHERE debate_id = $1")
            .bind(id)
            .fetch_one(&mut *connection)
            .await?
            .try_get(0)?;
    let (kind, text) = command.columns();
    sqlx::query(
        "INSERT INTO commands (debate_id, number, at, kind, text, handled, hash)
         VALUES ($1, $2, $3, $4, $5, 0, $6)",
    )
    .bind(id)
    .bind(last + 1)
    .bind(at)
    .bind(kind)
    .bind(text.as_ref())
    .bind(command_hash(id, last + 1, at, kind, &text))
    .execute(connection)
    .await?;
    Ok(u64::try_from(last + 1).unwrap_or(0))
}

/// Marks the commands up to `number` as obeyed.
pub(crate) fn obey(script: &mut SqlScript, id: &str, number: u64) {
    script
        .say("UPDATE commands SET handled = 1 WHERE debate_id = ? AND number <= ? AND handled = 0")
        .with(id)
        .with(signed(number));
}

/// Marks one command as not obeyed, with the reason.
pub(crate) async fn refuse(
    connection: &mut SqliteConnection,
    id: &str,
    number: u64,
    why: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE commands SET handled = 1, refusal = $3 WHERE debate_id = $1 AND number = $2",
    )
    .bind(id)
    .bind(signed(number))
    .bind(why)
    .execute(connection)
    .await?;
    Ok(())
}

/// Returns the commands that were not handled yet, of one debate or of all, in
/// order.
pub(crate) async fn pending(
    readers: &SqlitePool,
    id: Option<&str>,
) -> Result<Vec<PendingCommand>, StoreError> {
    let rows = rows::all(
        readers,
        sqlx::query(
            "SELECT debate_id, number, at, kind, text, hash FROM commands
         WHERE handled = 0 AND ($1 IS NULL OR debate_id = $1) ORDER BY debate_id, number",
        )
        .bind(id),
    )
    .await?;
    rows.iter().map(read).collect()
}

fn read(row: &SqliteRow) -> Result<PendingCommand, StoreError> {
    let raw = RawCommand {
        id: row.try_get("debate_id")?,
        number: row.try_get("number")?,
        at: row.try_get("at")?,
        kind: row.try_get("kind")?,
        text: row.try_get("text")?,
        hash: row.try_get("hash")?,
    };
    raw.check()
}

/// Returns the result of a command.
pub(crate) async fn fate(
    readers: &SqlitePool,
    reach: &Reach,
    id: &str,
    number: u64,
) -> Result<CommandFate, StoreError> {
    let row = rows::first(
        readers,
        sqlx::query("SELECT handled, refusal FROM commands WHERE debate_id = $1 AND number = $2")
            .bind(id)
            .bind(signed(number)),
    )
    .await?;
    let Some(row) = row else {
        return Err(debates::unknown(readers, reach, id).await?);
    };
    Ok(CommandFate::of(row.try_get::<i64, _>(0)? != 0, row.try_get(1)?))
}
