//! Outcome records: only added, all or none.

use debate::model::{Day, ProgressEntry, ProgressStatus};
use store::{NewOutcome, OutcomeRecord, StoreError};

use crate::scene::Scene;

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

fn note(debate: &str, after: u64, event: &str) -> NewOutcome {
    NewOutcome { debate: debate.into(), after, record: entry(event) }
}

pub async fn records_are_added_in_order_and_read_again(scene: Scene) {
    let store = &scene.store;
    store.note_outcomes(5, &[note("a", 0, "one"), note("a", 1, "two")]).await.unwrap();
    store.note_outcomes(6, &[note("b", 0, "three")]).await.unwrap();
    store.close().await;
    let store = scene.another().await;
    let all = store.outcomes(None).await.unwrap();
    let shown: Vec<(&str, u64, i64)> =
        all.iter().map(|one| (one.debate.as_str(), one.number, one.at)).collect();
    assert_eq!(shown, [("a", 1, 5), ("a", 2, 5), ("b", 1, 6)]);
    assert_eq!(store.outcomes(Some("b")).await.unwrap()[0].record, entry("three"));
    assert!(store.check().await.unwrap().is_empty());
}

pub async fn all_of_it_or_none(scene: Scene) {
    let store = &scene.store;
    store.note_outcomes(5, &[note("a", 0, "one")]).await.unwrap();
    // Another person wrote in between: the second of the two does not fit.
    let late = store.note_outcomes(6, &[note("b", 0, "two"), note("a", 0, "three")]).await;
    assert!(matches!(late, Err(StoreError::Conflict { expected: 0, found: 1, .. })), "{late:?}");
    assert_eq!(store.outcomes(None).await.unwrap().len(), 1);
    let odd = NewOutcome { record: entry("x"), ..note("c", 0, "x") };
    let OutcomeRecord::Entry { mut entry } = odd.record else { panic!() };
    entry.surprise = Some(f64::NAN);
    let odd = NewOutcome { debate: "c".into(), after: 0, record: OutcomeRecord::Entry { entry } };
    // JSON has no word for it: it reads as absent, never as something else.
    store.note_outcomes(7, &[odd]).await.unwrap();
    let OutcomeRecord::Entry { entry } = &store.outcomes(Some("c")).await.unwrap()[0].record else {
        panic!()
    };
    assert_eq!(entry.surprise, None);
}
