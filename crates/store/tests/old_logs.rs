//! Logs of earlier versions still parse, say the same when written again, and
//! still lead to the verdict they led to; a database of the first release still
//! opens. The files in `data/` are recordings of real runs: add one per version,
//! with its hash, and never edit one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use debate::Debate;
use debate::model::Event;
use sqlx::{ConnectOptions, Connection, sqlite::SqliteConnectOptions};
use store::{DebateCommand, ListFilter, SCHEMA_VERSION, Store};

/// Every recording with its hash (BLAKE3).
const RECORDINGS: [(&str, &str); 4] = [
    ("first-release.sql", "35f3d4aaf4722ef6143dc3c6fa4878c04d8febe0ec323052bac239abc2d4d368"),
    ("log-v1.jsonl", "92ea44c7b17338e0f2ab9e9e0e85b1edffa4579941637a5f06272dd4a5128c06"),
    ("packed-1.bin", "9e49b187aa1af7d473ceeae102c2c0ce92e0d40287d51f4881659fe752ec32a3"),
    ("packed-2.bin", "a5b42117cb964a55c2cfb2c40504fa186d73d36d0305f6c4bfc6013df188d975"),
];

/// The debate in `first-release.sql`.
const FIRST: &str = "01jcq0first0release0000000";

fn recorded() -> Vec<(PathBuf, Vec<String>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut found: Vec<(PathBuf, Vec<String>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, text.lines().map(str::to_owned).collect())
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no recorded logs");
    found
}

fn read(path: &std::path::Path, line: usize, text: &str) -> Event {
    serde_json::from_str(text)
        .unwrap_or_else(|error| panic!("{} line {}: {error}", path.display(), line + 1))
}

#[test]
fn no_recording_was_ever_edited() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let hash = blake3::hash(&std::fs::read(entry.path()).unwrap());
            (entry.file_name().to_string_lossy().into_owned(), hash.to_hex().to_string())
        })
        .collect();
    found.sort();
    let wanted = RECORDINGS.map(|(name, hash)| (name.to_owned(), hash.to_owned()));
    assert_eq!(found, wanted, "a recording was edited, removed or added without its hash");
}

#[tokio::test]
async fn a_database_of_the_first_release_opens_with_everything_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
    let mut old = options.connect().await.unwrap();
    sqlx::raw_sql(include_str!("data/first-release.sql")).execute(&mut old).await.unwrap();
    old.close().await.unwrap();

    // Reading alone changes nothing, so it cannot bring the file up to date.
    let refused = Store::read_only(&path).await.map(drop).unwrap_err();
    assert!(refused.to_string().contains("older format (2"), "{refused}");

    let store = Store::open(&path).await.unwrap();
    let log = store.log(FIRST).await.unwrap();
    let recorded: Vec<Event> = include_str!("data/log-v1.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        log.iter().map(|entry| &entry.event).collect::<Vec<_>>(),
        recorded.iter().collect::<Vec<_>>()
    );
    let waiting = store.pending(FIRST).await.unwrap();
    assert_eq!(waiting[0].command, DebateCommand::Remark("Mind the cost".into()));
    // The words of its answers are found, although it knew no search.
    let filter = ListFilter { text: Some("400 visitors".into()), ..ListFilter::default() };
    assert_eq!(store.list(&filter).await.unwrap()[0].id, FIRST);
    assert_eq!(store.finished().await.unwrap()[0].id, FIRST);
    assert_eq!(store.check().await, Ok(vec![]));
    store.close().await;
    let mut new = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
    let version: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut new).await.unwrap();
    assert_eq!(version, SCHEMA_VERSION);
}

#[test]
fn every_recorded_event_says_the_same_when_written_again() {
    for (path, lines) in recorded() {
        for (line, text) in lines.iter().enumerate() {
            let event = read(&path, line, text);
            let again: Event =
                serde_json::from_str(&serde_json::to_string(&event).unwrap()).unwrap();
            assert_eq!(event, again, "{} line {}", path.display(), line + 1);
        }
    }
}

#[test]
fn every_recorded_debate_leads_to_the_verdict_it_led_to() {
    for (path, lines) in recorded() {
        let log: Vec<Event> =
            lines.iter().enumerate().map(|(line, text)| read(&path, line, text)).collect();
        let debate = Debate::replay(log.clone()).unwrap();
        let Some(Event::Ended { verdict, .. }) = log.last() else {
            panic!("{} does not end", path.display());
        };
        let mut found = debate.room().verdict.clone().unwrap();
        // Verdicts of that time had no card; it is made of what they say.
        assert_eq!(found.card.decision, verdict.decision.answer, "{}", path.display());
        found.card.clone_from(&verdict.card);
        assert_eq!(found, **verdict, "{}", path.display());
    }
}
