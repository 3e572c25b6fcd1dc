//! Debates are found by the words of their answers, and logs leave the store and
//! come back whole.

use debate::model::{Event, ToolCall};
use store::{ListFilter, SealedEntry, Store, StoreError};

use crate::scene::{Scene, answered, opened};

async fn found(store: &Store, text: &str) -> Vec<String> {
    let filter = ListFilter { text: Some(text.into()), ..ListFilter::default() };
    store.list(&filter).await.unwrap().into_iter().map(|one| one.id).collect()
}

async fn held(scene: &Scene, id: &str, topic: &str, said: &str) {
    scene.store.create(id, 1_000, &[opened(topic), answered(1, 0, said, None)]).await.unwrap();
}

pub async fn a_debate_is_found_by_the_words_of_its_answers(scene: Scene) {
    held(&scene, "d1", "Tabs?", "The Möbius wharf is *closed* in winter").await;
    held(&scene, "d2", "Spaces?", "Nothing of the kind; 港は冬に閉まる").await;
    for (text, wanted) in [
        ("wharf", vec!["d1"]),
        ("WHARF is", vec!["d1"]),
        ("mobius", vec!["d1"]),
        ("clos", vec!["d1"]),
        ("wharf winter", vec![]),
        ("spaces", vec!["d2"]),
        ("冬に", vec!["d2"]),
        ("because it is so", vec!["d2", "d1"]),
        ("\" OR text:*", vec![]),
        ("said_words", vec![]),
        ("?", vec!["d2", "d1"]),
    ] {
        assert_eq!(found(&scene.store, text).await, wanted, "{text:?}");
    }
}

pub async fn answers_that_come_later_are_found_and_deleted_ones_are_not(scene: Scene) {
    let claim = scene.debate("d1").await;
    held(&scene, "d2", "Other", "unrelated").await;
    scene.store.append(&claim, 1, 2, &[answered(1, 0, "quixotic zephyr", None)]).await.unwrap();
    assert_eq!(found(&scene.store, "zephyr").await, ["d1"]);
    scene.store.release_run(&claim).await.unwrap();
    scene.store.delete("d1", 5_000).await.unwrap();
    assert_eq!(found(&scene.store, "zephyr").await, Vec::<String>::new());
    assert_eq!(found(&scene.store, "unrelated").await, ["d2"]);
}

/// The words of many debates are indexed together; until then their answers are read.
pub async fn words_are_found_whether_they_are_indexed_yet_or_not(scene: Scene) {
    for number in 0..75 {
        let (id, said) = (format!("d{number}"), format!("wharf w{number}x"));
        held(&scene, &id, "Same", &said).await;
        assert_eq!(found(&scene.store, &format!("w{number}x")).await, [id], "at once");
    }
    for number in [0, 31, 32, 63, 64, 74] {
        let (id, word) = (format!("d{number}"), format!("w{number}x"));
        assert_eq!(found(&scene.store, &word).await, [id.as_str()], "later");
        scene.store.delete(&id, 5_000).await.unwrap();
        assert_eq!(found(&scene.store, &word).await, Vec::<String>::new(), "deleted");
    }
    let filter =
        ListFilter { text: Some("wharf".into()), limit: Some(100), ..ListFilter::default() };
    assert_eq!(scene.store.list(&filter).await.unwrap().len(), 69);
    assert_eq!(scene.store.check().await, Ok(vec![]));
}

pub async fn a_sound_file_is_found_sound_however_often_it_is_looked_at(scene: Scene) {
    for number in 0..40 {
        held(&scene, &format!("d{number}"), "Same", &format!("answer number {number}")).await;
        assert_eq!(scene.store.quick_check().await, Ok(()), "after {number} more");
    }
    assert_eq!(scene.store.check().await, Ok(vec![]));
}

/// Of a raw text that quotes the reasoning only the rest is stored; it comes back to the letter.
pub async fn an_answer_is_stored_once_and_its_raw_text_comes_back(scene: Scene) {
    let reasoning = format!("Because \"it\" is so.\n{}", "A reason of its own. ".repeat(20));
    let escaped = serde_json::to_string(&reasoning).unwrap();
    let raws = [
        (format!("```json\n{{\"reasoning\": {escaped}, \"confidence\": 0.5}}\n```"), true),
        (format!("I think:\n{reasoning}\nThat is all."), true),
        (format!("{{\"a\": {escaped}, \"b\": {escaped}}}"), true),
        (format!("{{\"reasoning\": {}}}", escaped.replace('s', "\\u0073")), false),
        ("something else, ,\"rawAround\":{\"before\":\"\"}".repeat(12), false),
        (String::new(), false),
    ];
    let claim = scene.debate("d1").await;
    for (number, (raw, shorter)) in (1..).zip(raws) {
        let Event::Answered { ask, mut turn } = answered(1, 0, "Tabs", None) else { panic!() };
        turn.answer.reasoning = reasoning.clone();
        turn.raw = raw.clone();
        // A member of the same name inside of the event changes nothing.
        turn.tool_calls.push(ToolCall {
            tool: "search_web".into(),
            arguments: serde_json::json!({"query": "tabs", "rawAround": {"before": "a"}}),
            result: "none".into(),
            duration_ms: 1,
            shared: false,
        });
        let event = Event::Answered { ask, turn };
        let whole = serde_json::to_string(&event).unwrap();
        scene.store.append(&claim, number, 2, std::slice::from_ref(&event)).await.unwrap();
        let last = scene.store.log("d1").await.unwrap().pop().unwrap();
        assert_eq!(last.event, event);
        let sealed = scene.store.sealed_log("d1").await.unwrap().pop().unwrap();
        let saved = whole.len().saturating_sub(sealed.json.len());
        assert_eq!(saved > reasoning.len() / 2, shorter, "{raw}");
    }
}

pub async fn a_log_comes_back_to_the_last_bit_or_not_at_all(scene: Scene) {
    held(&scene, "d1", "Out and in", "some words").await;
    let log = scene.store.sealed_log("d1").await.unwrap();
    let before = scene.store.get("d1").await.unwrap();
    let exists = scene.store.import("d1", log.clone()).await;
    assert_eq!(exists, Err(StoreError::Exists { id: "d1".into() }));
    scene.store.delete("d1", 5_000).await.unwrap();

    let mut changed = log.clone();
    changed[1].json = changed[1].json.replace("some words", "other words");
    assert!(matches!(
        scene.store.import("d1", changed).await,
        Err(StoreError::Damaged { seq: 2, .. })
    ));
    assert!(matches!(
        scene.store.import("d1", log[1..].to_vec()).await,
        Err(StoreError::Damaged { seq: 1, .. })
    ));
    assert!(matches!(
        scene.store.import("d2", log.clone()).await,
        Err(StoreError::Damaged { seq: 1, .. })
    ));
    assert!(matches!(
        scene.store.import("d1", Vec::new()).await,
        Err(StoreError::Unstorable { .. })
    ));
    assert_eq!(scene.store.list(&ListFilter::default()).await.unwrap(), []);

    assert_eq!(scene.store.import("d1", log.clone()).await, Ok(2));
    assert_eq!(scene.store.sealed_log("d1").await.unwrap(), log);
    assert_eq!(scene.store.get("d1").await.unwrap(), before);
    assert_eq!(found(&scene.store, "some words").await, ["d1"]);
    assert_eq!(scene.store.check().await.unwrap(), []);
    let copy = log.iter().map(|e| SealedEntry::seal("d9", e.seq, e.at, &e.kind, &e.json)).collect();
    assert_eq!(scene.store.import("d9", copy).await, Ok(2));
    assert_eq!(scene.store.log("d9").await.unwrap(), scene.store.log("d1").await.unwrap());
}
