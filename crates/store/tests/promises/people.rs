//! People, their tokens and budgets, and debates that only some of them reach.

use debate::model::{Event, Intent, MicroUsd};
use store::{
    AuditEntry, CostsBy, ListFilter, NamedToken, NewOutcome, OutcomeRecord, PeopleChange,
    PeopleProblem, Person, PersonBudget, PersonRole, Reach, ReachedDebates, SpendingCaps,
    SpendingLimit, Store, StoreError, TokenHash,
};

use crate::scene::{LEASE, Scene, answered, ask, ended, opened};

const DAY: i64 = 86_400_000;

fn entry(did: &str, about: &str) -> AuditEntry {
    AuditEntry { at: 5, who: "olga".into(), did: did.into(), about: about.into() }
}

async fn add(store: &Store, name: &str, budget: PersonBudget) -> Result<(), StoreError> {
    let person = Person { name: name.into(), role: PersonRole::Member, budget, created: 5 };
    store.change_people(PeopleChange::Add(person), entry("added a person", name)).await
}

async fn add_token(store: &Store, name: &str, expires: Option<i64>) -> Result<(), StoreError> {
    let token = NamedToken { name: name.into(), created: 5, expires };
    let (person, hash) = ("ann".into(), TokenHash::of(&format!("secret of {name}")));
    let change = PeopleChange::AddToken { person, token, hash };
    store.change_people(change, entry("added a token", name)).await
}

fn handle(store: &Store, person: &str, debates: ReachedDebates) -> Store {
    store.reaching(Reach { person: Some(person.into()), debates })
}

pub async fn people_are_kept_with_roles_budgets_and_tokens(scene: Scene) {
    let store = &scene.store;
    add(store, "ann", PersonBudget::default()).await.unwrap();
    add(store, "bob", PersonBudget { day: Some(MicroUsd(7)), month: None }).await.unwrap();
    let fault = |name: &str, problem| Err(StoreError::People { name: name.into(), problem });
    let again = add(store, "ann", PersonBudget::default()).await;
    assert_eq!(again, fault("ann", PeopleProblem::NameTaken));
    let role = PeopleChange::SetRole { name: "ann".into(), role: PersonRole::Operator };
    store.change_people(role, entry("set the role", "ann")).await.unwrap();
    let budget = PersonBudget { day: Some(MicroUsd(9)), month: Some(MicroUsd(90)) };
    let change = PeopleChange::SetBudget { name: "ann".into(), budget };
    store.change_people(change, entry("set the budget", "ann")).await.unwrap();
    let change = PeopleChange::SetRole { name: "eve".into(), role: PersonRole::Reader };
    let unknown = store.change_people(change, entry("set the role", "eve")).await;
    assert_eq!(unknown, fault("eve", PeopleProblem::Unknown));
    let people = store.people().await.unwrap();
    let ann = Person { name: "ann".into(), role: PersonRole::Operator, budget, created: 5 };
    assert_eq!((people.len(), &people[0]), (2, &ann));

    add_token(store, "laptop", None).await.unwrap();
    add_token(store, "old", Some(100)).await.unwrap();
    assert_eq!(add_token(store, "old", None).await, fault("old", PeopleProblem::TokenTaken));
    let by = async |secret: &str, now: i64| {
        let found = store.person_by_token(&TokenHash::of(secret), now).await.unwrap();
        found.map(|person| person.name)
    };
    assert_eq!(by("secret of laptop", 10).await.as_deref(), Some("ann"));
    assert_eq!(by("secret of old", 99).await.as_deref(), Some("ann"));
    assert_eq!((by("secret of old", 100).await, by("another", 10).await), (None, None));
    let names = store.tokens("ann").await.unwrap().into_iter().map(|token| token.name);
    assert_eq!(names.collect::<Vec<_>>(), ["laptop", "old"]);
    let revoke =
        |token: &str| PeopleChange::RevokeToken { person: "ann".into(), token: token.into() };
    store.change_people(revoke("old"), entry("revoked a token", "old")).await.unwrap();
    let gone = store.change_people(revoke("old"), entry("revoked a token", "old")).await;
    assert_eq!(gone, fault("old", PeopleProblem::TokenUnknown));

    let remove = PeopleChange::Remove { name: "ann".into() };
    store.change_people(remove, entry("removed a person", "ann")).await.unwrap();
    assert_eq!(by("secret of laptop", 10).await, None);
    // A name is not given twice.
    let again = add(store, "ann", PersonBudget::default()).await;
    assert_eq!(again, fault("ann", PeopleProblem::NameTaken));
    // Refused changes are not in the log; the newest comes first.
    let log = store.audit(100).await.unwrap();
    assert_eq!((log.len(), &log[0]), (8, &entry("removed a person", "ann")));
    assert_eq!(store.audit(2).await.unwrap().len(), 2);
    store.close().await;
    assert_eq!(scene.another().await.people().await.unwrap().len(), 1);
}

/// Everything that a handle can be asked about debates.
async fn seen(store: &Store) -> Vec<String> {
    let listed = store.list(&ListFilter::default()).await.unwrap();
    let ids: Vec<String> = listed.into_iter().map(|row| row.id).collect();
    let search = ListFilter { text: Some("Tabs".into()), ..ListFilter::default() };
    let found = store.list(&search).await.unwrap();
    assert_eq!(found.len(), ids.len(), "the search finds the same");
    let finished = store.finished().await.unwrap();
    assert_eq!(finished.len(), ids.len(), "the memory holds the same");
    assert_eq!(store.outcomes(None).await.unwrap().len(), ids.len());
    for id in ["a1", "b1", "m1", "zz"] {
        let is_there = ids.iter().any(|seen| seen == id);
        let unknown = |result: Option<StoreError>| match result {
            None => is_there,
            Some(StoreError::Unknown { asked, recent }) => {
                let mut hints: Vec<String> = recent.into_iter().map(|hint| hint.id).collect();
                hints.sort();
                let mut known = ids.clone();
                known.sort();
                asked == id && hints == known && !is_there
            }
            Some(_) => false,
        };
        assert!(unknown(store.get(id).await.err()), "{id}");
        assert!(unknown(store.find(id).await.err()), "{id}");
        assert!(unknown(store.log(id).await.err()), "{id}");
        assert!(unknown(store.sealed_log(id).await.err()), "{id}");
        assert_eq!(store.outcomes(Some(id)).await.unwrap().len(), usize::from(is_there));
    }
    ids
}

pub async fn a_handle_knows_only_the_debates_that_it_reaches(scene: Scene) {
    use ReachedDebates::{All, None as Nothing, Own, OwnAndShared};
    let store = &scene.store;
    for (person, id) in [(Some("ann"), "a1"), (Some("bob"), "b1"), (None, "m1")] {
        let own = store.reaching(Reach { person: person.map(Into::into), debates: All });
        let events = [opened("Tabs or spaces?"), answered(1, 0, "Tabs", Some(3)), ended(3)];
        own.create(id, 1_000, &events).await.unwrap();
        let record = OutcomeRecord::AskOn { on: None };
        let note = NewOutcome { debate: id.into(), after: 0, record };
        own.note_outcomes(5, &[note]).await.unwrap();
    }
    let rows = [
        ("ann", Own, vec!["a1"]),
        ("ann", OwnAndShared, vec!["a1"]),
        ("bob", Own, vec!["b1"]),
        ("eve", Own, vec![]),
        ("eve", Nothing, vec![]),
        ("ann", All, vec!["m1", "b1", "a1"]),
    ];
    for (person, debates, wanted) in rows {
        assert_eq!(seen(&handle(store, person, debates)).await, wanted, "{person} {debates:?}");
    }
    let bob = handle(store, "bob", Own);
    for refused in [
        bob.send("a1", 6, store::DebateCommand::Pause).await.err(),
        bob.delete("a1", 6).await.err(),
        bob.share("a1", true).await.err(),
        bob.claim_run("a1", "me", LEASE, 6).await.err(),
    ] {
        assert!(matches!(refused, Some(StoreError::Unknown { .. })), "{refused:?}");
    }
    let costs = async |store: &Store| store.costs(CostsBy::Debate).await.unwrap().len();
    assert_eq!((costs(&bob).await, costs(store).await), (1, 3));
    assert!(
        bob.list(&ListFilter { text: Some("a1".into()), ..ListFilter::default() }).await.is_ok()
    );

    handle(store, "ann", Own).share("a1", true).await.unwrap();
    assert_eq!(seen(&handle(store, "bob", OwnAndShared)).await, ["b1", "a1"]);
    assert_eq!(seen(&bob).await, ["b1"]);
    let row = store.get("a1").await.unwrap();
    assert_eq!((row.owner.as_deref(), row.shared), (Some("ann"), true));
    handle(store, "ann", Own).share("a1", false).await.unwrap();
    assert_eq!(seen(&handle(store, "bob", OwnAndShared)).await, ["b1"]);
    assert_eq!(store.check().await.unwrap(), []);
}

fn asked(round: u32, micro: Option<u64>) -> Event {
    let intent = Intent { ask: ask(round, 0), reserved: micro.map(MicroUsd) };
    Event::Asked { intents: vec![intent] }
}

pub async fn the_budget_of_a_person_holds_for_the_day_and_the_month(scene: Scene) {
    let store = &scene.store;
    let budget = PersonBudget { day: Some(MicroUsd(100)), month: Some(MicroUsd(150)) };
    add(store, "ann", budget).await.unwrap();
    let own = handle(store, "ann", ReachedDebates::All);
    let mut leases = Vec::new();
    for id in ["a1", "a2"] {
        own.create(id, 0, &[opened("Tabs?")]).await.unwrap();
        leases.push(own.claim_run(id, "me", LEASE, 0).await.unwrap());
    }
    // The second day is of the same month, the last one is not.
    let moments = [0, DAY, 40 * DAY];
    let caps = SpendingCaps { allow_unpriced: true, ..SpendingCaps::default() };
    let reserve = async |lease: usize, after, day: usize, event: Event| {
        store.append_reserving(&leases[lease], after, moments[day], &[event], caps).await
    };
    reserve(0, 1, 0, asked(1, Some(80))).await.unwrap();
    let over = |which, cap, bound, wanted| {
        let [cap, bound, wanted] = [cap, bound, wanted].map(MicroUsd);
        Err(StoreError::Budget { which, cap, bound, wanted })
    };
    let refused = reserve(1, 1, 0, asked(1, Some(30))).await;
    assert_eq!(refused, over(SpendingLimit::OwnerDay, 100, 80, 30));
    let refused = reserve(1, 1, 1, asked(1, Some(90))).await;
    assert_eq!(refused, over(SpendingLimit::OwnerMonth, 150, 80, 90));
    // No price, no promise: whatever the machine allows itself.
    let unpriced = reserve(1, 1, 0, asked(1, None)).await;
    assert!(matches!(unpriced, Err(StoreError::Unpriced { .. })), "{unpriced:?}");
    let least = store.least_spending("a1", LEASE + 1).await.unwrap();
    assert_eq!((least.owner_day, least.owner_month), (MicroUsd(80), MicroUsd(80)));
    // What the call came to counts; another month begins anew.
    store.append(&leases[0], 2, 0, &[answered(1, 0, "Tabs", Some(20))]).await.unwrap();
    reserve(1, 1, 0, asked(1, Some(30))).await.unwrap();
    reserve(0, 3, 2, asked(2, Some(100))).await.unwrap();
    let day = own.least_spending("", 40 * DAY).await.unwrap();
    assert_eq!((day.owner_day, day.owner_month), (MicroUsd(100), MicroUsd(100)));
    assert_eq!(store.check().await.unwrap(), []);
    // A lowered budget holds for debates that run.
    let change = PeopleChange::SetBudget {
        name: "ann".into(),
        budget: PersonBudget { day: Some(MicroUsd::ZERO), month: None },
    };
    store.change_people(change, entry("set the budget", "ann")).await.unwrap();
    let refused = reserve(1, 2, 1, asked(2, Some(1))).await;
    assert_eq!(refused, over(SpendingLimit::OwnerDay, 0, 0, 1));
}

pub async fn a_hundred_debates_of_one_person_never_pass_the_budget(scene: Scene) {
    let store = &scene.store;
    add(store, "ann", PersonBudget { day: Some(MicroUsd(1_000)), month: None }).await.unwrap();
    let own = handle(store, "ann", ReachedDebates::Own);
    let mut asking = tokio::task::JoinSet::new();
    for number in 0..100 {
        let id = format!("d{number}");
        own.create(&id, 0, &[opened("Tabs?")]).await.unwrap();
        let lease = own.claim_run(&id, "me", LEASE, 0).await.unwrap();
        let store = if number % 2 == 0 { store.clone() } else { scene.another().await };
        asking.spawn(async move {
            let caps = SpendingCaps::default();
            store.append_reserving(&lease, 1, 0, &[asked(1, Some(70))], caps).await.is_ok()
        });
    }
    let granted = asking.join_all().await.into_iter().filter(|granted| *granted).count();
    assert_eq!(granted, 14);
    let least = own.least_spending("", LEASE + 1).await.unwrap();
    assert_eq!(least.owner_day, MicroUsd(14 * 70));
    assert_eq!(store.check().await.unwrap(), []);
}
