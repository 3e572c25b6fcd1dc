//! Leases and commands: one process at a time runs a debate, and obeys once.

use debate::model::{Event, PauseReason};
use store::{DebateCommand, Lease, LeaseTerm, StoreError};

use crate::scene::{LEASE, Scene, opened, remark};

fn term(until: i64) -> LeaseTerm {
    LeaseTerm { until, ..LeaseTerm::default() }
}

pub async fn one_at_a_time_may_run_a_debate(scene: Scene) {
    let other = scene.another().await;
    let first = scene.debate("d1").await;
    let taken = other.claim_run("d1", "you", LEASE, 30_999).await;
    let until = 1_000 + LEASE;
    assert_eq!(
        taken,
        Err(StoreError::Taken { id: "d1".into(), owner: "me".into(), epoch: 1, until })
    );

    // Not even twice by the same.
    assert!(matches!(
        scene.store.claim_run("d1", "me", LEASE, 30_999).await,
        Err(StoreError::Taken { .. })
    ));

    // The lease was kept, so it is still taken later on.
    scene.store.renew_run(&first, term(30_000 + LEASE)).await.unwrap();
    assert!(other.claim_run("d1", "you", LEASE, 31_000).await.is_err());

    // It ran out; the first may write until another has claimed, then no more.
    assert_eq!(scene.store.append(&first, 1, 70_000, &[remark("still me")]).await, Ok(2));
    let second = other.claim_run("d1", "you", LEASE, 70_000).await.unwrap();
    assert!(second.epoch > first.epoch);
    let stale = Err(StoreError::NotRunner { id: "d1".into() });
    assert_eq!(scene.store.append(&first, 2, 70_001, &[remark("me")]).await, stale);
    assert_eq!(scene.store.renew_run(&first, term(70_001 + LEASE)).await.map(|()| 0), stale);
    assert_eq!(scene.store.release_run(&first).await.map(|()| 0), stale);
    assert_eq!(other.append(&second, 2, 70_001, &[remark("you")]).await, Ok(3));

    // Given back, it is free at once and the old claim is worth nothing.
    other.release_run(&second).await.unwrap();
    assert_eq!(other.append(&second, 3, 70_002, &[remark("you")]).await, stale);
    let third = scene.store.claim_run("d1", "me", LEASE, 70_002).await.unwrap();
    assert!(third.epoch > second.epoch);

    // From the dead it can be taken before its time, once.
    let fourth = other.take_over_run("d1", "you", term(70_003), third.epoch).await.unwrap();
    let late = scene.store.take_over_run("d1", "me", term(70_003), third.epoch).await;
    assert!(matches!(late, Err(StoreError::Taken { .. })), "{late:?}");
    assert_eq!(scene.store.append(&third, 3, 70_004, &[remark("me")]).await, stale);
    assert_eq!(other.append(&fourth, 3, 70_004, &[remark("you")]).await, Ok(4));
}

pub async fn of_many_who_claim_at_once_one_gets_it(scene: Scene) {
    scene.store.create("d1", 1, &[opened("x")]).await.unwrap();
    let other = scene.another().await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..20 {
        let store = if number % 2 == 0 { scene.store.clone() } else { other.clone() };
        tasks.spawn(async move { store.claim_run("d1", &format!("o{number}"), LEASE, 5).await });
    }
    let answers = tasks.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert!(
        answers
            .iter()
            .flat_map(|a| a.as_ref().err())
            .all(|e| matches!(e, StoreError::Taken { .. }))
    );
}

pub async fn of_many_who_seize_a_dead_lease_at_once_one_gets_it(scene: Scene) {
    let dead = scene.debate("d1").await;
    let other = scene.another().await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..20 {
        let store = if number % 2 == 0 { scene.store.clone() } else { other.clone() };
        let epoch = dead.epoch;
        tasks.spawn(async move {
            store.take_over_run("d1", &format!("o{number}"), term(2_000), epoch).await
        });
    }
    let answers = tasks.join_all().await;
    let won: Vec<&Lease> = answers.iter().flatten().collect();
    assert_eq!(won.len(), 1, "{answers:?}");
    assert_eq!(scene.store.append(won[0], 1, 1_002, &[remark("mine")]).await, Ok(2));
}

pub async fn active_debates_are_listed_with_their_leases(scene: Scene) {
    for id in ["held", "lapsed", "paused", "new"] {
        let claim = scene.debate(id).await;
        let events: &[Event] = match id {
            "new" => &[],
            "paused" => &[Event::Started, Event::Paused { reason: PauseReason::Asked }],
            _ => &[Event::Started],
        };
        scene.store.append(&claim, 1, 2_000, events).await.unwrap();
        if id == "held" {
            scene.store.renew_run(&claim, term(100_000 + LEASE)).await.unwrap();
        }
    }
    let leases = scene.store.active_leases().await.unwrap();
    let shown: Vec<(&str, i64)> =
        leases.iter().map(|(id, lease)| (id.as_str(), lease.term.until)).collect();
    assert_eq!(shown, [("held", 100_000 + LEASE), ("lapsed", 1_000 + LEASE)]);
    assert_eq!(scene.store.lease_of("held").await.unwrap(), leases[0].1);
    assert_eq!(scene.store.lease_of("none").await.unwrap().epoch, 0);
}

pub async fn commands_wait_until_they_are_obeyed_and_are_obeyed_once(scene: Scene) {
    let claim = scene.debate("d1").await;
    let elsewhere = scene.another().await;
    let remark_sent = DebateCommand::Remark("mind the cost".into());
    assert_eq!(elsewhere.send("d1", 5, remark_sent.clone()).await, Ok(1));
    assert_eq!(elsewhere.send("d1", 6, DebateCommand::Pause).await, Ok(2));
    let waiting = scene.store.pending("d1").await.unwrap();
    assert_eq!(
        waiting.iter().map(|sent| &sent.command).collect::<Vec<_>>(),
        [&remark_sent, &DebateCommand::Pause]
    );
    assert_eq!(scene.store.pending_everywhere().await.unwrap(), waiting);

    let obeyed = [remark("mind the cost")];
    scene.store.append_handled(&claim, 1, 7, &obeyed, 1).await.unwrap();
    let waiting = scene.store.pending("d1").await.unwrap();
    assert_eq!(waiting.iter().map(|sent| sent.number).collect::<Vec<_>>(), [2]);
    // An append that is refused obeys nothing.
    assert!(scene.store.append_handled(&claim, 1, 7, &obeyed, 2).await.is_err());
    assert_eq!(scene.store.pending("d1").await.unwrap().len(), 1);
    scene.store.append_handled(&claim, 2, 7, &[], 2).await.unwrap();
    assert_eq!(scene.store.pending("d1").await.unwrap(), []);
    assert_eq!(elsewhere.send("d1", 8, DebateCommand::Stop).await, Ok(3));
    assert!(matches!(
        elsewhere.send("d2", 8, DebateCommand::Stop).await,
        Err(StoreError::Unknown { .. })
    ));
}
