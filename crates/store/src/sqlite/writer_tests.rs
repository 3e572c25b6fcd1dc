//! A disk that is full, and requests that share a commit with ones that fail.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
use std::path::Path;

use debate::model::{Event, Remark};
use sqlx::ConnectOptions;

use super::{SqliteWriter, WriteConnection};
use crate::error::StoreError;
use crate::lease::{Lease, LeaseCondition, LeaseRequest, LeaseTerm};
use crate::request::{Durability, LeaseTurn, LogAppend, NewEvents, WriteRequest};
use crate::sqlite::file::OpenFiles;
use crate::sqlite::schema;
use crate::store::Store;

/// The smallest file with the tables in it, and a little room.
const PAGES: &str = "240";

async fn small_disk(path: &Path) -> SqliteWriter {
    let options = schema::writer_options(path).pragma("max_page_count", PAGES);
    let connection = options.connect().await.unwrap();
    SqliteWriter::start(path, options, connection)
}

fn remark(length: usize) -> Event {
    Event::Remarked { remark: Remark { round: 1, text: proof::noise(length) } }
}

fn append(id: &str, expected: u64, length: usize) -> WriteRequest {
    WriteRequest::Append(LogAppend {
        lease: Lease { id: id.into(), owner: "me".into(), epoch: 1 },
        expected,
        events: NewEvents::of(id, expected, 1, &[remark(length)]).unwrap(),
        caps: None,
        handled: None,
        turn: LeaseTurn::Held,
    })
}

/// A database with these debates, each opened and claimed.
async fn prepared(path: &Path, ids: &[&str]) -> Store {
    let store = Store::open(path).await.unwrap();
    let opened = include_str!("../../tests/data/log-v1.jsonl").lines().next().unwrap();
    let opened: Event = serde_json::from_str(opened).unwrap();
    for id in ids {
        store.create(id, 1, std::slice::from_ref(&opened)).await.unwrap();
        store.claim_run(id, "me", 1_000, 1).await.unwrap();
    }
    store
}

/// Another process, with as much room as the disk has.
async fn writer(path: &Path) -> SqliteWriter {
    let options = schema::writer_options(path);
    let connection = options.connect().await.unwrap();
    SqliteWriter::start(path, options, connection)
}

/// Has another process take over a debate.
async fn take_over(other: &Store, id: &str) {
    let condition = LeaseCondition::Over { epoch: 1 };
    let term = LeaseTerm { until: 2_000, ..LeaseTerm::default() };
    let (id, owner) = (id.to_owned(), "you".to_owned());
    let taken = LeaseRequest { id, owner, term, condition };
    other.write(WriteRequest::Lease(taken)).await.unwrap();
}

async fn synchronous(writing: &mut WriteConnection) -> i64 {
    let connection = writing.connection.as_mut().unwrap();
    sqlx::query_scalar("PRAGMA synchronous").fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn what_hurries_is_there_at_once_and_what_follows_waits_for_the_disk_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let store = prepared(&path, &["a"]).await;
    let options = schema::writer_options(&path);
    let connection = Some(options.connect().await.unwrap());
    let mut writing = WriteConnection {
        path: path.clone(),
        files: OpenFiles::at(&path),
        options,
        connection,
        waits: Durability::PowerCut,
        commits: Default::default(),
        memory: Default::default(),
    };
    let hurried = [Box::new(append("a", 1, 10))];
    assert_eq!(writing.commit(&hurried, Durability::Kill).await, [Ok(2)]);
    assert_eq!(store.log("a").await.unwrap().len(), 2);
    // What is refused changes nothing about that.
    assert!(writing.commit(&hurried, Durability::Kill).await[0].is_err());
    assert_eq!(synchronous(&mut writing).await, 1);
    let patient = [Box::new(append("a", 2, 10))];
    assert_eq!(writing.commit(&patient, Durability::PowerCut).await, [Ok(3)]);
    assert_eq!(synchronous(&mut writing).await, 2);
}

#[tokio::test]
async fn a_full_disk_is_said_so_and_work_goes_on_when_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let store = prepared(&path, &["big", "other"]).await;
    let writer = small_disk(&path).await;

    let mut last = 1;
    let full = loop {
        match writer.perform(append("big", last, 20_000)).await {
            Ok(seq) => last = seq,
            Err(error) => break error,
        }
    };
    assert_eq!(full, StoreError::Full);
    assert!(last > 2, "the disk was full from the start");
    // Nothing acknowledged is lost, nothing refused is there, twice over.
    assert_eq!(writer.perform(append("big", last, 20_000)).await, Err(StoreError::Full));
    assert_eq!(store.log("big").await.unwrap().len() as u64, last);
    assert_eq!(store.check().await, Ok(vec![]));

    writer.perform(WriteRequest::Delete { id: "big".into(), now: 9_999 }).await.unwrap();
    assert_eq!(writer.perform(append("other", 1, 20_000)).await, Ok(2));
    assert_eq!(store.log("other").await.unwrap().len(), 2);
    assert_eq!(store.check().await, Ok(vec![]));
}

#[tokio::test]
async fn work_that_breaks_a_commit_does_not_take_its_neighbours_along() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let store = prepared(&path, &["a", "b", "c"]).await;
    let writer = small_disk(&path).await;
    // All three wait while the task has not run yet, so they share a commit.
    let (a, b, c) = tokio::join!(
        writer.perform(append("a", 1, 10)),
        writer.perform(append("b", 1, 1_000_000)),
        writer.perform(append("c", 1, 10)),
    );
    assert_eq!((a, b, c), (Ok(2), Err(StoreError::Full), Ok(2)));
    for (id, length) in [("a", 2), ("b", 1), ("c", 2)] {
        assert_eq!(store.log(id).await.unwrap().len(), length, "{id}");
    }
}

#[tokio::test]
async fn work_that_is_refused_leaves_one_commit_for_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let store = prepared(&path, &["a", "b", "c"]).await;
    let writer = small_disk(&path).await;
    let (a, b, c) = tokio::join!(
        writer.perform(append("a", 1, 10)),
        writer.perform(append("b", 7, 10)),
        writer.perform(append("c", 1, 10)),
    );
    let conflict = StoreError::Conflict { id: "b".into(), expected: 7, found: 1 };
    assert_eq!((a, b, c), (Ok(2), Err(conflict), Ok(2)));
    assert_eq!(writer.commits(), 1);
    assert_eq!(store.log("b").await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_was_written_last_is_believed_only_while_it_is_true() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let other = prepared(&path, &["a", "b"]).await;
    let writer = writer(&path).await;
    assert_eq!(writer.perform(append("a", 1, 10)).await, Ok(2));
    assert_eq!(writer.perform(append("a", 2, 10)).await, Ok(3));
    // Another process changes the row, which is no reason to refuse.
    other.share("a", true).await.unwrap();
    assert_eq!(writer.perform(append("a", 3, 10)).await, Ok(4));
    assert!(other.get("a").await.unwrap().shared);
    // Another process takes the debate over and goes on with it, alone and in one commit with work
    // that has nothing to do with it.
    take_over(&other, "a").await;
    let refused = Err(StoreError::NotRunner { id: "a".into() });
    assert_eq!(writer.perform(append("a", 4, 10)).await, refused);
    assert_eq!(writer.perform(append("b", 1, 10)).await, Ok(2));
    let (a, b) =
        tokio::join!(writer.perform(append("a", 4, 10)), writer.perform(append("b", 2, 10)));
    assert_eq!((a, b), (refused, Ok(3)));
    // A debate that is gone, or whose log is not where it was left.
    assert_eq!(
        writer.perform(append("b", 2, 10)).await,
        Err(StoreError::Conflict { id: "b".into(), expected: 2, found: 3 })
    );
    assert_eq!(writer.perform(append("b", 3, 10)).await, Ok(4));
    other.delete("b", 9_999).await.unwrap();
    let gone = writer.perform(append("b", 4, 10)).await;
    assert_eq!(gone, Err(StoreError::Unknown { asked: "b".into(), recent: Vec::new() }));
    assert_eq!(other.log("a").await.unwrap().len(), 4);
    assert_eq!(other.check().await, Ok(vec![]));
}

#[tokio::test]
async fn what_was_believed_wrongly_takes_nothing_else_of_its_commit_along() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let other = prepared(&path, &["a", "b", "c"]).await;
    let writer = writer(&path).await;
    for id in ["a", "b", "c"] {
        assert_eq!(writer.perform(append(id, 1, 10)).await, Ok(2));
    }
    take_over(&other, "a").await;
    other.delete("c", 9_999).await.unwrap();
    let before = writer.commits();
    let (a, b, c) = tokio::join!(
        writer.perform(append("a", 2, 10)),
        writer.perform(append("b", 2, 10)),
        writer.perform(append("c", 2, 10)),
    );
    let lost = StoreError::NotRunner { id: "a".into() };
    let gone = StoreError::Unknown { asked: "c".into(), recent: Vec::new() };
    assert_eq!((a, b, c), (Err(lost), Ok(3), Err(gone)));
    assert_eq!(writer.commits(), before + 1);
    for (id, length) in [("a", 2), ("b", 3)] {
        assert_eq!(other.log(id).await.unwrap().len(), length, "{id}");
    }
    assert_eq!(other.check().await, Ok(vec![]));
}

#[tokio::test]
async fn an_append_to_a_debate_that_is_known_does_not_look_at_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let other = prepared(&path, &["a"]).await;
    let writer = writer(&path).await;
    assert_eq!(writer.perform(append("a", 1, 10)).await, Ok(2));
    // Damage that only looking finds: the hash of the row stays as it is known.
    let mut plain = schema::connect(&schema::writer_options(&path)).await.unwrap();
    sqlx::query("UPDATE debates SET topic = 'another'").execute(&mut plain).await.unwrap();
    assert_eq!(writer.perform(append("a", 2, 10)).await, Ok(3));
    let looked = other.write(append("a", 3, 10)).await;
    assert!(matches!(looked, Err(StoreError::Damaged { .. })), "{looked:?}");
}
