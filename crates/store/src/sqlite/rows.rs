//! Reads rows through the pool of readers. When SQLite's thread panics in the
//! middle, as it may over a damaged file, its channel just ends and the rows look
//! complete; so every read asks its connection for a sign of life afterwards.

use futures::TryStreamExt as _;
use sqlx::Connection;
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqlitePool, SqliteRow};

use crate::error::StoreError;

type SqliteQuery<'q> = Query<'q, Sqlite, SqliteArguments>;

/// Returns all rows.
pub(crate) async fn all(
    readers: &SqlitePool,
    query: SqliteQuery<'_>,
) -> Result<Vec<SqliteRow>, StoreError> {
    let mut connection = readers.acquire().await?;
    let rows = query.fetch_all(&mut *connection).await?;
    connection.ping().await?;
    Ok(rows)
}

/// Reads rows one after the other, so that only one of them is in memory.
pub(crate) async fn each(
    readers: &SqlitePool,
    query: SqliteQuery<'_>,
    mut read: impl FnMut(&SqliteRow) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut connection = readers.acquire().await?;
    let mut found = query.fetch(&mut *connection);
    while let Some(row) = found.try_next().await? {
        read(&row)?;
    }
    drop(found);
    connection.ping().await?;
    Ok(())
}

/// Returns the first row, if there is one.
pub(crate) async fn first(
    readers: &SqlitePool,
    query: SqliteQuery<'_>,
) -> Result<Option<SqliteRow>, StoreError> {
    let mut connection = readers.acquire().await?;
    let row = query.fetch_optional(&mut *connection).await?;
    connection.ping().await?;
    Ok(row)
}
