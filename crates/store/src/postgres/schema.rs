//! Connections and the tables behind them. Migrations run under a lock of the server, so that
//! of many nodes that start at once one migrates and the others wait.
#![allow(clippy::disallowed_methods, reason = "this is the door")]

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Row};

use crate::address::ServerAddress;
use crate::error::StoreError;

/// In order; the n-th brings a database to version n. Never edited once released.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/postgres/0001_all.sql"),
    include_str!("../../migrations/postgres/0002_cached_tokens.sql"),
    include_str!("../../migrations/postgres/0003_people.sql"),
];
/// The oldest server whose behaviour this was tried with: 13, as its number says it.
const OLDEST_SERVER: i32 = 130_000;
/// Our mark among the server's advisory locks: `RTbl` in ASCII.
const LOCK: i64 = 0x5254_626c;
const CONNECTIONS: u32 = 16;
const BESIDE: u32 = 2;
const PATIENCE: Duration = Duration::from_secs(10);
/// A statement that waits longer for a lock is tried again, and a process that stands still in
/// the middle of a transaction does not hold up the others.
/// They are set on each connection, because poolers refuse them as options of a connection.
const SETTINGS: &str = "SET lock_timeout = '5s'; SET statement_timeout = '60s';
    SET idle_in_transaction_session_timeout = '5s'";

pub(crate) async fn connect(address: &ServerAddress) -> Result<PgPool, StoreError> {
    // A server that is away comes back; whatever else is wrong stays so.
    let wrong = |error: sqlx::Error| {
        let (server, why) = (address.to_string(), error.to_string());
        match StoreError::from(error) {
            StoreError::Away { .. } => StoreError::Away { what: format!("{server}: {why}") },
            _ => StoreError::Unreachable { server, why },
        }
    };
    let options = PgConnectOptions::from_str(address.secret())
        .map_err(wrong)?
        .application_name("roundtable")
        // Poolers refuse it, and no column holds such a number.
        .extra_float_digits(None)
        .disable_statement_logging();
    let pool = settled(CONNECTIONS).connect_with(options).await.map_err(wrong)?;
    if is_pooled_by_transaction(&pool).await.map_err(wrong)? {
        return Err(StoreError::Unreachable {
            server: address.to_string(),
            why: "a pooler in between gives each transaction another connection; set its \
                  pool_mode to session, or name the server itself"
                .into(),
        });
    }
    let version = sqlx::query("SELECT current_setting('server_version_num')::int4");
    let version: i32 = version.fetch_one(&pool).await.map_err(wrong)?.try_get(0)?;
    if version < OLDEST_SERVER {
        return Err(StoreError::Unreachable {
            server: address.to_string(),
            why: format!(
                "it is PostgreSQL {}, and {} or newer is needed",
                version / 10_000,
                OLDEST_SERVER / 10_000
            ),
        });
    }
    Ok(pool)
}

/// A few connections to the same database beside these, opened when they are needed.
pub(crate) fn beside(pool: &PgPool) -> PgPool {
    let options = PgConnectOptions::clone(&pool.connect_options());
    settled(BESIDE).connect_lazy_with(options)
}

/// A pool of at most so many connections with our settings.
fn settled(most: u32) -> PgPoolOptions {
    PgPoolOptions::new().max_connections(most).acquire_timeout(PATIENCE).after_connect(
        |connection, _| {
            Box::pin(async move { sqlx::raw_sql(SETTINGS).execute(connection).await.map(drop) })
        },
    )
}

/// Tells whether two connections that are open at once are one at the server: a pooler lends it to
/// whoever sends the next transaction. Statements that were prepared on it, and the settings above,
/// would be another's.
async fn is_pooled_by_transaction(pool: &PgPool) -> Result<bool, sqlx::Error> {
    let (mut one, mut other) = (pool.acquire().await?, pool.acquire().await?);
    let mut seen = Vec::new();
    for connection in [&mut one, &mut other] {
        let row = sqlx::raw_sql("SELECT pg_backend_pid()").fetch_one(&mut **connection).await?;
        seen.push(row.try_get::<i32, _>(0)?);
    }
    Ok(seen[0] == seen[1])
}

/// Brings the tables up to date, all in one transaction.
pub(crate) async fn migrate(pool: &PgPool, address: &ServerAddress) -> Result<(), StoreError> {
    if version(&mut *pool.acquire().await?).await? == newest() {
        return Ok(());
    }
    let mut transaction = pool.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
    let found = version(&mut transaction).await?;
    refuse_newer(found, address)?;
    if found == 0 {
        sqlx::query("CREATE TABLE roundtable_format (version BIGINT NOT NULL)")
            .execute(&mut *transaction)
            .await?;
        sqlx::query("INSERT INTO roundtable_format VALUES (0)").execute(&mut *transaction).await?;
    }
    for (version, sql) in (1_i64..).zip(MIGRATIONS) {
        if version > found {
            sqlx::raw_sql(*sql).execute(&mut *transaction).await?;
        }
    }
    sqlx::query("UPDATE roundtable_format SET version = $1")
        .bind(newest())
        .execute(&mut *transaction)
        .await?;
    Ok(transaction.commit().await?)
}

/// Refuses a database without our tables.
pub(crate) async fn must_exist(pool: &PgPool, address: &ServerAddress) -> Result<(), StoreError> {
    let found = version(&mut *pool.acquire().await?).await?;
    if found == 0 {
        return Err(StoreError::Missing { path: address.to_string().into() });
    }
    if found < newest() {
        return migrate(pool, address).await;
    }
    refuse_newer(found, address)
}

fn refuse_newer(found: i64, address: &ServerAddress) -> Result<(), StoreError> {
    if found <= newest() {
        return Ok(());
    }
    Err(StoreError::Newer { path: address.to_string().into(), found, known: newest() })
}

fn newest() -> i64 {
    MIGRATIONS.len() as i64
}

/// The version of the tables; 0 where there are none.
async fn version(connection: &mut PgConnection) -> Result<i64, StoreError> {
    let there = sqlx::query("SELECT to_regclass('roundtable_format') IS NOT NULL");
    if !there.fetch_one(&mut *connection).await?.try_get::<bool, _>(0)? {
        return Ok(0);
    }
    let stored = sqlx::query("SELECT version FROM roundtable_format");
    Ok(stored.fetch_one(connection).await?.try_get(0)?)
}
