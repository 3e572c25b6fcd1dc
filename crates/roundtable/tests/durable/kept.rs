//! A provider that keeps its answers: a process that is killed while one is on
//! its way costs no second call. The provider's own ledger is the judge.
//!
//! The long form, 100 kills with each engine:
//! `ROUNDTABLE_LONG=1 cargo test --workspace --test durable -- kept::`.

use std::time::Duration;

use crate::harness::{Dice, Engine, Home, on_both_engines, provider, size};
use fake_provider::FakeProvider;

const START: [&str; 8] = [
    "debate",
    "--clerk=none",
    "--rounds",
    "1",
    "--json",
    "--agents",
    "Ann=openai/m0,Bea=openai/m1,Cem=openai/m2",
    "In stages?",
];

/// How long a call takes here.
const CALL_MS: u64 = 2000;
/// A kill can cost a call only while it is young: until the provider has given its answer a name
/// and that name is written down. That takes a few milliseconds, and many where others want the
/// processor.
const YOUNG_MS: u64 = 400;
/// How long the answers take that providers keep: these models think first.
const USUAL_ANSWER_MS: f64 = 20_000.0;

on_both_engines! {
    #[test]
    fn a_killed_process_fetches_what_it_asked_for;
    #[test]
    fn what_the_provider_has_lost_is_asked_again_and_said_to_be_possibly_billed;
    #[test]
    fn a_debate_that_is_stopped_fetches_nothing_and_keeps_nothing_set_aside;
    #[test]
    fn killed_at_random_it_asks_next_to_nothing_twice;
}

struct Scene {
    home: Home,
    provider: FakeProvider,
    _folder: tempfile::TempDir,
}

impl Scene {
    async fn new(engine: Engine, latency_ms: u64) -> Scene {
        let provider = FakeProvider::start(provider(latency_ms, 8)).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config/roundtable/config.toml");
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        let price = |name: &str| format!("[prices.\"openai/{name}\"]\ninput = 1\noutput = 1\n");
        let prices: String = ["m0", "m1", "m2"].map(price).concat();
        let keeps = "[providers.openai]\nretrievable = true\n";
        std::fs::write(config, format!("{keeps}{prices}")).unwrap();
        let home = engine.home(folder.path(), "http://127.0.0.1:9").await;
        Scene { home, provider, _folder: folder }
    }

    fn start(&self, args: &[&str], more: &[(&str, &str)]) -> crate::harness::Running {
        let url = self.provider.base_url();
        let mut variables = vec![("OPENAI_BASE_URL", url.as_str()), ("OPENAI_API_KEY", "k")];
        variables.extend(more);
        self.home.start(args, &variables)
    }

    fn calls(&self, method: &str) -> usize {
        self.provider.ledger().iter().filter(|entry| entry.method == method).count()
    }

    /// How many calls a debate takes that nobody disturbs.
    fn undisturbed(&self) -> usize {
        let before = self.calls("POST");
        let mut run = self.start(&START, &[]);
        assert_eq!(tokio::task::block_in_place(|| run.wait()), 0, "{}", run.complained());
        self.calls("POST") - before
    }

    /// Begins a debate and kills it when the first id is on the disk.
    fn killed(&self) -> String {
        let mut run = self.start(&START, &[("ROUNDTABLE_FAILPOINT", "after_id")]);
        assert_eq!(tokio::task::block_in_place(|| run.wait()), -1, "{}", run.complained());
        self.home.ids().remove(0)
    }

    /// Goes on with it to the end; returns how many calls may have been billed
    /// for nothing.
    fn resumed(&self, id: &str) -> usize {
        let mut run = self.start(&["sessions", "resume", id, "--json"], &[]);
        assert_eq!(tokio::task::block_in_place(|| run.wait()), 0, "{}", run.complained());
        let spent = self.home.verdict(id)["metadata"]["spent"].take();
        usize::try_from(spent["ambiguousCalls"].as_u64().unwrap_or(0)).unwrap()
    }
}

async fn a_killed_process_fetches_what_it_asked_for(engine: Engine) {
    let scene = Scene::new(engine, 250).await;
    let usual = scene.undisturbed();
    let id = scene.killed();
    let ambiguous = scene.resumed(&id);
    // At least one of the three had its id on the disk; it is fetched.
    assert!(scene.calls("GET") >= 1, "nothing was fetched");
    assert!(ambiguous <= 2, "{ambiguous} calls were made again");
    // Some of them were announced and waited for the first to be answered.
    assert!(scene.calls("POST") <= 2 * usual + ambiguous);
}

async fn what_the_provider_has_lost_is_asked_again_and_said_to_be_possibly_billed(engine: Engine) {
    let scene = Scene::new(engine, 250).await;
    let usual = scene.undisturbed();
    let id = scene.killed();
    scene.provider.forget();
    assert_eq!(scene.resumed(&id), 3);
    assert!((2 * usual + 1..=2 * usual + 3).contains(&scene.calls("POST")));
    // Every page tells the same number of calls.
    let run = |args: &[&str]| tokio::task::block_in_place(|| scene.home.run(args)).1;
    let costs: serde_json::Value =
        serde_json::from_str(&run(&["costs", "--by", "debate", "--json"])).unwrap();
    let line = costs.as_array().unwrap().iter().find(|line| line["key"] == *id).unwrap();
    let spent = &scene.home.verdict(&id)["metadata"]["spent"];
    assert_eq!(
        (&line["calls"], &line["ambiguousCalls"]),
        (&spent["calls"], &spent["ambiguousCalls"])
    );
    assert!(run(&["sessions", "show", &id]).contains("may have been billed"));
}

async fn a_debate_that_is_stopped_fetches_nothing_and_keeps_nothing_set_aside(engine: Engine) {
    let scene = Scene::new(engine, 250).await;
    let id = scene.killed();
    let (code, _, err) = tokio::task::block_in_place(|| scene.home.run(&["sessions", "stop", &id]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(scene.calls("GET"), 0);
    let (_, costs, _) =
        tokio::task::block_in_place(|| scene.home.run(&["costs", "--by", "debate", "--json"]));
    let costs: serde_json::Value = serde_json::from_str(&costs).unwrap();
    assert_eq!(costs[0]["heldUsd"], 0.0, "{costs:#}");
}

/// Runs a command and kills it `age` milliseconds after the provider has heard of it by this
/// method. Returns false if it had ended before.
async fn cut_off(scene: &Scene, args: &[&str], method: &str, age: u64) -> bool {
    let before = scene.calls(method);
    let mut run = scene.start(args, &[]);
    while scene.calls(method) == before {
        assert!(run.child.try_wait().unwrap().is_none(), "{}", run.complained());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::sleep(Duration::from_millis(age)).await;
    run.child.kill().unwrap();
    tokio::task::block_in_place(|| run.wait()) == -1
}

/// Kills a debate when its first calls are so many milliseconds old, and once more while it
/// fetches their answers. Returns how many kills hit it and how many calls it made again.
async fn made_again(scene: &Scene, usual: usize, age: u64, again: Option<u64>) -> [usize; 2] {
    let before = scene.calls("POST");
    let mut kills = 0;
    if cut_off(scene, &START, "POST", age).await {
        kills += 1;
        let id = tokio::task::block_in_place(|| scene.home.ids()).remove(0);
        let resume = ["sessions", "resume", &id, "--json"];
        let goes_on = match again {
            Some(age) => cut_off(scene, &resume, "GET", age).await,
            None => true,
        };
        if goes_on {
            kills += usize::from(again.is_some());
            scene.resumed(&id);
        }
    }
    [kills, scene.calls("POST") - before - usual]
}

/// Most kills hit a call that is old enough, and almost all that could be learnt lies in the first
/// moments of a call. So half of the kills fall there, and count for as much as they would
/// among kills at any time of an answer of usual length.
async fn killed_at_random_it_asks_next_to_nothing_twice(engine: Engine) {
    let scene = Scene::new(engine, CALL_MS).await;
    let mut dice = Dice(5);
    let usual = scene.undisturbed();
    let debates = size(2, 50);
    let (mut young, mut old) = ([0, 0], [0, 0]);
    let add = |sum: [usize; 2], more: [usize; 2]| [sum[0] + more[0], sum[1] + more[1]];
    for debate in 0..debates {
        young = add(young, made_again(&scene, usual, dice.below(YOUNG_MS), None).await);
        if debate % 2 == 1 {
            let age = YOUNG_MS + dice.below(CALL_MS / 2 - YOUNG_MS);
            let again = Some(dice.below(CALL_MS / 4));
            old = add(old, made_again(&scene, usual, age, again).await);
        }
    }
    let ([young_kills, young], [old_kills, old]) = (young, old);
    let share = f64::from(YOUNG_MS as u32) / USUAL_ANSWER_MS;
    let per_hundred = 100.0 * share * young as f64 / young_kills as f64;
    println!(
        "{young_kills} kills within {YOUNG_MS} ms: {young} calls made again; {old_kills} later: \
         {old}; {per_hundred:.2} in 100 kills of answers that take {USUAL_ANSWER_MS} ms"
    );
    assert_eq!(young_kills, debates, "a debate was over within {YOUNG_MS} ms");
    assert!(old_kills > 0, "no debate was cut off later");
    assert_eq!(old, 0, "calls whose answers were surely kept were made again");
    assert!(young <= young_kills * usual, "a call was made a third time");
    if debates >= 50 {
        assert!(per_hundred <= 1.0, "{per_hundred} made again in 100 kills");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_keeps_nothing_is_not_asked_to() {
    let scene = Scene::new(Engine::File, 0).await;
    let config = scene.home.folder.join("config/roundtable/config.toml");
    std::fs::write(config, "[providers.groq]\nretrievable = true\n").unwrap();
    let (code, _, err) = scene.home.run(&["debate", "--agents", "groq/a,groq/b", "x"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("providers.groq.retrievable") && err.contains("openai"), "{err}");
}
