//! Spending: every call is reserved before it is sent and charged when it ends,
//! and no budget is passed, however many ask at once.

use debate::model::*;
use store::{CostLine, CostsBy, SpendingCaps, SpendingLimit, Store, StoreError};

use crate::scene::{Scene, answered, ask, opened};

const DAY: i64 = 86_400_000;

fn asked(round: Round, seat: usize, reserved: Option<u64>) -> Event {
    let intent = Intent { ask: ask(round, seat), reserved: reserved.map(MicroUsd) };
    Event::Asked { intents: vec![intent] }
}

fn missed(round: Round, seat: usize, class: FailureClass) -> Event {
    let gap = Gap {
        seat: SeatId(seat),
        agent: "Ada".into(),
        round,
        wave: 0,
        class,
        message: "no".into(),
        tries: 1,
        bill: Bill::default(),
    };
    Event::Missed { ask: ask(round, seat), gap }
}

fn caps(debate: Option<u64>, day: Option<u64>) -> SpendingCaps {
    SpendingCaps { debate: debate.map(MicroUsd), day: day.map(MicroUsd), ..SpendingCaps::default() }
}

async fn one(store: &Store, by: CostsBy, key: &str) -> CostLine {
    let found = store.costs(by).await.unwrap();
    found.iter().find(|line| line.key == key).cloned().unwrap_or_else(|| panic!("{found:?}"))
}

pub async fn a_call_is_set_aside_for_then_charged_what_it_came_to(scene: Scene) {
    let store = &scene.store;
    let claim = scene.debate("d1").await;
    let events = [asked(1, 0, Some(900)), asked(1, 1, Some(500)), asked(2, 0, None)];
    let last = store
        .append_reserving(&claim, 1, DAY * 10, &events, SpendingCaps::default())
        .await
        .unwrap();
    let held = one(store, CostsBy::Debate, "d1").await;
    assert_eq!((held.calls, held.held, held.spent), (3, MicroUsd(1400), MicroUsd(0)));

    // The first cost less, the second does not say, the third has no price at all.
    let events =
        [answered(1, 0, "x", Some(200)), answered(1, 1, "y", None), answered(2, 0, "z", None)];
    // A day later: a call belongs to the day it was sent on.
    store.append(&claim, last, DAY * 11, &events).await.unwrap();
    let line = one(store, CostsBy::Day, "1970-01-11").await;
    assert_eq!((line.spent, line.held, line.unpriced_calls), (MicroUsd(700), MicroUsd(0), 1));
    let line = one(store, CostsBy::Model, "ollama/small").await;
    assert_eq!((line.calls, line.spent), (3, MicroUsd(700)));
    assert_eq!(one(store, CostsBy::Provider, "ollama").await.spent, MicroUsd(700));
    assert_eq!(store.check().await, Ok(vec![]));
}

pub async fn tokens_from_a_cache_are_counted_by_day_model_and_debate(scene: Scene) {
    let store = &scene.store;
    let claim = scene.debate("d1").await;
    let said = |round, cached| {
        let mut event = answered(round, 0, "x", Some(10));
        if let Event::Answered { turn, .. } = &mut event {
            turn.bill.usage = Usage { input: Some(1000), cached, ..Usage::default() };
        }
        event
    };
    // A cache that gave more than was sent is a provider's mistake.
    let events = [asked(1, 0, Some(900)), said(1, Some(600)), asked(2, 0, None), said(2, None)];
    let last = store.append(&claim, 1, DAY * 10, &events).await.unwrap();
    let events = [asked(3, 0, Some(900)), said(3, Some(5000))];
    store.append(&claim, last, DAY * 10, &events).await.unwrap();
    for (by, key) in [
        (CostsBy::Day, "1970-01-11"),
        (CostsBy::Provider, "ollama"),
        (CostsBy::Model, "ollama/small"),
        (CostsBy::Debate, "d1"),
    ] {
        let line = one(store, by, key).await;
        assert_eq!((line.input_tokens, line.cached_tokens), (3000, 1600), "{key}");
        let cached = store.cached(by).await.unwrap();
        let [one] = cached.as_slice() else { panic!("{cached:?}") };
        let of = (one.key.as_str(), one.provider.as_str(), one.model.as_str(), one.cached_tokens);
        assert_eq!(of, (key, "ollama", "small", 1600));
    }
}

pub async fn what_is_abandoned_stays_in_the_books_as_possibly_billed(scene: Scene) {
    let store = &scene.store;
    let claim = scene.debate("d1").await;
    let intent = Intent { ask: ask(1, 0), reserved: Some(MicroUsd(300)) };
    let lost = Event::Ambiguous { intents: vec![intent] };
    let events =
        [asked(1, 0, Some(300)), lost, asked(1, 0, Some(300)), answered(1, 0, "x", Some(100))];
    store.append(&claim, 1, 1, &events).await.unwrap();
    let line = one(store, CostsBy::Debate, "d1").await;
    assert_eq!((line.calls, line.ambiguous_calls), (2, 1));
    assert_eq!((line.spent, line.possibly_billed), (MicroUsd(100), MicroUsd(300)));
    // It counts against the budget: 400 are bound.
    let refused = store
        .append_reserving(&claim, 5, 1, &[asked(2, 0, Some(101))], caps(Some(500), None))
        .await;
    assert!(matches!(refused, Err(StoreError::Budget { bound: MicroUsd(400), .. })));
    assert_eq!(store.check().await, Ok(vec![]));
}

pub async fn a_failure_that_is_never_billed_frees_what_was_set_aside_and_others_do_not(
    scene: Scene,
) {
    let claim = scene.debate("d1").await;
    let events = [
        asked(1, 0, Some(300)),
        asked(1, 1, Some(500)),
        missed(1, 0, FailureClass::Unauthorised),
        missed(1, 1, FailureClass::TimedOut),
    ];
    scene.store.append(&claim, 1, 1, &events).await.unwrap();
    let line = one(&scene.store, CostsBy::Debate, "d1").await;
    assert_eq!(
        (line.spent, line.held, line.possibly_billed),
        (MicroUsd(0), MicroUsd(0), MicroUsd(500))
    );
    assert_eq!(scene.store.check().await, Ok(vec![]));
}

pub async fn a_call_that_would_pass_a_limit_is_refused_and_leaves_nothing(scene: Scene) {
    let store = &scene.store;
    let claim = scene.debate("d1").await;
    let other = scene.debate("d2").await;
    store
        .append_reserving(&claim, 1, 1, &[asked(1, 0, Some(600))], caps(Some(600), Some(1000)))
        .await
        .unwrap();
    let refused = store
        .append_reserving(&claim, 2, 1, &[asked(1, 1, Some(1))], caps(Some(600), Some(1000)))
        .await;
    let which = |purse, cap, bound, wanted| {
        Err(StoreError::Budget {
            which: purse,
            cap: MicroUsd(cap),
            bound: MicroUsd(bound),
            wanted: MicroUsd(wanted),
        })
    };
    assert_eq!(refused, which(SpendingLimit::Debate, 600, 600, 1));
    // The day is shared by all debates.
    let refused = store
        .append_reserving(&other, 1, 1, &[asked(1, 0, Some(401))], caps(None, Some(1000)))
        .await;
    assert_eq!(refused, which(SpendingLimit::Day, 1000, 600, 401));
    assert_eq!(store.log("d2").await.unwrap().len(), 1);
    // Another day has another budget.
    store
        .append_reserving(&other, 1, DAY, &[asked(1, 0, Some(401))], caps(None, Some(1000)))
        .await
        .unwrap();
    assert_eq!(store.check().await, Ok(vec![]));
}

pub async fn an_unknown_price_is_refused_under_a_limit_unless_it_is_allowed(scene: Scene) {
    let claim = scene.debate("d1").await;
    let events = [asked(1, 0, None)];
    let limit = caps(None, Some(1000));
    let refused = scene.store.append_reserving(&claim, 1, 1, &events, limit).await;
    assert_eq!(refused, Err(StoreError::Unpriced { id: "d1".into(), calls: 1 }));
    let allowed = SpendingCaps { allow_unpriced: true, ..limit };
    assert_eq!(scene.store.append_reserving(&claim, 1, 1, &events, allowed).await, Ok(2));
    assert_eq!(
        scene
            .store
            .append_reserving(&claim, 2, 1, &[asked(1, 1, None)], SpendingCaps::default())
            .await,
        Ok(3)
    );
}

pub async fn deleting_a_debate_gives_no_money_back(scene: Scene) {
    let claim = scene.debate("d1").await;
    let events = [asked(1, 0, Some(900)), answered(1, 0, "x", Some(900))];
    scene.store.append(&claim, 1, 1, &events).await.unwrap();
    scene.store.release_run(&claim).await.unwrap();
    scene.store.delete("d1", 1).await.unwrap();
    assert_eq!(one(&scene.store, CostsBy::Day, "1970-01-01").await.spent, MicroUsd(900));
    let other = scene.debate("d2").await;
    let refused = scene
        .store
        .append_reserving(&other, 1, 1, &[asked(1, 0, Some(200))], caps(None, Some(1000)))
        .await;
    assert!(matches!(refused, Err(StoreError::Budget { which: SpendingLimit::Day, .. })));
    assert_eq!(scene.store.check().await, Ok(vec![]));
}

pub async fn a_hundred_who_ask_at_once_never_pass_the_limit(scene: Scene) {
    let second = scene.another().await;
    let limit = MicroUsd(50_000);
    let mut workers = tokio::task::JoinSet::new();
    for number in 0..100_u64 {
        let store = if number % 2 == 0 { scene.store.clone() } else { second.clone() };
        workers.spawn(async move {
            let id = format!("w{number}");
            store.create(&id, 1, &[opened("x")]).await.unwrap();
            let claim = store.claim_run(&id, "me", 30_000, 1).await.unwrap();
            let (mut last, mut spent) = (1, 0);
            for round in 1..=10 {
                let worst = 300 + number * 7;
                let limits = SpendingCaps { day: Some(limit), ..SpendingCaps::default() };
                match store
                    .append_reserving(&claim, last, 1, &[asked(round, 0, Some(worst))], limits)
                    .await
                {
                    Ok(seq) => last = seq,
                    Err(StoreError::Budget { .. }) => break,
                    Err(error) => panic!("{error}"),
                }
                let cost = worst - (number * u64::from(round)) % 290;
                last = store
                    .append(&claim, last, 1, &[answered(round, 0, "x", Some(cost))])
                    .await
                    .unwrap();
                spent += cost;
            }
            spent
        });
    }
    let spent: u64 = workers.join_all().await.iter().sum();
    let booked = one(&scene.store, CostsBy::Day, "1970-01-01").await;
    assert_eq!((booked.spent, booked.held), (MicroUsd(spent), MicroUsd(0)));
    assert!(booked.spent <= limit, "{spent} of {limit}");
    // The limit was felt: nearly all of it is spent.
    assert!(spent > limit.0 - 1_500, "only {spent}");
    assert_eq!(scene.store.check().await, Ok(vec![]));
}

pub async fn a_further_request_extends_what_is_held_within_the_limit(scene: Scene) {
    let store = &scene.store;
    let claim = scene.debate("d1").await;
    let more = |reserved: u64, used: u64, rests| Event::Reserved {
        ask: ask(1, 0),
        reserved: MicroUsd(reserved),
        used: MicroUsd(used),
        rests,
    };
    let limit = caps(Some(500), None);
    let begun = [asked(1, 0, Some(300))];
    let last = store.append_reserving(&claim, 1, 1, &begun, limit).await.unwrap();
    // The first request took 100, the next may take 400.
    let last =
        store.append_reserving(&claim, last, 1, &[more(500, 100, false)], limit).await.unwrap();
    let line = one(store, CostsBy::Debate, "d1").await;
    assert_eq!((line.calls, line.held), (1, MicroUsd(500)));
    let least = store.least_spending("d1", 1).await.unwrap();
    assert_eq!((least.debate, least.day), (MicroUsd(100), MicroUsd(100)));
    // Both took 350, so one more of 151 does not fit, and nothing is written.
    let refused = store.append_reserving(&claim, last, 1, &[more(501, 350, false)], limit).await;
    let expected = StoreError::Budget {
        which: SpendingLimit::Debate,
        cap: MicroUsd(500),
        bound: MicroUsd(350),
        wanted: MicroUsd(151),
    };
    assert_eq!(refused, Err(expected));
    // While it rests, the remainder is free for others.
    let last = store.append(&claim, last, 1, &[more(350, 350, true)]).await.unwrap();
    let others = [asked(1, 1, Some(150))];
    let last = store.append_reserving(&claim, last, 1, &others, limit).await.unwrap();
    let intent = Intent { ask: ask(1, 1), reserved: Some(MicroUsd(120)) };
    let ends = [answered(1, 0, "x", Some(360)), Event::Ambiguous { intents: vec![intent] }];
    store.append(&claim, last, 1, &ends).await.unwrap();
    let line = one(store, CostsBy::Debate, "d1").await;
    assert_eq!(
        (line.spent, line.possibly_billed, line.held),
        (MicroUsd(360), MicroUsd(120), MicroUsd(0))
    );
    assert_eq!(store.check().await, Ok(vec![]));
    // A call whose process is gone keeps all that is reserved for it.
    assert_eq!(store.least_spending("d1", i64::MAX).await.unwrap().debate, MicroUsd(480));
}

/// A run whose debate is known to its process keeps the budgets that others use too.
pub async fn a_run_under_way_sees_what_others_spent_since(scene: Scene) {
    let (run, store) = (scene.debate("d1").await, &scene.store);
    let other = scene.another().await;
    let theirs = scene.debate("d2").await;
    let limits = caps(Some(1_000), Some(1_000));
    let first = [asked(1, 0, Some(300))];
    assert_eq!(store.append_reserving(&run, 1, 1, &first, limits).await, Ok(2));
    let spent = [asked(1, 0, Some(600))];
    assert_eq!(other.append_reserving(&theirs, 1, 1, &spent, limits).await, Ok(2));
    // 300 came to 250 and 600 are held elsewhere: 150 are left of the day.
    let more = |reserved| [answered(1, 0, "x", Some(250)), asked(2, 0, Some(reserved))];
    let refused = store.append_reserving(&run, 2, 1, &more(151), limits).await;
    let Err(StoreError::Budget { which, bound, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!((which, bound), (SpendingLimit::Day, MicroUsd(850)));
    assert_eq!(store.log("d1").await.unwrap().len(), 2);
    assert_eq!(store.append_reserving(&run, 2, 1, &more(150), limits).await, Ok(4));
    assert_eq!(other.append(&theirs, 2, 1, &[answered(1, 0, "y", Some(0))]).await, Ok(3));
    // What is freed elsewhere is there at once; the debate's own limit is met first then.
    let more = |reserved| [answered(2, 0, "z", Some(50)), asked(3, 0, Some(reserved))];
    let refused = store.append_reserving(&run, 4, 1, &more(701), limits).await;
    assert!(matches!(refused, Err(StoreError::Budget { bound: MicroUsd(300), .. })), "{refused:?}");
    assert_eq!(store.append_reserving(&run, 4, 1, &more(700), limits).await, Ok(6));
    assert_eq!(store.check().await, Ok(vec![]));
}
