//! Reads rows through the pool of readers. When SQLite's thread panics in the
//! middle, as it may over a damaged file, its channel just ends and the rows look
//! complete; so every read asks for one more row behind them.

use futures::TryStreamExt as _;
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, Execute as _, Row as _};

use crate::error::StoreError;

type SqliteQuery<'q> = Query<'q, Sqlite, SqliteArguments>;

/// The one column of the row behind all others.
const END: &str = "end_of_rows";

/// The same query with the row behind all others.
fn with_end(mut query: SqliteQuery<'_>) -> Result<SqliteQuery<'static>, StoreError> {
    let values = query.take_arguments().map_err(sqlx::Error::Encode)?.unwrap_or_default();
    let sql = format!("{}; SELECT 1 AS {END}", query.sql().as_str());
    Ok(sqlx::query_with(AssertSqlSafe(sql), values))
}

fn is_end(row: &SqliteRow) -> bool {
    row.try_get_raw(END).is_ok()
}

/// Returns all rows.
pub(crate) async fn all(
    readers: &SqlitePool,
    query: SqliteQuery<'_>,
) -> Result<Vec<SqliteRow>, StoreError> {
    let mut connection = readers.acquire().await?;
    let mut rows = with_end(query)?.fetch_all(&mut *connection).await?;
    rows.pop().filter(is_end).ok_or(StoreError::Crashed)?;
    Ok(rows)
}

/// Reads rows one after the other, so that only one of them is in memory.
pub(crate) async fn each(
    readers: &SqlitePool,
    query: SqliteQuery<'_>,
    mut read: impl FnMut(&SqliteRow) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut connection = readers.acquire().await?;
    let mut found = with_end(query)?.fetch(&mut *connection);
    while let Some(row) = found.try_next().await? {
        if is_end(&row) {
            return Ok(());
        }
        read(&row)?;
    }
    Err(StoreError::Crashed)
}

/// Returns the first row, if there is one. The query finds one at most.
pub(crate) async fn first(
    readers: &SqlitePool,
    query: SqliteQuery<'_>,
) -> Result<Option<SqliteRow>, StoreError> {
    Ok(all(readers, query).await?.into_iter().next())
}
