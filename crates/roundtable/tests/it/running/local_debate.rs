//! A real debate with the model in the process, through the binary: small, and
//! marked as such. It judges nothing the model says; it holds the program to
//! answering in the schema, once for every seat, with shared prompts read once.
//! Runs where `ROUNDTABLE_LOCAL_WEIGHTS` names the weights; `./check` sees to it.

use crate::support::{Did, Home, events};
use serde_json::Value;

const TOPIC: &str = "Should a team of five split its shop into microservices?";
const SEATS: usize = 3;
const ROUNDS: usize = 2;
/// Tried in this order.
const SEEDS: [&str; 4] = ["1", "2", "3", "4"];

/// Covers: 10-local
#[test]
fn three_seats_of_the_small_model_debate_for_two_rounds() {
    let Some(weights) = proof::weights() else { return };
    let model = format!("local/{weights}");
    let agents = ["Ada", "Brook", "Chen"].map(|name| format!("{name}={model}")).join(",");
    let started = std::time::Instant::now();
    let did = SEEDS.iter().find_map(|seed| whole(&agents, seed));
    let did = did.expect("with one of the seeds the model keeps within its limit");
    assert!(did.stderr.contains("not for deciding anything"), "{}", did.stderr);
    assert!(did.stderr.contains("All seats are the same model"), "{}", did.stderr);

    let events = events(&did);
    let answered: Vec<&Value> = events.iter().filter(|event| event["type"] == "answered").collect();
    assert_eq!(answered.len(), SEATS * ROUNDS, "every seat answered in every round");
    let sum = |field: &str| -> u64 {
        let usage = |event: &&Value| find(event, "usage").map(|usage| usage[field].clone());
        answered.iter().filter_map(|event| usage(event)?.as_u64()).sum()
    };
    let opened = find(&events[0], "words").unwrap();
    assert!(opened["turn.md"].is_string(), "the layers come in their compact form");
    let first = find(answered[0], "usage").unwrap()["input"].as_u64().unwrap();
    assert!(first < 600, "a first prompt is short: {first}");
    let (prompt, remembered, written) = (sum("input"), sum("cached"), sum("output"));
    assert!(remembered > 300, "the common beginning of the prompts is read once: {remembered}");
    let whole = answered.iter().filter(|event| find(event, "unstructured").is_none_or(is_false));
    assert_eq!(whole.count(), SEATS * ROUNDS, "every answer fits the schema");
    println!(
        "{SEATS} seats, {ROUNDS} rounds in {:.0} s: {prompt} prompt tokens, {remembered} of them \
         remembered, {written} written",
        started.elapsed().as_secs_f64()
    );
}

/// A debate in which nobody was cut off. So small a model may ramble on until it
/// is; that leaves a gap, as it must, and nothing else may go wrong.
fn whole(agents: &str, seed: &str) -> Option<Did> {
    let home = Home::new();
    let rounds = ROUNDS.to_string();
    let args = ["debate", "--clerk=none", "--json", "--agents", agents, "--rounds", &rounds];
    // A busy machine may take its time.
    let patience = ["--timeout", "900", "--seed", seed];
    let flags = ["--flag", "groupthinkDetection.enabled=false", TOPIC];
    let did = home.run(&[&args[..], &patience, &flags].concat());
    let gaps = events(&did).iter().filter(|event| event["type"] == "missed").count();
    if gaps > 0 {
        assert!(did.stdout.contains("was not complete"), "{did:#?}");
        println!("seed {seed}: {gaps} answers were cut off");
        return None;
    }
    assert_eq!(did.code, 0, "{did:#?}");
    Some(did)
}

fn is_false(value: &Value) -> bool {
    value == &Value::Bool(false)
}

/// The first field of this name, however deep.
fn find<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Object(fields) => {
            fields.get(name).or_else(|| fields.values().find_map(|value| find(value, name)))
        }
        Value::Array(items) => items.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}
