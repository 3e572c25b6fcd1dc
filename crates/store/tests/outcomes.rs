//! Outcome records: only added, all or none, and never read when damaged.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use debate::model::{Day, ProgressEntry, ProgressStatus};
use store::{Note, OutcomeRecord, Store, StoreError};

fn entry(event: &str) -> OutcomeRecord {
    OutcomeRecord::Entry {
        entry: ProgressEntry {
            on: Day(20_000),
            status: ProgressStatus::OnTrack,
            event: event.into(),
            note: String::new(),
            impact: String::new(),
            time_cost: String::new(),
            surprise: Some(0.1),
        },
    }
}

fn note(debate: &str, after: u64, event: &str) -> Note {
    Note { debate: debate.into(), after, record: entry(event) }
}

#[tokio::test]
async fn records_are_added_in_order_and_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let store = Store::open(&path).await.unwrap();
    store.note_outcomes(5, &[note("a", 0, "one"), note("a", 1, "two")]).await.unwrap();
    store.note_outcomes(6, &[note("b", 0, "three")]).await.unwrap();
    store.close().await;
    let store = Store::read_only(&path).await.unwrap();
    let all = store.outcomes(None).await.unwrap();
    let shown: Vec<(&str, u64, i64)> =
        all.iter().map(|one| (one.debate.as_str(), one.number, one.at)).collect();
    assert_eq!(shown, [("a", 1, 5), ("a", 2, 5), ("b", 1, 6)]);
    assert_eq!(store.outcomes(Some("b")).await.unwrap()[0].record, entry("three"));
    assert!(store.check().await.unwrap().is_empty());
}

#[tokio::test]
async fn all_of_it_or_none() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(&dir.path().join("roundtable.db")).await.unwrap();
    store.note_outcomes(5, &[note("a", 0, "one")]).await.unwrap();
    // Somebody else wrote in between: the second of the two does not fit.
    let late = store.note_outcomes(6, &[note("b", 0, "two"), note("a", 0, "three")]).await;
    assert!(matches!(late, Err(StoreError::Conflict { expected: 0, found: 1, .. })), "{late:?}");
    assert_eq!(store.outcomes(None).await.unwrap().len(), 1);
    let odd = Note { record: entry("x"), ..note("c", 0, "x") };
    let OutcomeRecord::Entry { mut entry } = odd.record else { panic!() };
    entry.surprise = Some(f64::NAN);
    let odd = Note { debate: "c".into(), after: 0, record: OutcomeRecord::Entry { entry } };
    // JSON has no word for it: it reads as absent, never as something else.
    store.note_outcomes(7, &[odd]).await.unwrap();
    let OutcomeRecord::Entry { entry } = &store.outcomes(Some("c")).await.unwrap()[0].record else {
        panic!()
    };
    assert_eq!(entry.surprise, None);
}

#[tokio::test]
async fn a_damaged_record_is_an_error_and_found_by_the_check() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("roundtable.db");
    let store = Store::open(&path).await.unwrap();
    store.note_outcomes(5, &[note("a", 0, "a plain event")]).await.unwrap();
    store.close().await;
    let mut bytes = std::fs::read(&path).unwrap();
    let needle = b"a plain event";
    let at = bytes.windows(needle.len()).position(|part| part == needle).unwrap();
    bytes[at] = b'A';
    std::fs::write(&path, &bytes).unwrap();
    let store = Store::read_only(&path).await.unwrap();
    let read = store.outcomes(None).await;
    assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
    let found = store.check().await.unwrap();
    assert!(found.iter().any(|damage| damage.what.contains("outcome record")), "{found:?}");
}
