//! A provider that keeps its answers: a process that is killed while one is on
//! its way costs no second call. The provider's own ledger is the judge.
//!
//! The long form, 50 debates and 10 on a server, each killed twice: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable kept::`.

use std::time::Duration;

use crate::harness::{Dice, Engine, Home, on_both_engines, provider, size};
use fake_provider::{FakeProvider, LedgerEntry};

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

/// How long a call takes, still a short one in the long form. What must happen
/// before a kill costs nothing (the provider's first word, and writing it down)
/// takes a few milliseconds, and many where others want the processor.
fn call_ms() -> u64 {
    size(900, 2500) as u64
}

/// A call that the provider had had for this long is never made again.
const SURELY_KEPT_MS: u128 = 400;

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

/// Of calls that were made again, how many milliseconds before the kill the
/// provider had them first.
fn ages(before: &[LedgerEntry], killed: Duration, after: &[LedgerEntry]) -> Vec<u128> {
    let again = |entry: &&LedgerEntry| after.iter().any(|later| later.body == entry.body);
    let posts = before.iter().filter(|entry| entry.method == "POST").filter(again);
    posts.map(|entry| killed.saturating_sub(entry.at).as_millis()).collect()
}

async fn killed_at_random_it_asks_next_to_nothing_twice(engine: Engine) {
    let scene = Scene::new(engine, call_ms()).await;
    let mut dice = Dice(5);
    let usual = scene.undisturbed();
    let (mut kills, mut extra, mut young) = (0, 0, Vec::new());
    // The bar is for a hundred kills, so that many there must be; a debate that was cut off once is
    // often over before it is cut off again.
    let wanted = size(engine.either(2, 1), engine.either(100, 20));
    let mut debate = 1;
    while kills < wanted {
        debate += 1;
        let before = scene.calls("POST");
        let mut id: Option<String> = None;
        let mut cut: Vec<(usize, usize, Duration)> = Vec::new();
        for attempt in 0..20 {
            let args: Vec<&str> = match &id {
                Some(id) => vec!["sessions", "resume", id, "--json"],
                None => START.to_vec(),
            };
            let seen = scene.provider.ledger().len();
            let mut run = scene.start(&args, &[]);
            if attempt < 2 {
                run.wait_for(&run.stdout, "\"type\":");
                tokio::time::sleep(Duration::from_millis(dice.below(call_ms()))).await;
                run.child.kill().unwrap();
                cut.push((seen, scene.provider.ledger().len(), scene.provider.age()));
            }
            let code = tokio::task::block_in_place(|| run.wait());
            let ids = tokio::task::block_in_place(|| scene.home.ids());
            id = ids.first().filter(|_| ids.len() >= debate).cloned();
            match code {
                0 => break,
                -1 => kills += 1,
                2 if run.complained().contains("is over") => break,
                other => panic!("exit {other}: {}", run.complained()),
            }
        }
        extra += scene.calls("POST") - before - usual;
        let ledger = scene.provider.ledger();
        for (from, to, killed) in cut {
            young.extend(ages(&ledger[from..to], killed, &ledger[to..]));
        }
    }
    println!("{kills} kills, {extra} calls made again; the provider had had them for {young:?} ms");
    assert!(young.iter().all(|age| *age < SURELY_KEPT_MS), "{young:?} ms");
    // A few can fall where they like.
    assert!(extra * 100 <= kills.max(size(300, 100)), "{extra} made again in {kills} kills");
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
