//! What every store must do, whatever engine is beneath it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod scene;

use std::collections::BTreeSet;

use debate::model::{Event, PauseReason};
use scene::{LEASE, answered, ended, opened, opened_as, remark, scene};
use store::{Command, ListFilter, Store, StoreError};

#[tokio::test]
async fn what_was_appended_is_read_back_in_order_and_to_the_last_bit() {
    let scene = scene().await;
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

#[tokio::test]
async fn a_debate_survives_closing_and_opening() {
    let scene = scene().await;
    let claim = scene.debate("d1").await;
    scene.store.append(&claim, 1, 2_000, &[remark("kept")]).await.unwrap();
    scene.store.close().await;
    assert_eq!(
        scene.store.append(&claim, 2, 2_000, &[remark("late")]).await,
        Err(StoreError::Closed)
    );
    let again = Store::open_existing(&scene.path).await.unwrap();
    assert_eq!(again.log("d1").await.unwrap().len(), 2);
}

#[tokio::test]
async fn of_two_who_append_after_the_same_entry_one_is_told_what_it_missed() {
    let scene = scene().await;
    let claim = scene.debate("d1").await;
    let other = Store::open(&scene.path).await.unwrap();
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

#[tokio::test]
async fn an_id_is_given_once() {
    let scene = scene().await;
    scene.debate("d1").await;
    assert_eq!(
        scene.store.create("d1", 5, &[opened("Another")]).await,
        Err(StoreError::Exists { id: "d1".into() })
    );
    assert_eq!(scene.store.get("d1").await.unwrap().topic, "Tabs or spaces?");
}

#[tokio::test]
async fn a_log_must_open_its_debate() {
    let scene = scene().await;
    let refused = scene.store.create("d1", 5, &[Event::Started]).await;
    assert!(matches!(refused, Err(StoreError::Unstorable { .. })), "{refused:?}");
    assert_eq!(scene.store.list(&ListFilter::default()).await, Ok(vec![]));
}

#[tokio::test]
async fn what_could_not_be_read_again_is_not_written() {
    let scene = scene().await;
    let claim = scene.debate("d1").await;
    let Event::Answered { ask, mut turn } = answered(1, 0, "Tabs", None) else { unreachable!() };
    turn.confidence_change =
        Some(debate::model::ConfidenceChange { delta: f64::NAN, previous_round: 1, reason: None });
    let refused = scene.store.append(&claim, 1, 5, &[Event::Answered { ask, turn }]).await;
    assert!(matches!(refused, Err(StoreError::Unstorable { .. })), "{refused:?}");
    assert_eq!(scene.store.log("d1").await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_who_append_at_once_share_commits_and_lose_nothing() {
    let scene = scene().await;
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
    assert!((6..300).contains(&commits), "{commits} commits for 600 requests");
    for claim in claims {
        assert_eq!(scene.store.log(&claim.id).await.unwrap().len(), 6);
    }
}

#[tokio::test]
async fn one_at_a_time_may_run_a_debate() {
    let scene = scene().await;
    let other = Store::open(&scene.path).await.unwrap();
    let first = scene.debate("d1").await;
    let taken = other.claim_run("d1", "you", LEASE, 30_999).await;
    let until = 1_000 + LEASE;
    assert_eq!(taken, Err(StoreError::Taken { id: "d1".into(), owner: "me".into(), until }));

    // Not even twice by the same.
    assert!(matches!(
        scene.store.claim_run("d1", "me", LEASE, 30_999).await,
        Err(StoreError::Taken { .. })
    ));

    // The lease was kept, so it is still taken later on.
    scene.store.renew_run(&first, LEASE, 30_000).await.unwrap();
    assert!(other.claim_run("d1", "you", LEASE, 31_000).await.is_err());

    // It ran out; the first may write until another has claimed, then no more.
    assert_eq!(scene.store.append(&first, 1, 70_000, &[remark("still me")]).await, Ok(2));
    let second = other.claim_run("d1", "you", LEASE, 70_000).await.unwrap();
    assert!(second.epoch > first.epoch);
    let stale = Err(StoreError::NotRunner { id: "d1".into() });
    assert_eq!(scene.store.append(&first, 2, 70_001, &[remark("me")]).await, stale);
    assert_eq!(scene.store.renew_run(&first, LEASE, 70_001).await.map(|()| 0), stale);
    assert_eq!(scene.store.release_run(&first).await.map(|()| 0), stale);
    assert_eq!(other.append(&second, 2, 70_001, &[remark("you")]).await, Ok(3));

    // Given back, it is free at once and the old claim is worth nothing.
    other.release_run(&second).await.unwrap();
    assert_eq!(other.append(&second, 3, 70_002, &[remark("you")]).await, stale);
    let third = scene.store.claim_run("d1", "me", LEASE, 70_002).await.unwrap();
    assert!(third.epoch > second.epoch);

    // From the dead it can be taken before its time.
    let fourth = other.seize_run("d1", "you", LEASE, 70_003).await.unwrap();
    assert_eq!(scene.store.append(&third, 3, 70_004, &[remark("me")]).await, stale);
    assert_eq!(other.append(&fourth, 3, 70_004, &[remark("you")]).await, Ok(4));
}

#[tokio::test]
async fn of_many_who_claim_at_once_one_gets_it() {
    let scene = scene().await;
    scene.store.create("d1", 1, &[opened("x")]).await.unwrap();
    let other = Store::open(&scene.path).await.unwrap();
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

#[tokio::test]
async fn unattended_debates_are_those_that_should_run_and_do_not() {
    let scene = scene().await;
    for id in ["held", "lapsed", "paused", "new"] {
        let claim = scene.debate(id).await;
        let events: &[Event] = match id {
            "new" => &[],
            "paused" => &[Event::Started, Event::Paused { reason: PauseReason::Asked }],
            _ => &[Event::Started],
        };
        scene.store.append(&claim, 1, 2_000, events).await.unwrap();
        if id == "held" {
            scene.store.renew_run(&claim, LEASE, 100_000).await.unwrap();
        }
    }
    assert_eq!(scene.store.unattended(100_001).await.unwrap(), ["lapsed"]);
    assert_eq!(scene.store.unattended(200_000).await.unwrap(), ["held", "lapsed"]);
}

#[tokio::test]
async fn commands_wait_until_they_are_obeyed_and_are_obeyed_once() {
    let scene = scene().await;
    let claim = scene.debate("d1").await;
    let elsewhere = Store::open_existing(&scene.path).await.unwrap();
    let remark_sent = Command::Remark("mind the cost".into());
    assert_eq!(elsewhere.send("d1", 5, remark_sent.clone()).await, Ok(1));
    assert_eq!(elsewhere.send("d1", 6, Command::Pause).await, Ok(2));
    let waiting = scene.store.pending("d1").await.unwrap();
    assert_eq!(
        waiting.iter().map(|sent| &sent.command).collect::<Vec<_>>(),
        [&remark_sent, &Command::Pause]
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
    assert_eq!(elsewhere.send("d1", 8, Command::Stop).await, Ok(3));
    assert!(matches!(
        elsewhere.send("d2", 8, Command::Stop).await,
        Err(StoreError::Unknown { .. })
    ));
}

#[tokio::test]
async fn the_listing_follows_the_log() {
    let scene = scene().await;
    let claim = scene.debate("d1").await;
    let listed = scene.store.get("d1").await.unwrap();
    assert_eq!((listed.status.as_str(), listed.rounds, listed.rounds_done), ("created", 3, 0));
    assert_eq!(listed.agents, ["Ada", "Björk"]);

    let steps: [(&[Event], &str, u32, u64, u32); 5] = [
        (&[Event::Started, answered(1, 0, "a", Some(40))], "active", 0, 40, 0),
        (&[answered(1, 1, "b", None), Event::RoundClosed { round: 1 }], "active", 1, 40, 1),
        (&[Event::Paused { reason: PauseReason::Asked }], "paused", 1, 40, 1),
        (&[Event::Started, ended(99)], "completed", 1, 99, 0),
        (&[Event::Started, answered(2, 0, "c", Some(1))], "active", 1, 100, 0),
    ];
    let mut last = 1;
    for (at, (events, status, rounds_done, cost, unpriced)) in (2_000..).zip(steps) {
        last = scene.store.append(&claim, last, at, events).await.unwrap();
        let listed = scene.store.get("d1").await.unwrap();
        assert_eq!(
            (listed.status.as_str(), listed.rounds_done, listed.cost_micro, listed.unpriced_calls),
            (status, rounds_done, cost, unpriced)
        );
        assert_eq!((listed.updated, listed.created, listed.last_seq), (at, 1_000, last));
    }
    assert_eq!(scene.store.check().await, Ok(vec![]));
}

#[tokio::test]
async fn a_thousand_debates_are_listed_filtered_searched_and_paged() {
    let scene = scene().await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..1_000_i64 {
        let store = scene.store.clone();
        tasks.spawn(async move {
            let mode = if number % 10 == 0 { "delphi" } else { "collaborative" };
            let topic = format!("Question {number}: 100%_ÖL\\gas");
            let mut events = vec![opened_as(&topic, mode)];
            if number % 4 == 0 {
                events.push(Event::Started);
            }
            // Several share a moment: the order must hold all the same.
            store.create(&format!("d{number:04}"), number / 7, &events).await.unwrap();
        });
    }
    tasks.join_all().await;
    let list = async |filter: ListFilter| scene.store.list(&filter).await.unwrap();
    let any = ListFilter::default;

    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let page = list(ListFilter { limit: Some(64), before, ..any() }).await;
        let Some(last) = page.last() else { break };
        before = Some(last.place());
        seen.extend(page.into_iter().map(|debate| debate.id));
    }
    let wanted: Vec<String> = (0..1_000).rev().map(|number| format!("d{number:04}")).collect();
    assert_eq!(seen, wanted);

    let most = Some(2_000);
    let count = async |filter: ListFilter| list(ListFilter { limit: most, ..filter }).await.len();
    assert_eq!(count(ListFilter { mode: Some("delphi".into()), ..any() }).await, 100);
    assert_eq!(count(ListFilter { status: Some("active".into()), ..any() }).await, 250);
    let both = ListFilter { status: Some("active".into()), mode: Some("delphi".into()), ..any() };
    assert_eq!(count(both).await, 50);
    for (text, hits) in [
        ("question 77", 11),
        ("100%_öl\\G", 1_000),
        ("10_%", 0),
        ("BJÖRK", 1_000),
        ("harbour", 1_000),
        ("nothing", 0),
    ] {
        assert_eq!(count(ListFilter { text: Some(text.into()), ..any() }).await, hits, "{text}");
    }
}

#[tokio::test]
async fn a_debate_is_found_by_the_beginning_of_its_id() {
    let scene = scene().await;
    let nothing = scene.store.find("x").await.unwrap_err();
    assert!(nothing.to_string().contains("None has been held"), "{nothing}");
    for id in ["0199aa", "0199ab", "0199ab-2", "02_"] {
        scene.store.create(id, 1, &[opened("Tabs?")]).await.unwrap();
    }
    let find = async |start: &str| scene.store.find(start).await.map(|debate| debate.id);
    assert_eq!(find("0199AA").await.unwrap(), "0199aa");
    assert_eq!(find(" 0199aa ").await.unwrap(), "0199aa");
    assert_eq!(find("02").await.unwrap(), "02_");
    // An exact id wins over those that begin with it.
    assert_eq!(find("0199ab").await.unwrap(), "0199ab");
    let Err(StoreError::Ambiguous { candidates, .. }) = find("0199").await else { panic!() };
    let ids: BTreeSet<_> = candidates.into_iter().map(|candidate| candidate.id).collect();
    assert_eq!(ids.len(), 3);
    let error = find("7").await.unwrap_err();
    assert!(error.to_string().contains("02_  Tabs?"), "{error}");
    assert!(matches!(find("").await, Err(StoreError::Unknown { .. })));
    assert!(matches!(find("%").await, Err(StoreError::Unknown { .. })));
    assert!(matches!(scene.store.log("0199").await, Err(StoreError::Unknown { .. })));
}

#[tokio::test]
async fn deleting_takes_the_whole_debate_unless_it_runs() {
    let scene = scene().await;
    let claim = scene.debate("d1").await;
    scene.debate("d2").await;
    scene.store.send("d1", 2, Command::Pause).await.unwrap();
    assert!(matches!(scene.store.delete("d1", 2_000).await, Err(StoreError::Taken { .. })));
    scene.store.release_run(&claim).await.unwrap();
    scene.store.delete("d1", 2_000).await.unwrap();
    assert!(matches!(scene.store.log("d1").await, Err(StoreError::Unknown { .. })));
    assert!(matches!(scene.store.delete("d1", 2_000).await, Err(StoreError::Unknown { .. })));
    assert_eq!(scene.store.pending_everywhere().await, Ok(vec![]));
    assert_eq!(scene.store.log("d2").await.unwrap().len(), 1);
    assert_eq!(scene.store.check().await, Ok(vec![]));
}

#[tokio::test]
async fn a_store_for_reading_makes_nothing_and_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("none").join("roundtable.db");
    for refused in [Store::read_only(&path).await, Store::open_existing(&path).await] {
        assert_eq!(refused.unwrap_err(), StoreError::Missing { path: path.clone() });
    }
    assert!(!dir.path().join("none").exists());

    let scene = scene().await;
    let claim = scene.debate("d1").await;
    let reader = Store::read_only(&scene.path).await.unwrap();
    assert_eq!(reader.log("d1").await.unwrap().len(), 1);
    assert_eq!(reader.append(&claim, 1, 2, &[remark("x")]).await, Err(StoreError::ReadOnly));
    // It sees what is written after it was opened.
    scene.store.append(&claim, 1, 2, &[remark("x")]).await.unwrap();
    assert_eq!(reader.log("d1").await.unwrap().len(), 2);
}
