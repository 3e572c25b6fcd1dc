//! Leases and commands: one process at a time runs a debate, and obeys once.

use debate::model::{Event, Intent, MicroUsd, PauseReason};
use store::{AppendOptions, DebateCommand, Lease, LeaseTerm, LeaseTurn, SpendingCaps, StoreError};

use crate::scene::{LEASE, Scene, ask, opened, remark};

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

pub async fn one_read_tells_what_must_be_known_before_a_run(scene: Scene) {
    let store = &scene.store;
    let unknown = store.standing("d1").await;
    assert!(
        matches!(&unknown, Err(StoreError::Unknown { asked, .. }) if asked == "d1"),
        "{unknown:?}"
    );
    store.create("d1", 1_000, &[opened("x")]).await.unwrap();
    store.create("d2", 1_000, &[opened("y")]).await.unwrap();
    let new = store.standing("d1").await.unwrap();
    assert_eq!((new.last_seq, new.is_commanded), (1, false));
    assert_eq!(new.lease, store.lease_of("d1").await.unwrap());
    assert_eq!((new.lease.owner, new.lease.epoch), (None, 0));

    let lease = store.claim_run("d1", "me", LEASE, 1_000).await.unwrap();
    store.append(&lease, 1, 1_001, &[remark("one"), remark("two")]).await.unwrap();
    let number = scene.another().await.send("d1", 1_002, DebateCommand::Stop).await.unwrap();
    let run = store.standing("d1").await.unwrap();
    assert_eq!((run.last_seq, run.is_commanded), (3, true));
    assert_eq!((run.lease.owner.as_deref(), run.lease.epoch), (Some("me"), lease.epoch));
    assert!(!store.standing("d2").await.unwrap().is_commanded);

    store.refuse(&lease, number, "no").await.unwrap();
    assert!(!store.standing("d1").await.unwrap().is_commanded);
}

fn turning(turn: LeaseTurn) -> AppendOptions {
    AppendOptions { turn, ..AppendOptions::default() }
}

pub async fn an_append_takes_the_lease_and_another_gives_it_back(scene: Scene) {
    let store = &scene.store;
    store.create("d1", 1_000, &[opened("x")]).await.unwrap();
    let first = store.lease_of("d1").await.unwrap().next("d1", "me");
    let takes = turning(LeaseTurn::Takes(term(LEASE)));
    assert_eq!(store.append_with(&first, 1, 2_000, &[remark("mine")], takes).await, Ok(2));
    let stored = store.lease_of("d1").await.unwrap();
    assert_eq!((stored.owner.as_deref(), stored.epoch), (Some("me"), first.epoch));
    // Made again because it was reported as failed: it is no other lease.
    let again = store.append_with(&first, 1, 2_000, &[remark("mine")], takes).await;
    assert!(matches!(again, Err(StoreError::Conflict { found: 2, .. })), "{again:?}");
    assert_eq!(store.append(&first, 2, 2_000, &[remark("more")]).await, Ok(3));

    let gives_back = turning(LeaseTurn::GivesBack);
    assert_eq!(store.append_with(&first, 3, 2_000, &[remark("done")], gives_back).await, Ok(4));
    let stored = store.lease_of("d1").await.unwrap();
    assert_eq!((stored.owner, stored.epoch), (None, first.epoch));
    let stale = Err(StoreError::NotRunner { id: "d1".into() });
    assert_eq!(store.append(&first, 4, 2_000, &[remark("late")]).await, stale);
    // Made again it finds its own entry, and one with other entries is refused.
    let again = store.append_with(&first, 3, 2_000, &[remark("done")], gives_back).await;
    assert!(matches!(again, Err(StoreError::Conflict { found: 4, .. })), "{again:?}");
    assert_eq!(store.append_with(&first, 4, 2_000, &[remark("late")], gives_back).await, stale);
    assert_eq!(store.append_with(&first, 4, 2_000, &[], gives_back).await, stale);

    // The next one takes it over the one that was given back.
    let second = store.lease_of("d1").await.unwrap().next("d1", "you");
    assert_eq!(store.append_with(&second, 4, 3_000, &[remark("yours")], takes).await, Ok(5));
    assert_eq!(store.log("d1").await.unwrap().len(), 5);
}

pub async fn an_append_takes_no_lease_that_another_task_of_its_process_holds(scene: Scene) {
    let store = &scene.store;
    store.create("d1", 1_000, &[opened("x")]).await.unwrap();
    let intended = store.lease_of("d1").await.unwrap().next("d1", "me");
    let held = store.claim_run("d1", "me", LEASE, 1_000).await.unwrap();
    assert_eq!(held, intended, "the two leases have one name");
    let takes = turning(LeaseTurn::Takes(term(LEASE)));
    let refused = store.append_with(&intended, 1, 2_000, &[remark("mine")], takes).await;
    assert!(matches!(refused, Err(StoreError::Taken { epoch: 1, .. })), "{refused:?}");
    assert_eq!(store.append(&held, 1, 2_001, &[remark("theirs")]).await, Ok(2));
}

pub async fn an_append_that_takes_a_lease_is_refused_whole_where_another_was_faster(scene: Scene) {
    let (store, other) = (&scene.store, scene.another().await);
    store.create("d1", 1_000, &[opened("x")]).await.unwrap();
    let [mine, yours] = ["me", "you"].map(|owner| store::LeaseView::default().next("d1", owner));
    let takes = turning(LeaseTurn::Takes(term(LEASE)));
    assert_eq!(other.append_with(&yours, 1, 2_000, &[remark("yours")], takes).await, Ok(2));
    for expected in [1, 2] {
        let late = store.append_with(&mine, expected, 2_000, &[remark("mine")], takes).await;
        assert!(matches!(late, Err(StoreError::Taken { .. })), "{late:?}");
    }
    assert_eq!(other.append(&yours, 2, 2_000, &[remark("still yours")]).await, Ok(3));

    // What is refused for its budget takes no lease either.
    store.create("d2", 1_000, &[opened("x")]).await.unwrap();
    let lease = store.lease_of("d2").await.unwrap().next("d2", "me");
    let caps = SpendingCaps { debate: Some(MicroUsd(1)), ..SpendingCaps::default() };
    let dear = AppendOptions { caps: Some(caps), ..takes };
    let intent = Intent { ask: ask(1, 0), reserved: Some(MicroUsd(100)) };
    let asked = Event::Asked { intents: vec![intent] };
    let refused = store.append_with(&lease, 1, 2_000, &[asked], dear).await;
    assert!(matches!(refused, Err(StoreError::Budget { .. })), "{refused:?}");
    assert_eq!(store.lease_of("d2").await.unwrap().epoch, 0);
    assert_eq!(store.log("d2").await.unwrap().len(), 1);
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
