//! Listings: they follow the log, and debates are found in them.

use std::collections::BTreeSet;

use debate::model::{DebateLink, EarlierDebate, Event, Ledger, PauseReason};
use store::{ListFilter, StoreError};

use crate::scene::{Scene, answered, ended, opened, opened_as};

pub async fn the_listing_follows_the_log(scene: Scene) {
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

pub async fn a_thousand_debates_are_listed_filtered_searched_and_paged(scene: Scene) {
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
        before = Some(last.position());
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

pub async fn a_debate_is_found_by_the_beginning_of_its_id(scene: Scene) {
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
    // By its place in the listing, from the newest.
    let listed = scene.store.list(&ListFilter::default()).await.unwrap();
    assert_eq!(find("@1").await.unwrap(), listed[0].id);
    assert_eq!(find("@4").await.unwrap(), listed[3].id);
    for nothing in ["@0", "@5", "@", "@x"] {
        assert!(matches!(find(nothing).await, Err(StoreError::Unknown { .. })), "{nothing}");
    }
    assert!(matches!(find("").await, Err(StoreError::Unknown { .. })));
    assert!(matches!(find("%").await, Err(StoreError::Unknown { .. })));
    assert!(matches!(scene.store.log("0199").await, Err(StoreError::Unknown { .. })));
}

pub async fn debates_are_listed_by_agent_topic_and_time(scene: Scene) {
    for (id, at) in [("d1", 100), ("d2", 200), ("d3", 300)] {
        scene.store.create(id, at, &[opened("Same")]).await.unwrap();
    }
    let list = |filter: ListFilter| {
        let store = scene.store.clone();
        async move {
            store.list(&filter).await.unwrap().into_iter().map(|one| one.id).collect::<Vec<_>>()
        }
    };
    let any = ListFilter::default;
    assert_eq!(list(ListFilter { since: Some(200), ..any() }).await, ["d3", "d2"]);
    assert_eq!(list(ListFilter { until: Some(200), ..any() }).await, ["d1"]);
    let between = ListFilter { since: Some(101), until: Some(300), ..any() };
    assert_eq!(list(between).await, ["d2"]);
    assert_eq!(list(ListFilter { agent: Some("ada".into()), ..any() }).await.len(), 3);
    assert_eq!(list(ListFilter { agent: Some("ollama/sm".into()), ..any() }).await.len(), 3);
    assert_eq!(list(ListFilter { agent: Some("%".into()), ..any() }).await.len(), 0);
    scene.store.create("d4", 400, &[opened("Same?\0")]).await.unwrap();
    assert_eq!(list(ListFilter { topic: Some("Same?\0".into()), ..any() }).await, ["d4"]);
    assert_eq!(list(ListFilter { topic: Some("Same".into()), ..any() }).await.len(), 3);
    assert_eq!(list(ListFilter { topic: Some("same".into()), ..any() }).await.len(), 0);
}

/// A domain is the one that was given, or else the one that the clerk named.
pub async fn debates_are_listed_by_domain(scene: Scene) {
    let given = |domain: &str| {
        let Event::Opened { version, mut brief, seats } = opened("Same") else { panic!() };
        brief.domain = Some(domain.into());
        Event::Opened { version, brief, seats }
    };
    let named = Event::DomainNamed {
        domain: "data-stores".into(),
        seats: Vec::new(),
        bill: Default::default(),
    };
    scene.store.create("d1", 100, &[given("Data stores")]).await.unwrap();
    scene.store.create("d2", 200, &[opened("Same"), named]).await.unwrap();
    scene.store.create("d3", 300, &[given("hiring")]).await.unwrap();
    scene.store.create("d4", 400, &[opened("Same")]).await.unwrap();
    let filter = ListFilter { domain: Some("data-stores".into()), ..ListFilter::default() };
    let listed = scene.store.list(&filter).await.unwrap();
    assert_eq!(listed.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["d2", "d1"]);
    // Words in answers and a domain go together.
    let both = ListFilter { text: Some("same".into()), ..filter };
    assert_eq!(scene.store.list(&both).await.unwrap().len(), 2);
}

/// A debate knows the one it comes after, and that one finds it; its shared rounds cost nothing.
pub async fn a_debate_that_comes_after_another_is_found_from_both(scene: Scene) {
    scene.debate("d1").await;
    let after = |id: &str, link: DebateLink| {
        let Event::Opened { version, mut brief, seats } = opened("A further question?") else {
            panic!("no opening");
        };
        let (topic, ledger) = (String::new(), Ledger::default());
        let decision = String::new();
        let earlier = EarlierDebate { id: id.into(), link, topic, decision, ledger };
        brief.after = Some(Box::new(earlier));
        Event::Opened { version, brief, seats }
    };
    scene.store.create("d2", 2_000, &[after("d1", DebateLink::FollowUp)]).await.unwrap();
    let fork = [
        after("d1", DebateLink::Fork { round: 1 }),
        Event::Started,
        answered(1, 0, "a", Some(40)),
        Event::RoundClosed { round: 1 },
        answered(2, 0, "b", Some(2)),
    ];
    scene.store.create("d3", 3_000, &fork).await.unwrap();
    let pair = |earlier: &str, id: &str| (earlier.to_owned(), id.to_owned());
    let both = vec![pair("d1", "d2"), pair("d1", "d3")];
    assert_eq!(scene.store.followers(Some("d1")).await, Ok(both.clone()));
    assert_eq!(scene.store.followers(None).await, Ok(both));
    assert_eq!(scene.store.followers(Some("d2")).await, Ok(Vec::new()));
    let listed = scene.store.get("d3").await.unwrap();
    assert_eq!((listed.after.as_deref(), listed.cost_micro), (Some("d1"), 2));
    assert_eq!(scene.store.get("d1").await.unwrap().after, None);
    assert_eq!(scene.store.check().await, Ok(vec![]));
}
