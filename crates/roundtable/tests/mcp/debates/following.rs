//! A mechanical follower of `next`: it makes the call that a result names and nothing
//! else. Whatever becomes of a debate, it comes to its end or to a person in a few calls,
//! and never twice to the same call with the same result.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use fake_provider::FakeOptions;
use fake_provider::shapes::FakeUsage;
use serde_json::{Value, json};

use crate::table::{Gate, Table, short_with};
use crate::wire::{Client, Era};

/// The calls a follower may need.
const MOST_CALLS: usize = 8;

/// A follower that is told that a person must act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Tells its user, and is done.
    TellsThePerson,
    /// Makes the next call all the same.
    Obeys,
}

/// Where a debate was followed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum FollowedTo {
    End,
    Person,
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % sides
    }

    fn manner(&mut self) -> Manner {
        if self.roll(2) == 0 { Manner::TellsThePerson } else { Manner::Obeys }
    }

    fn era(&mut self) -> Era {
        if self.roll(2) == 0 { Era::Legacy } else { Era::Modern }
    }
}

/// Follows a debate from its first call on.
fn follow(client: &mut Client, tool: &str, arguments: Value, manner: Manner) -> FollowedTo {
    let (mut tool, mut arguments) = (tool.to_owned(), arguments);
    let mut seen = HashSet::new();
    for _ in 0..MOST_CALLS {
        let result = client.result(&tool, arguments.clone());
        let call = format!("{tool} {arguments}");
        assert!(seen.insert(format!("{call} {result}")), "twice the same: {call}: {result:#}");
        let status = result["status"].as_str().unwrap();
        if ["completed", "error"].contains(&status) {
            read_on(client, &result);
            return FollowedTo::End;
        }
        if let Some(what) = result["needsPerson"].as_str() {
            assert!(what.len() > 20, "{result:#}");
            if manner == Manner::TellsThePerson {
                return FollowedTo::Person;
            }
        }
        let next = &result["next"][0];
        assert!(next["tool"].is_string(), "nothing comes next: {result:#}");
        tool = next["tool"].as_str().unwrap().to_owned();
        arguments = next["arguments"].clone();
    }
    panic!("{MOST_CALLS} calls did not end it; the last would be {tool} {arguments}");
}

/// What is named after the end reads something, and leads nowhere else.
fn read_on(client: &mut Client, result: &Value) {
    for next in result["next"].as_array().unwrap() {
        let read = client.result(next["tool"].as_str().unwrap(), next["arguments"].clone());
        assert!(read.get("next").is_none(), "{read:#}");
    }
}

/// A start that is like no other.
fn topic(number: usize, more: Value) -> Value {
    let mut args = short_with(more);
    args["topic"] = format!("Is it so, number {number}?").into();
    args
}

fn ended(all: &[FollowedTo], which: FollowedTo) -> usize {
    all.iter().filter(|one| **one == which).count()
}

/// Covers: 13.1-next
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn short_and_long_debates_are_followed_to_their_end() {
    let table = Table::new().await;
    let mut dice = Dice(1);
    let mut client = table.client(dice.era());
    for number in 0..90 {
        let rounds = if number % 3 == 0 { 3 + dice.roll(4) } else { 1 + dice.roll(2) };
        let wait = [0, 0, 1, 45][dice.roll(4) as usize];
        let objects = dice.roll(2) == 0;
        let more = json!({ "rounds": rounds, "waitSeconds": wait,
            "flags": [format!("groupthinkDetection.enabled={objects}")] });
        let manner = dice.manner();
        let to = follow(&mut client, "start_roundtable", topic(number, more), manner);
        assert_eq!(to, FollowedTo::End);
    }
}

/// Covers: 13.1-next
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn debates_whose_providers_fail_are_followed_to_their_end_or_to_a_person() {
    let table = Table::new().await;
    let mut dice = Dice(2);
    let mut client = table.client(dice.era());
    let mut ends = Vec::new();
    let faults = ["bad_key", "no_credit", "no_model", "forbidden", "bad_request"];
    for number in 0..50 {
        let fault = faults[dice.roll(5) as usize];
        let failing = format!("mistral/fault:{fault}");
        let (ann, bea) = ("Ann=ollama/fake-large", "Bea=ollama/fake-small");
        let agents = match dice.roll(3) {
            // Nobody answers, or one alone, or two of three.
            0 => vec![format!("Cid={failing}"), format!("Dot={failing}")],
            1 => vec![ann.into(), format!("Cid={failing}")],
            _ => vec![ann.into(), bea.into(), format!("Cid={failing}")],
        };
        let more = json!({ "agents": agents, "rounds": 1 + dice.roll(2) });
        let manner = dice.manner();
        ends.push(follow(&mut client, "start_roundtable", topic(number, more), manner));
    }
    assert!(ended(&ends, FollowedTo::Person) > 5, "{ends:?}");
    assert!(ended(&ends, FollowedTo::End) > 5, "{ends:?}");
}

/// Every request costs 0.30 USD and may cost about 0.80.
const DEAR: &str = "[prices.\"mistral/fake-large\"]\ninput = 100\noutput = 1000\n";

/// Covers: 13.1-next
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn debates_that_pause_for_money_are_followed_to_their_end_or_to_a_person() {
    for (seed, ceiling) in [(3, ""), (4, "budget = 3.0\n")] {
        let options = FakeOptions { usage: FakeUsage::Sized(1_000, 200), ..FakeOptions::default() };
        let table = Table::with(options).await;
        table.home.file("config/roundtable/config.toml", &format!("{ceiling}{DEAR}"));
        let mut dice = Dice(seed);
        let mut client = table.client(dice.era());
        let mut ends = Vec::new();
        for number in 0..12 {
            let agents = json!(["Ann=mistral/fake-large", "Bea=mistral/fake-large"]);
            let more = json!({ "agents": agents, "rounds": 5 + dice.roll(3),
                "budgetUsd": 2 + dice.roll(2), "maxOutputTokens": 256 });
            let manner = dice.manner();
            ends.push(follow(&mut client, "start_roundtable", topic(number, more), manner));
        }
        assert!(ended(&ends, FollowedTo::Person) > 1, "{ends:?}");
        assert!(ended(&ends, FollowedTo::End) > 1, "{ends:?}");
        // A price that is not known is a person's matter from the first call on.
        let agents = json!(["Ann=mistral/fake-unheard-of", "Bea=ollama/fake-large"]);
        let said = client
            .refused("start_roundtable", topic(99, json!({ "agents": agents, "budgetUsd": 1 })));
        assert!(said.contains("allow_unpriced"), "{said}");
    }
}

/// Covers: 13.1-next
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn debates_that_need_context_are_followed_to_their_end() {
    let asked: Mutex<HashSet<String>> = Mutex::default();
    // Each agent of some models asks once in each debate, with the answer still to come.
    let calls = move |body: &Value, results: usize| {
        let text = body.to_string();
        let number = text.split("number ").nth(1)?.split('?').next()?.to_owned();
        let model = body["model"].as_str()?.to_owned();
        let curious = model.starts_with("mistral") && results == 0;
        (curious && asked.lock().unwrap().insert(format!("{model} {number}"))).then(|| {
            let wanted = json!({ "question": format!("How many people use it, for {model}?"),
                "why": "It decides the size.", "priority": "required" });
            ("request_context".to_owned(), wanted)
        })
    };
    let options = FakeOptions { calls: Arc::new(calls), ..FakeOptions::default() };
    let table = Table::with(options).await;
    let mut dice = Dice(5);
    let mut client = table.client(dice.era());
    for number in 0..20 {
        let bea = ["Bea=ollama/fake-small", "Bea=mistral/mistral-medium-latest"];
        let agents = json!(["Ann=mistral/mistral-large-latest", bea[dice.roll(2) as usize]]);
        let more = json!({ "agents": agents, "rounds": 1 + dice.roll(2) });
        let manner = dice.manner();
        let to = follow(&mut client, "start_roundtable", topic(number, more), manner);
        assert_eq!(to, FollowedTo::End);
    }
}

/// Covers: 13.1-next
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn debates_that_are_stopped_or_paused_are_followed_to_their_end() {
    // Models that take their time: a debate that is over cannot be stopped.
    let latency = std::time::Duration::from_millis(50);
    let table = Table::with(FakeOptions { latency, ..FakeOptions::default() }).await;
    let mut dice = Dice(6);
    let mut client = table.client(dice.era());
    for number in 0..24 {
        let begun = topic(number, json!({ "rounds": 12, "waitSeconds": 0 }));
        let begun = client.result("start_roundtable", begun);
        let action = ["stop", "pause"][dice.roll(2) as usize];
        let steer = json!({ "sessionId": begun["sessionId"], "action": action });
        let to = follow(&mut client, "control_session", steer, dice.manner());
        assert_eq!(to, FollowedTo::End);
    }
}

/// Covers: 13.1-next
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn debates_whose_process_was_killed_are_followed_to_their_end() {
    let mut dice = Dice(7);
    for _ in 0..6 {
        let gate = Gate::default();
        let table = Table::gated(&gate).await;
        let mut client = table.client(dice.era());
        let begun = client.result("start_roundtable", short_with(json!({ "waitSeconds": 0 })));
        client.kill();
        gate.open();
        let mut client = table.client(dice.era());
        let look = json!({ "sessionId": begun["sessionId"] });
        let to = follow(&mut client, "get_consensus", look, dice.manner());
        assert_eq!(to, FollowedTo::End);
    }
}
