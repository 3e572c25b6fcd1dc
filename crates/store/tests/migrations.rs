//! A process that is killed while it brings an older file up to date leaves one
//! that the next process brings up to date, with everything in it.
//!
//! The long form, 20 kills: `ROUNDTABLE_LONG=1 cargo test -p roundtable-store --test migrations`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]
#![cfg(unix)]

mod scene;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use debate::model::Event;
use scene::scene;
use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
use store::{APPLICATION_ID, LogEntry, SCHEMA_VERSION, SealedEntry, Store, StoreError};

/// Set where a test runs as the child of another; without it a child does nothing.
const CHILD: &str = "ROUNDTABLE_CHILD";
/// Debates in the file, so that there is something to migrate.
const DEBATES: usize = 150;

#[allow(clippy::disallowed_methods, reason = "a test may be asked to do more")]
fn kills() -> usize {
    if std::env::var_os("ROUNDTABLE_LONG").is_some() { 20 } else { 4 }
}

#[tokio::test]
async fn child_opens() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    Store::open(Path::new("roundtable.db")).await.unwrap().close().await;
}

fn opening(dir: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_opens"])
        .env(CHILD, "1")
        .current_dir(dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The formats up to the version before the search.
const OLDER: [&str; 3] = [
    include_str!("../migrations/sqlite/0001_debates.sql"),
    include_str!("../migrations/sqlite/0002_books.sql"),
    include_str!("../migrations/sqlite/0003_outcomes.sql"),
];

/// Writes a file as the version before the search wrote it, with these logs.
async fn older(path: &Path, logs: &[(String, Vec<SealedEntry>)]) {
    let old = path.with_extension("old");
    let options = SqliteConnectOptions::new().filename(&old).create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    for sql in OLDER {
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    }
    let new = path.to_str().unwrap();
    sqlx::query("ATTACH ? AS new").bind(new).execute(&mut connection).await.unwrap();
    for sql in [
        "INSERT INTO debates SELECT id, topic, mode, agents, status, rounds, rounds_done, cost_micro,
             unpriced_calls, created, updated, last_seq, words, hash FROM new.debates",
        "INSERT INTO parties SELECT * FROM new.parties",
        "INSERT INTO calls SELECT debate_id, ask, attempt, day, provider, model, state,
             reserved_micro, cost_micro FROM new.calls",
        "INSERT INTO accounts SELECT * FROM new.accounts",
    ] {
        sqlx::query(sql).execute(&mut connection).await.unwrap();
    }
    for (id, log) in logs {
        for entry in log {
            sqlx::query("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)")
                .bind(id)
                .bind(entry.seq as i64)
                .bind(entry.at)
                .bind(&entry.kind)
                .bind(&entry.json)
                .bind(&entry.hash)
                .execute(&mut connection)
                .await
                .unwrap();
        }
    }
    for sql in [
        "DETACH new".to_owned(),
        format!("PRAGMA application_id = {APPLICATION_ID}"),
        format!("PRAGMA user_version = {}", OLDER.len()),
    ] {
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
    std::fs::rename(old, path).unwrap();
}

async fn version(path: &Path) -> i64 {
    let mut connection = SqliteConnectOptions::new().filename(path).connect().await.unwrap();
    let found = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    found
}

async fn logs(store: &Store) -> Vec<Vec<LogEntry>> {
    let mut logs = Vec::new();
    for number in 0..DEBATES {
        logs.push(store.log(&format!("d{number}")).await.unwrap());
    }
    logs
}

/// A whole debate that was really held, many times over.
async fn filled() -> (scene::Scene, Vec<Vec<LogEntry>>) {
    let scene = scene().await;
    let held: Vec<Event> = include_str!("data/log-v1.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut creating = tokio::task::JoinSet::new();
    for number in 0..DEBATES {
        let (store, held) = (scene.store.clone(), held.clone());
        creating.spawn(async move { store.create(&format!("d{number}"), 1, &held).await });
    }
    for created in creating.join_all().await {
        created.unwrap();
    }
    let logs = logs(&scene.store).await;
    let mut sealed = Vec::new();
    for number in 0..DEBATES {
        let id = format!("d{number}");
        let log = scene.store.sealed_log(&id).await.unwrap();
        sealed.push((id, log));
    }
    scene.store.close().await;
    older(&scene.path, &sealed).await;
    (scene, logs)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_in_a_migration_leaves_a_file_that_can_be_migrated() {
    let (scene, logs) = filled().await;
    let place = |name: &str| {
        let dir = scene.dir.path().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::copy(&scene.path, dir.join("roundtable.db")).unwrap();
        dir
    };
    // How long it takes when nobody kills it.
    let dir = place("whole");
    let began = Instant::now();
    assert!(opening(&dir).wait().unwrap().success());
    let takes = began.elapsed();
    assert_eq!(version(&dir.join("roundtable.db")).await, SCHEMA_VERSION);
    let mut unfinished = 0;
    for number in 0..kills() {
        let dir = place(&format!("kill-{number}"));
        let path = dir.join("roundtable.db");
        let mut child = opening(&dir);
        // From the beginning to the end.
        let share = 0.05 + 0.95 * (number as f64 + 0.5) / kills() as f64;
        tokio::time::sleep(takes.mul_f64(share)).await;
        child.kill().unwrap();
        child.wait().unwrap();
        unfinished += usize::from(version(&path).await < SCHEMA_VERSION);
        let store = Store::open(&path).await.unwrap();
        assert_eq!(version(&path).await, SCHEMA_VERSION);
        assert_eq!(self::logs(&store).await, logs, "kill {number}");
        assert_eq!(store.check().await, Ok(vec![]), "kill {number}");
        store.close().await;
        std::fs::remove_dir_all(dir).unwrap();
    }
    println!(
        "{0} of {0} whole after a kill within {takes:?}; {unfinished} had not been migrated yet",
        kills()
    );
    assert!(unfinished > 0, "every kill came too late");
}

/// Runs a statement on the file as it lies there.
async fn done(path: &Path, sql: &'static str) {
    let options = SqliteConnectOptions::new().filename(path).foreign_keys(false);
    let mut connection = options.connect().await.unwrap();
    sqlx::query(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_would_lose_something_stays_as_it_is() {
    let (scene, logs) = filled().await;
    let before = version(&scene.path).await;
    done(&scene.path, "UPDATE debates SET id = 'gone' WHERE id = 'd7'").await;
    let opened = Store::open(&scene.path).await;
    assert!(matches!(opened, Err(StoreError::Corrupt { .. })), "{:?}", opened.err());
    assert!((before..SCHEMA_VERSION).contains(&version(&scene.path).await));

    done(&scene.path, "UPDATE debates SET id = 'd7' WHERE id = 'gone'").await;
    let running = "INSERT INTO runs (debate_id, epoch, owner, lease_until)
        VALUES ('d7', 1, 'process 1 (1) on a b c', (unixepoch() + 30) * 1000)";
    done(&scene.path, running).await;
    let opened = Store::open(&scene.path).await;
    assert!(matches!(opened, Err(StoreError::Taken { .. })), "{:?}", opened.err());
    assert!((before..SCHEMA_VERSION).contains(&version(&scene.path).await));

    done(&scene.path, "UPDATE runs SET lease_until = lease_until + 366 * 86400000").await;
    let store = Store::open(&scene.path).await.unwrap();
    assert_eq!(self::logs(&store).await, logs);
    assert_eq!(store.check().await, Ok(vec![]));
    store.close().await;
}
