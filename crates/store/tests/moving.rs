//! A store moves between a file and a server, and comes back as it was.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods)]

mod scene;

use debate::model::MicroUsd;
use scene::{Scene, answered, ended, opened, postgres, remark, sqlite};
use store::{
    AuditEntry, CostsBy, DebateCommand, ListFilter, NamedToken, PeopleChange, Person, PersonBudget,
    PersonRole, Reach, StoreError, TokenHash, copy_store,
};

const NOW: i64 = 10_000_000;

/// Debates with answers, costs and a command that waits, and a topic with the byte 0.
async fn filled(scene: &Scene) {
    for (id, topic) in [("d1", "Tabs or spaces?"), ("d2", "A \0 byte"), ("d3", "冬に?")] {
        scene.store.create(id, 1_000, &[opened(topic)]).await.unwrap();
        let lease = scene.store.claim_run(id, "me", 1_000, 1_000).await.unwrap();
        let events = [answered(1, 0, "Tabs \0 here", Some(700)), remark("go on"), ended(700)];
        scene.store.append(&lease, 1, 2_000, &events).await.unwrap();
        scene.store.release_run(&lease).await.unwrap();
    }
    scene.store.send("d1", 3_000, DebateCommand::Pause).await.unwrap();
    let entry =
        |did: &str| AuditEntry { at: 5, who: "olga".into(), did: did.into(), about: "ann".into() };
    let budget = PersonBudget { day: Some(MicroUsd(5_000)), month: None };
    let role = PersonRole::Member;
    let ann = Person { name: "ann".into(), role, budget, created: 5 };
    scene.store.change_people(PeopleChange::Add(ann), entry("added a person")).await.unwrap();
    let token = NamedToken { name: "laptop".into(), created: 5, expires: Some(NOW) };
    let (person, hash) = ("ann".into(), TokenHash::of("a secret"));
    let change = PeopleChange::AddToken { person, token, hash };
    scene.store.change_people(change, entry("added a token")).await.unwrap();
    let own = Reach { person: Some("ann".into()), ..Reach::default() };
    let events = [opened("Ours?"), answered(1, 0, "Yes", Some(300)), ended(300)];
    scene.store.reaching(own).create("a1", 4_000, &events).await.unwrap();
    scene.store.share("a1", true).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_moves_to_a_server_and_back_to_the_last_bit() {
    if proof::postgres().is_none() {
        return;
    }
    let (file, server) = (Scene::open(sqlite).await, Scene::open(postgres).await);
    filled(&file).await;
    let moved = copy_store(&file.store, &server.store, NOW).await.unwrap();
    assert_eq!((moved.debates, moved.entries), (4, 15));
    let ann = server.store.person_by_token(&TokenHash::of("a secret"), 6).await.unwrap();
    assert_eq!(ann.map(|person| person.name).as_deref(), Some("ann"));
    let row = server.store.get("a1").await.unwrap();
    assert_eq!((row.owner.as_deref(), row.shared), (Some("ann"), true));
    assert_eq!(server.store.audit(9).await, file.store.audit(9).await);
    assert_eq!(server.store.check().await.unwrap(), []);
    let by_debate = server.store.costs(CostsBy::Debate).await.unwrap();
    assert_eq!(by_debate, file.store.costs(CostsBy::Debate).await.unwrap());
    let spent = by_debate.iter().map(|line| line.spent.0).collect::<Vec<_>>();
    assert_eq!(spent, [700, 700, 700, 300]);
    assert_eq!(server.store.pending("d1").await, file.store.pending("d1").await);

    let again = Scene::open(sqlite).await;
    assert_eq!(copy_store(&server.store, &again.store, NOW).await.unwrap(), moved);
    let everything = ListFilter::default();
    assert_eq!(again.store.list(&everything).await, file.store.list(&everything).await);
    for id in ["d1", "d2", "d3"] {
        assert_eq!(again.store.sealed_log(id).await, file.store.sealed_log(id).await);
    }
    // Given again it finds all of it there; another debate there is left alone.
    assert_eq!(copy_store(&file.store, &server.store, NOW).await, Ok(moved));
    server.store.create("other", 1_000, &[opened("Its own?")]).await.unwrap();
    let other = copy_store(&file.store, &server.store, NOW).await;
    assert!(matches!(other, Err(StoreError::NotEmpty { .. })), "{other:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_debate_that_runs_keeps_everything_where_it_is() {
    let (file, other) = (Scene::open(sqlite).await, Scene::open(sqlite).await);
    filled(&file).await;
    let _lease = file.store.claim_run("d2", "me", 1_000, NOW).await.unwrap();
    let refused = copy_store(&file.store, &other.store, NOW).await;
    assert!(matches!(refused, Err(StoreError::Taken { .. })), "{refused:?}");
    assert_eq!(other.store.list(&ListFilter::default()).await, Ok(vec![]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_was_cut_off_goes_on_and_one_that_differs_is_refused() {
    let (file, half, other) =
        (Scene::open(sqlite).await, Scene::open(sqlite).await, Scene::open(sqlite).await);
    filled(&file).await;
    half.store.import("d1", file.store.sealed_log("d1").await.unwrap()).await.unwrap();
    copy_store(&file.store, &half.store, NOW).await.unwrap();
    assert_eq!(half.store.check().await.unwrap(), []);
    assert_eq!(half.store.costs(CostsBy::Model).await, file.store.costs(CostsBy::Model).await);
    // The same id with another log is no copy.
    other.store.create("d1", 9, &[opened("Something else?")]).await.unwrap();
    let refused = copy_store(&file.store, &other.store, NOW).await;
    assert!(matches!(refused, Err(StoreError::NotEmpty { .. })), "{refused:?}");
    assert_eq!(other.store.list(&ListFilter::default()).await.unwrap().len(), 1);
}
