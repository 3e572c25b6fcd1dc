//! A conversation with tools that is killed goes on behind its last finished
//! step, whether or not the provider keeps answers: nothing that was answered is
//! asked for again. The provider's own ledger is the judge.
//!
//! The long form, 100 kills: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test durable steps::`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::harness::{Dice, Home, Running, provider, size};
use debate::model::*;
use fake_provider::{FakeOptions, FakeProvider, LedgerEntry};
use serde_json::{Value, json};
use store::Store;

/// How often each model calls a tool before it answers.
const CALLS: usize = 3;

/// Models, variables of key and address, and what keeps their answers.
struct Wire {
    models: [&'static str; 2],
    variables: [&'static str; 2],
    versioned: bool,
    config: &'static str,
}

const KEEPER: Wire = Wire {
    models: ["openai/gpt-6.1-sol", "openai/gpt-6-luna"],
    variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL"],
    versioned: true,
    config: "daily_budget = 0\n[providers.openai]\nretrievable = true\n",
};

const FORGETFUL: Wire = Wire {
    models: ["anthropic/claude-opus-5-5", "anthropic/claude-haiku-5-5"],
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
    versioned: false,
    // What may have been billed adds up over many kills.
    config: "daily_budget = 0\n",
};

struct Scene {
    home: Home,
    provider: FakeProvider,
    wire: &'static Wire,
    agents: String,
    _folder: tempfile::TempDir,
}

/// How many results of tools a request carries.
fn told(entry: &LedgerEntry) -> usize {
    let body = entry.body.to_string();
    body.matches("\"function_call_output\"").count() + body.matches("\"tool_result\"").count()
}

impl Scene {
    async fn new(wire: &'static Wire, latency_ms: u64) -> Scene {
        let check = |told: usize| json!({"claims": [format!("Tea came in part {told}")]});
        let options = FakeOptions {
            calls: Arc::new(move |_: &Value, told| {
                (told < CALLS).then(|| ("fact_check".to_owned(), check(told)))
            }),
            ..provider(latency_ms, 2)
        };
        let provider = FakeProvider::start(options).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config/roundtable/config.toml");
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        std::fs::write(config, wire.config).unwrap();
        let home = Home::new(folder.path(), "http://127.0.0.1:9");
        let agents = format!("Ann={},Bea={}", wire.models[0], wire.models[1]);
        Scene { home, provider, wire, agents, _folder: folder }
    }

    fn start(&self, id: Option<&str>, point: Option<&str>) -> Running {
        let begin = vec![
            "debate",
            "--clerk=none",
            "--rounds",
            "1",
            "--json",
            "--search",
            "off",
            "--agents",
            &self.agents,
            "In stages?",
        ];
        let args = id.map_or(begin, |id| vec!["sessions", "resume", id, "--json"]);
        let url =
            if self.wire.versioned { self.provider.base_url() } else { self.provider.origin() };
        let mut variables = vec![(self.wire.variables[0], "k"), (self.wire.variables[1], &*url)];
        variables.extend(point.map(|point| ("ROUNDTABLE_FAILPOINT", point)));
        self.home.start(&args, &variables)
    }

    fn wait(run: &mut Running) -> i32 {
        tokio::task::block_in_place(|| run.wait())
    }

    async fn log(&self, id: &str) -> Vec<Event> {
        let store = Store::open(&self.home.database()).await.unwrap();
        let log = store.log(id).await.unwrap();
        store.close().await;
        log.into_iter().map(|entry| entry.event).collect()
    }

    /// What is on the disk of each seat's conversation: turns of its model's
    /// that are finished, the answer included.
    async fn finished(&self, id: &str) -> BTreeMap<String, usize> {
        let mut finished = BTreeMap::new();
        for event in self.log(id).await {
            let ask = match &event {
                Event::Stepped { ask, step } if step.state.get("called").is_some() => ask,
                Event::Answered { ask, .. } => ask,
                _ => continue,
            };
            let seat = ask.party.seat().unwrap().index();
            let model = self.wire.models[seat].split_once('/').unwrap().1;
            *finished.entry(model.to_owned()).or_default() += 1;
        }
        finished
    }

    /// Goes on to the end. Nothing that was finished may be asked again.
    async fn end(&self, id: &str) -> Vec<Event> {
        let finished = self.finished(id).await;
        let before = self.provider.ledger().len();
        let mut run = self.start(Some(id), None);
        assert_eq!(Self::wait(&mut run), 0, "{}", run.complained());
        self.judge(before, &finished);
        self.log(id).await
    }

    fn judge(&self, before: usize, finished: &BTreeMap<String, usize>) {
        let ledger = self.provider.ledger();
        for entry in ledger[before..].iter().filter(|entry| entry.method == "POST") {
            let done = finished.get(&entry.model).copied().unwrap_or(0);
            let step = told(entry);
            assert!(step >= done, "{}: step {step} was paid again, {done} were done", entry.model);
        }
    }

    fn posts(&self) -> usize {
        self.provider.ledger().iter().filter(|entry| entry.method == "POST").count()
    }
}

fn turns(log: &[Event]) -> Vec<&Turn> {
    log.iter()
        .filter_map(|event| match event {
            Event::Answered { turn, .. } => Some(turn.as_ref()),
            _ => None,
        })
        .collect()
}

/// What two debates must have in common, however often they were killed.
fn gist(log: &[Event]) -> Vec<(String, Vec<String>, Option<u64>, String)> {
    let of = |turn: &&Turn| {
        let tools = turn.tool_calls.iter().map(|call| call.arguments.to_string()).collect();
        (turn.agent.clone(), tools, turn.bill.usage.total(), turn.answer.position.clone())
    };
    let mut gist: Vec<_> = turns(log).iter().map(of).collect();
    gist.sort();
    gist
}

fn possibly_billed(log: &[Event]) -> usize {
    let lost = log.iter().map(|event| match event {
        Event::Ambiguous { intents } => intents.len(),
        _ => 0,
    });
    lost.sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_behind_any_step_it_goes_on_there() {
    for wire in [&KEEPER, &FORGETFUL] {
        let scene = Scene::new(wire, 20).await;
        let mut whole = scene.start(None, None);
        assert_eq!(Scene::wait(&mut whole), 0, "{}", whole.complained());
        let usual = scene.posts();
        assert_eq!(usual, 2 * (CALLS + 1), "{}", wire.models[0]);
        let undisturbed = gist(&scene.log(&scene.home.ids().remove(0)).await);
        assert!(undisturbed.iter().all(|(_, tools, ..)| tools.len() == CALLS), "{undisturbed:?}");
        for step in [1, 4, 8] {
            let before = scene.posts();
            let mut run = scene.start(None, Some(&format!("after_step:{step}")));
            assert_eq!(Scene::wait(&mut run), -1, "{}", run.complained());
            let id = scene.home.ids().remove(0);
            let log = scene.end(&id).await;
            assert_eq!(gist(&log), undisturbed, "killed behind step {step}");
            let extra = scene.posts() - before - usual;
            let lost = possibly_billed(&log);
            assert!(extra <= lost, "{extra} requests too many, {lost} said to be possibly billed");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_ends_a_conversation_behind_its_step_and_loses_none() {
    let scene = Scene::new(&FORGETFUL, 150).await;
    let mut run = scene.start(None, None);
    run.wait_for(&run.stdout, "\"stepped\"");
    run.signal("INT");
    assert_eq!(Scene::wait(&mut run), 130, "{}", run.complained());
    let id = scene.home.ids().remove(0);
    let log = scene.log(&id).await;
    let paused = log.iter().position(|event| matches!(event, Event::Paused { .. })).unwrap();
    // Each seat has at most its answer on the way; that is kept, and no more is asked.
    let after = log[paused..].iter().filter(|event| matches!(event, Event::Stepped { .. })).count();
    assert!(after <= 2, "{after} steps behind the pause");
    assert!(turns(&log).is_empty(), "it went on to the end");
    let posts = scene.posts();
    let log = scene.end(&id).await;
    assert_eq!(possibly_billed(&log), 0);
    assert_eq!(turns(&log).len(), 2);
    assert_eq!(scene.posts(), 2 * (CALLS + 1), "{posts} before the pause");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_a_conversation_for_good() {
    let scene = Scene::new(&FORGETFUL, 150).await;
    let mut run = scene.start(None, None);
    run.wait_for(&run.stdout, "\"stepped\"");
    let id = scene.home.ids().remove(0);
    let (code, _, err) = tokio::task::block_in_place(|| scene.home.run(&["sessions", "stop", &id]));
    assert_eq!(code, 0, "{err}");
    Scene::wait(&mut run);
    assert!(scene.posts() < 2 * (CALLS + 1), "it went on");
    let costs = ["costs", "--by", "debate", "--json"];
    let (_, costs, _) = tokio::task::block_in_place(|| scene.home.run(&costs));
    let costs: Value = serde_json::from_str(&costs).unwrap();
    assert_eq!(costs[0]["heldUsd"], 0.0, "{costs:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_random_no_finished_step_is_paid_for_twice() {
    let mut dice = Dice(11);
    for (wire, seed) in [(&KEEPER, 3), (&FORGETFUL, 4)] {
        let scene = Scene::new(wire, 120).await;
        dice.0 += seed;
        let (mut kills, mut extra, mut lost) = (0, 0, 0);
        for debate in 1..=size(2, 25) {
            let before = scene.posts();
            let mut id: Option<String> = None;
            for _ in 0..2 {
                let finished = match &id {
                    Some(id) => scene.finished(id).await,
                    None => BTreeMap::new(),
                };
                let seen = scene.provider.ledger().len();
                let mut run = scene.start(id.as_deref(), None);
                run.wait_for(&run.stdout, "\"type\":");
                tokio::time::sleep(Duration::from_millis(dice.below(500))).await;
                run.child.kill().unwrap();
                kills += usize::from(Scene::wait(&mut run) == -1);
                scene.judge(seen, &finished);
                let ids = tokio::task::block_in_place(|| scene.home.ids());
                id = ids.first().filter(|_| ids.len() >= debate).cloned();
            }
            let id = id.unwrap();
            let log = if scene.home.verdict(&id).is_null() {
                scene.end(&id).await
            } else {
                scene.log(&id).await
            };
            assert_eq!(turns(&log).len(), 2);
            extra += scene.posts() - before - 2 * (CALLS + 1);
            lost += possibly_billed(&log);
        }
        println!(
            "{}: {kills} kills, {extra} requests made again, {lost} possibly billed",
            wire.models[0]
        );
        assert!(extra <= lost, "{extra} requests too many, {lost} said to be possibly billed");
    }
}
