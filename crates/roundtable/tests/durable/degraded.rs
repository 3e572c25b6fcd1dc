//! A table that has lost somebody: it debates on with whom it has, says who is
//! missing, waits where too few are left, and puts no word into the mouth of an
//! agent that sent none. And a debate that nobody runs among many others.
//!
//! The long form: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable degraded::`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::harness::{AGENTS, Home, answer, provider, size};
use debate::model::Event;
use fake_provider::{FakeOptions, FakeProvider};
use serde_json::Value;
use store::Store;

const ROUNDS: usize = 5;
/// Those who agree are not made to disagree once more.
const EASY: &str = "groupthinkDetection.enabled=false";

/// A provider at which one agent answers this often and then sends only what
/// must never be shown.
async fn dying(model: &'static str, after: usize) -> FakeProvider {
    let asked = AtomicUsize::new(0);
    let options = FakeOptions {
        answer: Arc::new(move |body: &Value| {
            let name = body["model"].as_str().unwrap_or("nobody");
            if name == model && asked.fetch_add(1, Ordering::SeqCst) >= after {
                return String::new();
            }
            answer(name)
        }),
        ..provider(0, 0)
    };
    FakeProvider::start(options).await.unwrap()
}

fn show(home: &Home, id: &str) -> Value {
    let (code, out, err) = home.run(&["sessions", "show", id, "--json"]);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_dies_at_any_point_is_missing_from_there_on_and_nobody_speaks_for_it() {
    // Each seat, at each round: ten points of fifteen in the long form.
    let points = (0..ROUNDS).flat_map(|round| ["m0", "m1", "m2"].map(|model| (model, round)));
    let points: Vec<(&'static str, usize)> =
        points.step_by(if size(0, 1) == 0 { 5 } else { 1 }).collect();
    for (model, after) in &points {
        let provider = dying(model, *after).await;
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path(), &provider.base_url());
        let rounds = ROUNDS.to_string();
        let start = [
            "debate",
            "--clerk=none",
            "--rounds",
            &rounds,
            "--agents",
            AGENTS,
            "--json",
            "--flag",
            "exitCriteria.enabled=false",
            "In stages?",
        ];
        let (code, _, err) = tokio::task::block_in_place(|| home.run(&start));
        assert_eq!(code, 0, "{model} dead after {after}: {err}");
        let id = home.ids().remove(0);
        let session = show(&home, &id);
        let held = session["rounds"].as_array().unwrap();
        let seat = model[1..].parse::<usize>().unwrap();
        for (number, round) in held.iter().enumerate() {
            let missing: Vec<&Value> = round["gaps"].as_array().unwrap().iter().collect();
            let wanted = usize::from(number >= *after);
            assert_eq!(missing.len(), wanted, "{model} dead after {after}, round {number}");
            assert!(missing.iter().all(|gap| gap["seat"] == seat), "{missing:?}");
            // Every turn is what its agent sent, and nothing else.
            for one in round["answers"].as_array().unwrap() {
                let said = one["turn"]["answer"]["position"].as_str().unwrap();
                let at = one["turn"]["seat"].as_u64().unwrap();
                assert!(said.starts_with(&format!("m{at} holds")), "{said}");
            }
        }
        let missed = held.len().saturating_sub(*after);
        let gaps = session["verdict"]["metadata"]["gaps"].as_array().unwrap();
        assert_eq!(gaps.len(), missed, "{model} dead after {after}");
    }
    println!("{0} of {0} tables came to their end", points.len());
}

/// Everything that means: somebody must pay, or give a key.
const NO_MONEY: [&str; 7] = [
    "quota_code",
    "quota_credit",
    "quota_words",
    "spend_limit",
    "no_credit",
    "bad_key",
    "forbidden",
];

/// A debate of one round: how it ended, and what it printed.
fn one_round(home: &Home, agents: &str) -> (i32, String, String) {
    let flags = ["debate", "--clerk=none", "--rounds", "1", "--flag", EASY];
    let start = [&flags[..], &["--agents", agents, "In stages?"]].concat();
    // A second account, which an account without money does not hold up.
    let other = [("OLLAMA_BASE_URL", home.url.as_str())];
    tokio::task::block_in_place(|| {
        let mut run = home.start(&start, &other);
        (run.wait(), run.said(), run.complained())
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_without_money_is_asked_once_a_round_and_said_to_be_so() {
    for shape in NO_MONEY {
        let provider = FakeProvider::start(provider(0, 0)).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path(), &provider.base_url());
        let model = format!("fault:{shape}");
        let agents = format!("Ann=custom/{model},Bea=ollama/m1,Cem=ollama/m2");
        let (code, _, err) = one_round(&home, &agents);
        assert_eq!(code, 0, "{shape}: {err}");
        assert_eq!(provider.asked(&model).len(), 1, "{shape}");
        let session = show(&home, &home.ids()[0]);
        let gap = &session["rounds"][0]["gaps"][0];
        let class = gap["class"].as_str().unwrap();
        assert!(["out_of_credit", "unauthorised"].contains(&class), "{shape}: {gap:#}");
        // Where it is everybody's account, the debate waits for a person.
        let agents = format!("Ann=custom/{model},Bea=custom/{model}");
        let (code, _, err) = one_round(&home, &agents);
        assert_eq!(code, 3, "{shape}: {err}");
        // The second agent may be asked before the first one's refusal is here, or not at all.
        assert!((2..=3).contains(&provider.asked(&model).len()), "{shape}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn among_many_debates_the_one_that_was_cut_off_is_found_and_goes_on() {
    let provider = FakeProvider::start(provider(20, 0)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path(), &provider.base_url());
    // Two rounds: answers that arrive together may end a round with the commit that is cut off.
    let start =
        ["debate", "--clerk=none", "--rounds", "2", "--json", "--agents", AGENTS, "In stages?"];
    let (code, _, err) = tokio::task::block_in_place(|| home.run(&start));
    assert_eq!(code, 0, "{err}");
    let store = Store::open(&home.database()).await.unwrap();
    let log = store.log(&home.ids()[0]).await.unwrap();
    let held: Vec<Event> = log.into_iter().map(|entry| entry.event).collect();
    let mut creating = tokio::task::JoinSet::new();
    for number in 0..size(200, 1000) {
        let (store, held) = (store.clone(), held.clone());
        creating.spawn(async move { store.create(&format!("held-{number}"), 1, &held).await });
    }
    for created in creating.join_all().await {
        created.unwrap();
    }
    store.close().await;
    let mut run = home.start(&start, &[("ROUNDTABLE_FAILPOINT", "after_T2")]);
    assert_eq!(tokio::task::block_in_place(|| run.wait()), -1);
    let (_, out, _) = tokio::task::block_in_place(|| home.run(&["sessions", "list", "--json"]));
    let rows: Value = serde_json::from_str(&out).unwrap();
    let cut: Vec<&Value> =
        rows.as_array().unwrap().iter().filter(|row| row["cutOff"] == true).collect();
    assert_eq!(cut.len(), 1, "{rows:#}");
    let id = cut[0]["id"].as_str().unwrap();
    let began = Instant::now();
    let mut run = home.start(&["sessions", "resume", id, "--json"], &[]);
    let first = run.wait_for(&run.stdout, "\"type\":");
    assert_eq!(tokio::task::block_in_place(|| run.wait()), 0, "{}", run.complained());
    println!(
        "it went on {:?} after the program was started",
        first.saturating_duration_since(began)
    );
    assert!(!home.verdict(id).is_null());
}
