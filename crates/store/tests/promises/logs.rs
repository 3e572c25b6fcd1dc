//! Logs: appended once, in order, read back to the last bit, deleted whole.

use debate::model::{
    Choice, ClaimId, ConfidenceChange, Critique, CritiqueOutcome, Event, EvidenceType, Strength,
    ToolCall,
};
use serde_json::Value;
use store::{DebateCommand, ListFilter, Store, StoreError};

use crate::scene::{Scene, answered, opened, remark};

pub async fn what_was_appended_is_read_back_in_order_and_to_the_last_bit(scene: Scene) {
    let claim = scene.debate("d1").await;
    let first = [Event::Started, answered(1, 0, "Tabs \u{0}\n\"quoted\" ☂", Some(7))];
    assert_eq!(scene.store.append(&claim, 1, 2_000, &first).await, Ok(3));
    let second = [answered(1, 1, "Spaces", None), Event::RoundClosed { round: 1 }];
    assert_eq!(scene.store.append(&claim, 3, 1_500, &second).await, Ok(5));

    let log = scene.store.log("d1").await.unwrap();
    let wanted: Vec<Event> =
        [opened("Tabs or spaces?")].into_iter().chain(first).chain(second).collect();
    assert_eq!(log.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(
        log.iter().map(|entry| entry.at).collect::<Vec<_>>(),
        [1_000, 2_000, 2_000, 1_500, 1_500]
    );
    assert_eq!(log.into_iter().map(|entry| entry.event).collect::<Vec<_>>(), wanted);

    let rest = scene.store.log_after("d1", 3).await.unwrap();
    assert_eq!(rest.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [4, 5]);
    assert_eq!(scene.store.log_after("d1", 5).await, Ok(vec![]));
}

pub async fn a_debate_survives_closing_and_opening(scene: Scene) {
    let claim = scene.debate("d1").await;
    scene.store.append(&claim, 1, 2_000, &[remark("kept")]).await.unwrap();
    scene.store.close().await;
    assert_eq!(
        scene.store.append(&claim, 2, 2_000, &[remark("late")]).await,
        Err(StoreError::Closed)
    );
    let again = scene.another().await;
    assert_eq!(again.log("d1").await.unwrap().len(), 2);
}

pub async fn of_two_who_append_after_the_same_entry_one_is_told_what_it_missed(scene: Scene) {
    let claim = scene.debate("d1").await;
    let other = scene.another().await;
    let (a, b) = ([remark("a")], [remark("b")]);
    let (one, two) =
        tokio::join!(scene.store.append(&claim, 1, 1, &a), other.append(&claim, 1, 1, &b));
    let conflict = StoreError::Conflict { id: "d1".into(), expected: 1, found: 2 };
    assert!(
        (one == Ok(2) && two == Err(conflict.clone())) || (two == Ok(2) && one == Err(conflict)),
        "{one:?} {two:?}"
    );
    assert_eq!(scene.store.log("d1").await.unwrap().len(), 2);
}

pub async fn an_id_is_given_once(scene: Scene) {
    scene.debate("d1").await;
    assert_eq!(
        scene.store.create("d1", 5, &[opened("Another")]).await,
        Err(StoreError::Exists { id: "d1".into() })
    );
    assert_eq!(scene.store.get("d1").await.unwrap().topic, "Tabs or spaces?");
}

pub async fn a_log_must_open_its_debate(scene: Scene) {
    let refused = scene.store.create("d1", 5, &[Event::Started]).await;
    assert!(matches!(refused, Err(StoreError::Unstorable { .. })), "{refused:?}");
    assert_eq!(scene.store.list(&ListFilter::default()).await, Ok(vec![]));
}

pub async fn what_could_not_be_read_again_is_not_written(scene: Scene) {
    let claim = scene.debate("d1").await;
    let Event::Answered { ask, turn } = answered(1, 0, "Tabs", None) else { unreachable!() };
    let delta = ConfidenceChange { delta: f64::NAN, previous_round: 1, reason: None };
    let choice = Some(Choice::Number(f64::INFINITY));
    let critique = Critique {
        claim: ClaimId(0),
        evidence_type: EvidenceType::Logical,
        strength: Strength::High,
        counter_evidence: None,
        outcome: CritiqueOutcome::Concession,
        text: String::new(),
    };
    let mut turns = [turn.clone(), turn.clone(), turn.clone(), turn];
    turns[0].confidence_change = Some(delta);
    turns[1].answer.answer = choice;
    turns[2].answer.critiques.push(critique);
    turns[3].tool_calls.push(ToolCall {
        tool: "t".into(),
        arguments: (0..200).fold(Value::Null, |inner, _| Value::from(vec![inner])),
        result: String::new(),
        duration_ms: 1,
        shared: false,
    });
    for turn in turns {
        let refused = scene.store.append(&claim, 1, 5, &[Event::Answered { ask, turn }]).await;
        assert!(matches!(refused, Err(StoreError::Unstorable { .. })), "{refused:?}");
    }
    assert_eq!(scene.store.log("d1").await.unwrap().len(), 1);
}

pub async fn a_hundred_who_append_at_once_share_commits_and_lose_nothing(scene: Scene) {
    let mut claims = Vec::new();
    for number in 0..100 {
        claims.push(scene.debate(&format!("d{number:03}")).await);
    }
    let before = scene.store.commits();
    let mut tasks = tokio::task::JoinSet::new();
    for claim in claims.clone() {
        let store = scene.store.clone();
        tasks.spawn(async move {
            for step in 1..=5 {
                assert_eq!(store.append(&claim, step, 9, &[remark("x")]).await, Ok(step + 1));
            }
            // Refused, and none of its neighbours with it.
            let late = store.append(&claim, 1, 9, &[remark("late")]).await;
            assert!(matches!(late, Err(StoreError::Conflict { found: 6, .. })), "{late:?}");
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let commits = scene.store.commits() - before;
    // A file is committed to by one process at a time; a server commits many at once.
    if let Store::Sqlite(_) = &scene.store {
        assert!((6..300).contains(&commits), "{commits} commits for 600 requests");
    }
    for claim in claims {
        assert_eq!(scene.store.log(&claim.id).await.unwrap().len(), 6);
    }
}

pub async fn deleting_takes_the_whole_debate_unless_it_runs(scene: Scene) {
    let claim = scene.debate("d1").await;
    scene.debate("d2").await;
    scene.store.send("d1", 2, DebateCommand::Pause).await.unwrap();
    assert!(matches!(scene.store.delete("d1", 2_000).await, Err(StoreError::Taken { .. })));
    scene.store.release_run(&claim).await.unwrap();
    scene.store.delete("d1", 2_000).await.unwrap();
    assert!(matches!(scene.store.log("d1").await, Err(StoreError::Unknown { .. })));
    assert!(matches!(scene.store.delete("d1", 2_000).await, Err(StoreError::Unknown { .. })));
    assert_eq!(scene.store.pending_everywhere().await, Ok(vec![]));
    assert_eq!(scene.store.log("d2").await.unwrap().len(), 1);
    assert_eq!(scene.store.check().await, Ok(vec![]));
}
