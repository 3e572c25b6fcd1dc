//! The settings in force, the library beneath, and a migration cut short.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
use sqlx::sqlite::SqliteConnection;
use sqlx::{ConnectOptions, Row};

use super::{is_recent, migrate, options, tables_hash, verify_tables, writer_options};
use crate::sqlite::format::{APPLICATION_ID, SCHEMA_VERSION, TABLES_HASH};
use crate::store::Store;

async fn ask(connection: &mut SqliteConnection, sql: &'static str) -> String {
    let row = sqlx::query(sql).fetch_one(connection).await.unwrap();
    row.try_get::<i64, _>(0).map_or_else(|_| row.get(0), |number| number.to_string())
}

#[tokio::test]
async fn the_library_is_one_that_keeps_its_wal_whole() {
    let mut connection =
        options(":memory:".as_ref()).create_if_missing(true).connect().await.unwrap();
    let library = ask(&mut connection, "SELECT sqlite_version()").await;
    assert!(is_recent(&library), "{library}");
    for (version, recent) in [
        ("3.51.3", true),
        ("3.53.0", true),
        ("4.0.0", true),
        ("3.51.2", false),
        ("3.46.0", false),
        ("", false),
    ] {
        assert_eq!(is_recent(version), recent, "{version}");
    }
}

#[tokio::test]
async fn every_setting_that_durability_rests_on_is_in_force() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    Store::open(&path).await.unwrap().close().await;
    let mut connection = writer_options(&path).connect().await.unwrap();
    for (pragma, wanted) in [
        ("PRAGMA journal_mode", "wal"),
        ("PRAGMA synchronous", "2"),
        ("PRAGMA foreign_keys", "1"),
        ("PRAGMA busy_timeout", "5000"),
        ("PRAGMA wal_autocheckpoint", "8000"),
        ("PRAGMA page_size", "1024"),
        ("PRAGMA journal_size_limit", "67108864"),
        ("PRAGMA trusted_schema", "0"),
        ("PRAGMA cell_size_check", "1"),
        ("PRAGMA secure_delete", "1"),
    ] {
        assert_eq!(ask(&mut connection, pragma).await, wanted, "{pragma}");
    }
    assert_eq!(ask(&mut connection, "PRAGMA application_id").await, APPLICATION_ID.to_string());
    assert_eq!(ask(&mut connection, "PRAGMA user_version").await, SCHEMA_VERSION.to_string());
}

#[tokio::test]
async fn a_migration_that_was_cut_short_is_made_again_from_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let mut dying = options(&path).create_if_missing(true).connect().await.unwrap();
    // The first half of a migration, and then the process is no more.
    for sql in ["BEGIN IMMEDIATE", "CREATE TABLE debates (half TEXT)"] {
        sqlx::query(sql).execute(&mut dying).await.unwrap();
    }
    drop(dying);
    let mut connection = options(&path).connect().await.unwrap();
    migrate(&mut connection).await.unwrap();
    assert_eq!(ask(&mut connection, "PRAGMA user_version").await, SCHEMA_VERSION.to_string());
    assert_eq!(ask(&mut connection, "SELECT count(*) FROM debates WHERE topic = ''").await, "0");
}

#[tokio::test]
async fn the_tables_of_a_new_file_have_the_hash_that_every_file_is_held_to() {
    let mut connection =
        options(":memory:".as_ref()).create_if_missing(true).connect().await.unwrap();
    migrate(&mut connection).await.unwrap();
    assert_eq!(tables_hash(&mut connection).await.unwrap(), TABLES_HASH);
    sqlx::query("ALTER TABLE runs RENAME COLUMN owner TO owned")
        .execute(&mut connection)
        .await
        .unwrap();
    assert!(verify_tables(&mut connection).await.is_err());
}
