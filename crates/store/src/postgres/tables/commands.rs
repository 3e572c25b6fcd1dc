//! The table `commands`: the mailbox of every debate.

use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};

use super::debates;
use crate::error::StoreError;
use crate::log_row::signed;
use crate::mailbox::{CommandFate, DebateCommand, PendingCommand, RawCommand, command_hash};
use crate::people::Reach;
use crate::postgres::changes;

/// Adds a command and returns its number. The debate's row is locked, so no other has it.
pub(crate) async fn send(
    connection: &mut PgConnection,
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
    .bind(text.as_bytes())
    .bind(command_hash(id, last + 1, at, kind, &text))
    .execute(&mut *connection)
    .await?;
    // Sent with the commit.
    let hint = sqlx::query("SELECT pg_notify($1, $2)").bind(changes::CHANNEL).bind(id);
    hint.execute(connection).await?;
    Ok(u64::try_from(last + 1).unwrap_or(0))
}

/// Marks the commands up to `number` as obeyed.
pub(crate) async fn obey(
    connection: &mut PgConnection,
    id: &str,
    number: u64,
) -> Result<(), StoreError> {
    let sql = "UPDATE commands SET handled = 1
               WHERE debate_id = $1 AND number <= $2 AND handled = 0";
    sqlx::query(sql).bind(id).bind(signed(number)).execute(connection).await?;
    Ok(())
}

/// Marks one command as not obeyed, with the reason.
pub(crate) async fn refuse(
    connection: &mut PgConnection,
    id: &str,
    number: u64,
    why: &str,
) -> Result<(), StoreError> {
    let sql = "UPDATE commands SET handled = 1, refusal = $3 WHERE debate_id = $1 AND number = $2";
    let why = why.replace('\0', "");
    sqlx::query(sql).bind(id).bind(signed(number)).bind(why).execute(connection).await?;
    Ok(())
}

/// Returns the commands that were not handled yet, of one debate or of all, in order.
pub(crate) async fn pending(
    pool: &PgPool,
    id: Option<&str>,
) -> Result<Vec<PendingCommand>, StoreError> {
    let rows = sqlx::query(
        "SELECT debate_id, number, at, kind, text, hash FROM commands
         WHERE handled = 0 AND ($1::text IS NULL OR debate_id = $1) ORDER BY debate_id, number",
    );
    rows.bind(id).fetch_all(pool).await?.iter().map(read).collect()
}

fn read(row: &PgRow) -> Result<PendingCommand, StoreError> {
    let text: Vec<u8> = row.try_get("text")?;
    let raw = RawCommand {
        id: row.try_get("debate_id")?,
        number: row.try_get("number")?,
        at: row.try_get("at")?,
        kind: row.try_get("kind")?,
        text: String::from_utf8_lossy(&text).into_owned(),
        hash: row.try_get("hash")?,
    };
    raw.check()
}

/// Returns the result of a command.
pub(crate) async fn fate(
    pool: &PgPool,
    reach: &Reach,
    id: &str,
    number: u64,
) -> Result<CommandFate, StoreError> {
    let sql = "SELECT handled, refusal FROM commands WHERE debate_id = $1 AND number = $2";
    let row = sqlx::query(sql).bind(id).bind(signed(number)).fetch_optional(pool).await?;
    let Some(row) = row else {
        return Err(debates::unknown(pool, reach, id).await?);
    };
    Ok(CommandFate::of(row.try_get::<i64, _>(0)? != 0, row.try_get(1)?))
}
