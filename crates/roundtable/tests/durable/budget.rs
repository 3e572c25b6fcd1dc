//! No budget is passed: by many debates at once in one process, by two
//! processes, or on the command line.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::harness::{Engine, Home, answer, brief, on_both_engines, provider, size};
use agents::{CancellationToken, Panel, Speaker, Watch};
use debate::Debate;
use debate::model::*;
use engine::run::{FailPoints, FlatPrice, Mailbox, RunEnd, Runner, RunnerPool, Throttle, Watchers};
use fake_provider::shapes::FakeUsage;
use fake_provider::{FakeOptions, FakeProvider};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use store::{CostsBy, SpendingCaps, Store};

on_both_engines! {
    #[test]
    fn a_hundred_debates_at_once_spend_no_more_than_the_day_allows;
    /// Covers: 12-budget
    #[test]
    fn a_debate_pauses_before_the_call_that_might_pass_its_budget;
    #[test]
    fn the_day_s_budget_holds_across_debates;
    #[test]
    fn under_a_budget_an_unknown_price_is_refused_before_the_opening_unless_allowed;
    #[test]
    fn many_processes_never_pass_the_day_s_budget_and_stop_nothing_that_fits;
    #[test]
    fn a_conversation_reserves_each_request_and_pauses_before_the_one_that_does_not_fit;
    #[test]
    fn the_pauses_of_a_provider_are_paid_from_the_budget_too;
    #[test]
    fn two_dollars_are_enough_for_three_large_models_and_three_rounds;
}

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
        caps: SpendingCaps { day: Some(MicroUsd(day)), ..SpendingCaps::default() },
        fail: FailPoints::default(),
        toolbox: None,
        serves: false,
    })
}

async fn a_hundred_debates_at_once_spend_no_more_than_the_day_allows(engine: Engine) {
    for attempt in 0..size(engine.either(2, 1), engine.either(50, 5)) as u64 {
        let cap = 40_000 + attempt * 3_777;
        let folder = tempfile::tempdir().unwrap();
        let home = engine.home(folder.path(), "").await;
        // To a database a second store is a second process.
        let (store, second) = (home.store().await, home.store().await);
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
                RunEnd::Paused(PauseReason::Budget { why, .. }) => {
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

async fn scripted(engine: Engine, cost: u64) -> (Home, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let agents: Vec<Value> = ["Ann", "Bea"]
        .iter()
        .map(|name| json!({"name": name, "turn": [{"text": answer(name), "cost": cost}]}))
        .collect();
    let script = json!({ "agent": agents }).to_string();
    std::fs::write(folder.path().join("script.json"), script).unwrap();
    (engine.home(folder.path(), "http://127.0.0.1:9").await, folder)
}

async fn a_debate_pauses_before_the_call_that_might_pass_its_budget(engine: Engine) {
    // Two agents at 0.10 USD: round 1 fits, and of round 2 one call.
    let (home, _folder) = scripted(engine, 100_000).await;
    let start = ["debate", "--script", "script.json", "--budget", "0.35", "--json", "In stages?"];
    let (code, out, err) = home.run(&start);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("this debate's budget") && err.contains("$0.30 of $0.35"), "{err}");
    assert!(err.contains("roundtable resume") && err.contains("--budget 0.60"), "{err}");
    assert_eq!(out.matches("\"type\":\"answered\"").count(), 3, "{out}");
    assert_eq!(out.matches("\"type\":\"asked\"").count(), 2, "a call was announced:\n{out}");
    let (code, costs, _) = home.run(&["costs", "--by", "provider", "--json"]);
    assert_eq!(code, 0);
    let costs: Value = serde_json::from_str(&costs).unwrap();
    assert_eq!((&costs[0]["spentUsd"], &costs[0]["heldUsd"]), (&json!(0.3), &json!(0.0)));
    for bad in ["-1", "much", "NaN"] {
        let budget = format!("--budget={bad}");
        let (code, _, err) = home.run(&["debate", "--script", "script.json", &budget, "x"]);
        assert_eq!(code, 2);
        assert!(err.contains("budget") && err.contains(bad), "{err}");
    }
}

async fn the_day_s_budget_holds_across_debates(engine: Engine) {
    let (home, folder) = scripted(engine, 100_000).await;
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

async fn under_a_budget_an_unknown_price_is_refused_before_the_opening_unless_allowed(
    engine: Engine,
) {
    let (home, folder) = scripted(engine, 0).await;
    let config = |text: &str| {
        let config = folder.path().join("config/roundtable/config.toml");
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        std::fs::write(config, text).unwrap();
    };
    let start = |agents: &str, more: &[&str]| {
        let base = ["debate", "--agents", agents, "--rounds", "1", "In stages?"];
        let mut run = home.command(&[&base[..], more].concat());
        run.env("MISTRAL_API_KEY", "k").env("MISTRAL_BASE_URL", "http://127.0.0.1:9");
        let output = run.output().unwrap();
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (set, agents, more) in [
        ("", "custom/a,custom/b", &["--budget", "5"][..]),
        ("daily_budget = 5\n", "mistral/a,mistral/b", &[]),
    ] {
        config(set);
        let (code, err) = start(agents, more);
        assert_eq!(code, 2, "{set}{agents}: {err}");
        let name = agents.split(',').next().unwrap();
        for word in [name, "[prices.", "allow_unpriced"] {
            assert!(err.contains(word), "{word}: {err}");
        }
        assert!(home.is_untouched(), "a debate was opened");
    }
    // Under the usual budget of the day the user is told at least.
    config("");
    let (code, err) = start("mistral/a,mistral/b", &[]);
    assert!(code == 3 && err.contains("no budget counts it"), "{code}: {err}");
    // The provider is not there: with leave the call is made, and fails.
    config("allow_unpriced = true\n");
    let (code, err) = start("custom/a,custom/b", &["--budget", "5"]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("needs at least 2"), "{err}");
}

/// A price at which every request of [`dear`] costs 0.30 USD, and may cost more.
pub const PRICE: &str = "[prices.\"custom/m-70b\"]\ninput = 100\noutput = 1000\n\
                     [prices.\"custom/n-70b\"]\ninput = 100\noutput = 1000\n";
pub const REQUEST_USD: f64 = 0.3;

/// Two models that use tools, each request of the same cost.
pub async fn dear(calls: usize) -> FakeProvider {
    let check = |told: usize| json!({"claims": [format!("Tea came in part {told}")]});
    let options = FakeOptions {
        usage: FakeUsage::Sized(1_000, 200),
        calls: Arc::new(move |body: &Value, told| {
            let offered = body["tools"].to_string().contains("fact_check");
            (offered && told < calls).then(|| ("fact_check".to_owned(), check(told)))
        }),
        ..provider(20, 1)
    };
    FakeProvider::start(options).await.unwrap()
}

const DEAR: [&str; 12] = [
    "debate",
    "--clerk=none",
    "--rounds",
    "1",
    "--max-tokens",
    "256",
    "--search",
    "off",
    "--agents",
    "Ann=custom/m-70b,Bea=custom/n-70b",
    "-q",
    "In stages?",
];

async fn dear_home(engine: Engine, folder: &Path, url: &str, daily: f64) -> Home {
    let config = folder.join("config/roundtable/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(config, format!("daily_budget = {daily}\n{PRICE}")).unwrap();
    engine.home(folder, url).await
}

pub fn posts(provider: &FakeProvider) -> usize {
    provider.ledger().iter().filter(|entry| entry.method == "POST").count()
}

/// Many processes on one day's budget, each with conversations of several requests.
async fn many_processes_never_pass_the_day_s_budget_and_stop_nothing_that_fits(engine: Engine) {
    let alone = dear(2).await;
    let folder = tempfile::tempdir().unwrap();
    let home = dear_home(engine, folder.path(), &alone.base_url(), 0.0).await;
    let (code, _, err) = tokio::task::block_in_place(|| home.run(&DEAR));
    assert_eq!(code, 0, "{err}");
    let each = posts(&alone);
    assert!(each >= 6, "a conversation has several requests, not {each}");

    for (processes, share) in
        [(size(5, engine.either(20, 8)), 1.0), (size(6, engine.either(50, 12)), 0.5)]
    {
        let provider = dear(2).await;
        let folder = tempfile::tempdir().unwrap();
        let all = (processes * each) as f64 * REQUEST_USD;
        // Room for the worst that one process may still need when all others are done.
        let cap = all * share + 4.0;
        let home = dear_home(engine, folder.path(), &provider.base_url(), cap).await;
        let mut runs: Vec<_> = (0..processes).map(|_| home.start(&DEAR, &[])).collect();
        let ends: Vec<(i32, String)> = tokio::task::block_in_place(|| {
            runs.iter_mut().map(|run| (run.wait(), run.complained())).collect()
        });
        let spent = posts(&provider) as f64 * REQUEST_USD;
        let done = ends.iter().filter(|(code, _)| *code == 0).count();
        println!("{processes} processes: {done} done, ${spent:.2} of ${cap:.2} by the ledger");
        assert!(spent <= cap + 1e-6, "the provider counts ${spent:.2} of ${cap:.2}");
        if share >= 1.0 {
            assert_eq!(done, processes, "stopped although all fit: {ends:#?}");
        } else {
            let stopped = |(code, err): &&(i32, String)| {
                *code == 0 || (matches!(code, 2 | 3) && err.contains("day"))
            };
            assert!(ends.iter().all(|end| stopped(&end)), "{ends:#?}");
            assert!(done < processes && spent > cap - 4.0, "{done} done, ${spent:.2} of ${cap:.2}");
        }
        let store = home.store().await;
        assert_eq!(store.check().await, Ok(vec![]));
        store.close().await;
    }
}

async fn a_conversation_reserves_each_request_and_pauses_before_the_one_that_does_not_fit(
    engine: Engine,
) {
    let provider = dear(6).await;
    let folder = tempfile::tempdir().unwrap();
    let home = dear_home(engine, folder.path(), &provider.base_url(), 0.0).await;
    let start = [&DEAR[..DEAR.len() - 2], &["--budget", "4", "In stages?"]].concat();
    let (code, _, err) = tokio::task::block_in_place(|| home.run(&start));
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("this debate's budget") && err.contains("--budget"), "{err}");
    let spent = posts(&provider) as f64 * REQUEST_USD;
    assert!(spent <= 4.0 && spent > 1.0, "${spent:.2} of $4.00");
    // The remedy works: what was said goes on to the end, and no step is paid twice.
    let id = home.ids().remove(0);
    let resume = ["sessions", "resume", &id, "--budget", "20", "-q"];
    let (code, _, err) = tokio::task::block_in_place(|| home.run(&resume));
    assert_eq!(code, 0, "{err}");
    let asked: Vec<Value> = provider.ledger().iter().map(|entry| entry.body.clone()).collect();
    for (at, body) in asked.iter().enumerate() {
        assert!(!asked[..at].contains(body), "asked twice: {body:#}");
    }
    let (_, costs, _) =
        tokio::task::block_in_place(|| home.run(&["costs", "--by", "debate", "--json"]));
    let costs: Value = serde_json::from_str(&costs).unwrap();
    let counted = costs[0]["spentUsd"].as_f64().unwrap();
    assert!((counted - posts(&provider) as f64 * REQUEST_USD).abs() < 1e-3, "{costs:#}");
}

async fn the_pauses_of_a_provider_are_paid_from_the_budget_too(engine: Engine) {
    let options = FakeOptions { usage: FakeUsage::Sized(1_000, 200), ..provider(0, 0) };
    let provider = FakeProvider::start(options).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = dear_home(engine, folder.path(), "http://127.0.0.1:9", 0.0).await;
    let config = home.folder.join("config/roundtable/config.toml");
    let price = PRICE.replace("custom/m-70b", "anthropic/pauses:5");
    std::fs::write(config, price.replace("custom/n-70b", "anthropic/pauses:4")).unwrap();
    let start = [
        "debate",
        "--clerk=none",
        "--rounds",
        "2",
        "--max-tokens",
        "256",
        "--search",
        "off",
        "--agents",
        "Ann=anthropic/pauses:5,Bea=anthropic/pauses:4",
        "--budget",
        "4",
        "In stages?",
    ];
    let url = provider.origin();
    let variables = [("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_BASE_URL", url.as_str())];
    let mut run = home.start(&start, &variables);
    let code = tokio::task::block_in_place(|| run.wait());
    assert_eq!(code, 3, "{}", run.complained());
    let spent = posts(&provider) as f64 * REQUEST_USD;
    assert!(spent <= 4.0 && spent > 1.0, "${spent:.2} of $4.00");
}

async fn two_dollars_are_enough_for_three_large_models_and_three_rounds(engine: Engine) {
    let provider = FakeProvider::start(provider(0, 0)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let home = engine.home(folder.path(), "http://127.0.0.1:9").await;
    let model = "anthropic/claude-opus-5-5";
    let agents = format!("Ann={model},Bea={model},Cem={model}");
    let url = provider.origin();
    let variables = [("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_BASE_URL", url.as_str())];
    let start = |budget: &str| {
        let args = [
            "debate",
            "--agents",
            &agents,
            "--rounds",
            "3",
            "--budget",
            budget,
            "-q",
            "In stages?",
        ];
        let mut run = home.start(&args, &variables);
        (tokio::task::block_in_place(|| run.wait()), run.complained())
    };
    // What cannot fit is refused before it is opened, with what to set.
    let (code, err) = start("0.10");
    assert_eq!(code, 2, "{err}");
    for words in
        ["--budget: $0.10 is too little", "typically costs about $", "at most $", "Allow at least"]
    {
        assert!(err.contains(words), "{words}: {err}");
    }
    assert!(home.is_untouched() && posts(&provider) == 0);
    let (code, err) = start("2");
    assert_eq!(code, 0, "{err}");
    assert!(posts(&provider) >= 9);
}
