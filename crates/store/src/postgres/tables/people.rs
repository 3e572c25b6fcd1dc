//! The tables `people`, `tokens` and `audit`.

use sqlx::postgres::{PgArguments, PgConnection, PgPool, PgRow};

/// A lock of the server lets in one change at a time.
pub(crate) async fn write_alone(
    connection: &mut PgConnection,
    change: &PeopleWrite,
) -> Result<u64, StoreError> {
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('people', 0))";
    sqlx::query(lock).execute(&mut *connection).await?;
    write(connection, change).await
}

async fn all(
    pool: &PgPool,
    query: sqlx::query::Query<'_, sqlx::Postgres, PgArguments>,
) -> Result<Vec<PgRow>, StoreError> {
    Ok(query.fetch_all(pool).await?)
}

crate::people::sql::people_tables!(PgPool, PgConnection, PgRow, all);
