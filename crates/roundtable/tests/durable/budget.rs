//! No budget is passed: by many debates at once in one process, by two
//! processes, or on the command line.

use std::sync::Arc;
use std::time::Duration;

use crate::harness::{Home, answer, brief, size};
use agents::{CancellationToken, Panel, Speaker, Watch};
use debate::Debate;
use debate::model::*;
use engine::run::{FailPoints, FlatPrice, Mailbox, RunEnd, Runner, RunnerPool, Throttle, Watchers};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use store::{CostsBy, SpendingCaps, Store};

/// Costs anything up to the worst.
struct Dear;

const WORST: u64 = 1_000;

impl Speaker for Dear {
    fn speak<'a>(
        &'a self,
        ask: &'a Ask,
        _: &'a dyn Watch,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(3)).await;
            let cost = WORST - (ask.user.len() as u64 * 7) % (WORST / 2);
            let bill = Bill { cost: Some(MicroUsd(cost)), ..Bill::default() };
            Ok(Reply { text: answer(&ask.speaker), bill, ..Reply::default() })
        })
    }
}

fn runner(store: &Store, day: u64) -> Arc<Runner> {
    let dear: Arc<dyn Speaker> = Arc::new(Dear);
    Arc::new(Runner {
        store: store.clone(),
        panel: Panel::new(vec![Arc::clone(&dear), dear], None),
        embedder: None,
        watchers: Watchers::default(),
        interrupt: CancellationToken::new(),
        mailbox: Mailbox::open(store),
        throttle: Throttle::default(),
        pricing: Arc::new(FlatPrice(MicroUsd(WORST))),
        caps: SpendingCaps { debate: None, day: Some(MicroUsd(day)), allow_unpriced: false },
        fail: FailPoints::default(),
        toolbox: None,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_debates_at_once_spend_no_more_than_the_day_allows() {
    for attempt in 0..size(2, 50) as u64 {
        let cap = 40_000 + attempt * 3_777;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("roundtable.db");
        let store = Store::open(&path).await.unwrap();
        // To SQLite a second store on the file is a second process.
        let second = Store::open(&path).await.unwrap();
        let runners = [runner(&store, cap), runner(&second, cap)];
        let mut crowd = RunnerPool::new(100);
        for number in 0..100 {
            let id = format!("d{number}");
            let (_, opening) = Debate::open(brief(2, 2)).unwrap();
            store.create(&id, 1, &[opening]).await.unwrap();
            crowd.add(Arc::clone(&runners[number % 2]), id);
        }
        let (mut done, mut paused) = (0, 0);
        while let Some((id, outcome)) = crowd.next().await {
            match outcome.unwrap() {
                RunEnd::Done(_) => done += 1,
                RunEnd::Paused(PauseReason::Budget { why }) => {
                    assert!(why.contains("the day's budget"), "{why}");
                    paused += 1;
                }
                RunEnd::Paused(other) => panic!("{id}: {other:?}"),
            }
        }
        let days = store.costs(CostsBy::Day).await.unwrap();
        let bound: u64 = days.iter().map(|day| day.spent.0 + day.held.0).sum();
        assert!(bound <= cap * days.len() as u64, "{bound} of {cap}");
        assert!(paused > 0 && done + paused == 100, "{done} done, {paused} paused");
        assert!(bound > cap - 100 * WORST.min(cap / 100), "only {bound} of {cap} was spent");
        assert_eq!(store.check().await, Ok(vec![]));
        if attempt == 0 {
            println!("spent {bound} of {cap} millionths: {done} done, {paused} paused");
        }
    }
}

fn scripted(cost: u64) -> (Home, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let agents: Vec<Value> = ["Ann", "Bea"]
        .iter()
        .map(|name| json!({"name": name, "turn": [{"text": answer(name), "cost": cost}]}))
        .collect();
    let script = json!({ "agent": agents }).to_string();
    std::fs::write(folder.path().join("script.json"), script).unwrap();
    (Home::new(folder.path(), "http://127.0.0.1:9"), folder)
}

#[test]
fn a_debate_pauses_before_the_call_that_might_pass_its_budget() {
    // Two agents at 0.10 USD: round 1 fits, round 2 does not.
    let (home, _folder) = scripted(100_000);
    let start = ["debate", "--script", "script.json", "--budget", "0.35", "--json", "In stages?"];
    let (code, out, err) = home.run(&start);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("this debate's budget") && err.contains("$0.20 of $0.35"), "{err}");
    assert_eq!(out.matches("\"type\":\"answered\"").count(), 2, "{out}");
    assert_eq!(out.matches("\"type\":\"asked\"").count(), 1, "a call was announced:\n{out}");
    let (code, costs, _) = home.run(&["costs", "--by", "provider", "--json"]);
    assert_eq!(code, 0);
    let costs: Value = serde_json::from_str(&costs).unwrap();
    assert_eq!((&costs[0]["spentUsd"], &costs[0]["heldUsd"]), (&json!(0.2), &json!(0.0)));
    for bad in ["-1", "much", "NaN"] {
        let budget = format!("--budget={bad}");
        let (code, _, err) = home.run(&["debate", "--script", "script.json", &budget, "x"]);
        assert_eq!(code, 2);
        assert!(err.contains("budget") && err.contains(bad), "{err}");
    }
}

#[test]
fn the_day_s_budget_holds_across_debates() {
    let (home, folder) = scripted(100_000);
    let config = folder.path().join("config/roundtable/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(config, "daily_budget = 0.9\n").unwrap();
    let start = ["debate", "--script", "script.json", "--rounds", "3", "-q", "In stages?"];
    let (code, _, err) = home.run(&start);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = home.run(&start);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("the day's budget"), "{err}");
}

#[test]
fn under_a_budget_somebody_set_an_unknown_price_is_refused_unless_allowed() {
    let (home, folder) = scripted(0);
    let agents = ["--agents", "custom/a,custom/b"];
    let start = ["debate", agents[0], agents[1], "--budget", "5", "--rounds", "1", "In stages?"];
    let (code, _, err) = home.run(&start);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("price of the next call is not known"), "{err}");
    // The provider is not there: with leave the call is made, and fails.
    let config = folder.path().join("config/roundtable/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(config, "allow_unpriced = true\n").unwrap();
    let (code, _, err) = home.run(&start);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("needs at least 2"), "{err}");
}
