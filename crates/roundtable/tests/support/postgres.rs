//! A part of the PostgreSQL server that is there for tests.

use sqlx::Connection as _;

/// Makes a part that nothing else uses and returns its address; `None` where there is no server.
pub async fn database(name: &str) -> Option<String> {
    let server = proof::postgres()?;
    let mut connection = sqlx::PgConnection::connect(&server).await.unwrap();
    let name = format!("{name}_{}", std::process::id());
    for sql in [format!("DROP SCHEMA IF EXISTS {name} CASCADE"), format!("CREATE SCHEMA {name}")] {
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
    Some(proof::postgres_schema(&server, &name))
}
