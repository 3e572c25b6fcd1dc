//! Measuring through the binary: scenarios, comparisons, recordings, question
//! sets, the simulator and the engine's figures, in their small forms. What is
//! simulated is the same to the last digit every time.

use std::sync::Arc;

use crate::support::{Did, Home, events};
use fake_provider::{FakeOptions, FakeProvider};
use serde_json::{Value, json};

const KEY: &str = "sk-canary-1234567890abcdef";

fn json_of(did: &Did) -> Value {
    serde_json::from_str(&did.stdout).unwrap_or_else(|error| panic!("{error}: {did:#?}"))
}

fn ran(home: &Home, args: &[&str]) -> Value {
    let did = home.run(args);
    assert_eq!(did.code, 0, "{args:?}: {did:#?}");
    json_of(&did)
}

/// Figures of a run by scenario.
fn figure(run: &Value, scenario: &str, name: &str) -> f64 {
    let summaries = run["summaries"].as_array().unwrap();
    let summary = summaries.iter().find(|one| one["scenario"] == scenario).unwrap();
    let figures = summary["figures"].as_array().unwrap();
    let found = figures.iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {summary:#}"))["value"].as_f64().unwrap()
}

pub(super) const SHORT: &str = r#"
name = "short"
topic = "Should it be done in stages?"
mode = "socratic"
rounds = 2
repeat = 4

[simulated]
answer_ms = [1000, 2000, 4000]
jitter = 0.5

[flags.groupthinkDetection]
enabled = false
"#;

/// Covers: 16-scenarios
#[test]
fn every_shipped_scenario_can_be_held_and_measured() {
    let home = Home::new();
    let run = ran(&home, &["bench", "run", "all", "--repeat", "1", "--json"]);
    let debates = run["debates"].as_array().unwrap();
    assert_eq!(debates.len(), 2 * debate::modes::all().len());
    assert_eq!(run["failed"], json!([]));
    for debate in debates {
        let metrics = &debate["metrics"];
        let label = &debate["label"];
        assert!(metrics["latency"]["totalMs"].as_u64().unwrap() > 10_000, "{label}");
        let rounds = metrics["latency"]["perRoundMs"].as_array().unwrap();
        let sum: u64 = rounds.iter().map(|ms| ms.as_u64().unwrap()).sum();
        assert_eq!(sum, metrics["latency"]["totalMs"].as_u64().unwrap(), "{label}");
        assert_eq!(metrics["latency"]["perAgentMs"].as_object().unwrap().len(), 3, "{label}");
        assert!(metrics["interaction"]["crossReferenceCount"].as_u64().unwrap() > 0, "{label}");
        assert!(metrics["effort"]["tokens"].as_u64().unwrap() > 1000, "{label}");
        assert_eq!(metrics["effort"]["missedTurns"], 0, "{label}: {debate:#}");
    }
    // Nothing of it is a debate of the user's.
    assert!(!home.database().exists());
    let compared = ran(&home, &["bench", "compare", "run-1", "run-1", "--json"]);
    assert_eq!(compared["recommendation"], "reject", "nothing is faster than itself");
    assert_eq!(compared["parts"].as_array().unwrap().len(), 8);
}

#[test]
fn the_same_seed_measures_the_same_to_the_last_digit() {
    let run = || {
        let home = Home::new();
        home.file("short.toml", SHORT);
        ran(&home, &["bench", "run", "short.toml", "--json"])
    };
    let once = run();
    assert_eq!(once["debates"], run()["debates"]);
    assert_eq!(once["summaries"], run()["summaries"]);
    let home = Home::new();
    home.file("short.toml", SHORT);
    let other = ran(&home, &["bench", "run", "short.toml", "--seed", "9", "--json"]);
    assert_ne!(once["debates"][0]["metrics"], other["debates"][0]["metrics"]);
}

#[test]
fn a_run_that_was_cut_off_goes_on_and_comes_to_the_same() {
    let home = Home::new();
    home.file("short.toml", SHORT);
    let whole = ran(&home, &["bench", "run", "short.toml", "--json"]);
    let results = home.path().join("data/bench/runs/short-1/results.jsonl");
    let text = std::fs::read_to_string(&results).unwrap();
    // Two debates are there, the third was being written.
    let keep: usize = text.lines().take(2).map(|line| line.len() + 1).sum();
    std::fs::write(&results, &text[..keep + 40]).unwrap();
    let shown = ran(&home, &["bench", "show", "short-1", "--json"]);
    assert_eq!(shown["debates"].as_array().unwrap().len(), 2);
    let again = ran(&home, &["bench", "run", "--resume", "short-1", "--json"]);
    assert_eq!(again["debates"], whole["debates"]);
    assert_eq!(std::fs::read_to_string(&results).unwrap(), text);
}

/// Covers: 16-compare
#[test]
fn a_comparison_says_adopt_reject_or_on_what_condition() {
    let home = Home::new();
    let run = |name: &str| {
        ran(&home, &["bench", "run", name, "--repeat", "4", "--json"]);
    };
    run("devils-advocate-baseline");
    run("devils-advocate-parallel");
    let words = ["bench", "compare", "devils-advocate-baseline", "devils-advocate-parallel"];
    let did = home.run(&words);
    assert_eq!(did.code, 0, "{did:#?}");
    assert!(did.stdout.contains("reject") && did.stdout.contains("less than 30 %"), "{did:#?}");
    assert!(did.stdout.contains("Simulated agents"), "{did:#?}");
    let full = SHORT.replace("name = \"short\"", "name = \"full\"")
        + "[flags.sequentialParallelization]\nenabled = true\nlevel = \"full\"\n";
    let none = full.replace("\"full\"", "\"none\"");
    home.file("none.toml", &none);
    home.file("full.toml", &full);
    ran(&home, &["bench", "run", "none.toml", "full.toml", "--json", "--export", "both.json"]);
    let compared = ran(&home, &["bench", "compare", "run-1:none", "run-1:full", "--json"]);
    // Everybody at once: much faster, and nobody answers anybody in round 1.
    let delta = &compared["parts"][0]["delta"];
    assert!(delta["latencyReduction"]["value"].as_f64().unwrap() > 30.0, "{compared:#}");
    let lost = delta["interactionChange"]["value"].as_f64().unwrap();
    assert!(lost < -20.0, "{compared:#}");
    assert_eq!(compared["recommendation"], "reject");
    let low = delta["latencyReduction"]["low"].as_f64().unwrap();
    assert!(low <= delta["latencyReduction"]["value"].as_f64().unwrap());
    assert_eq!(compared["parts"][0]["paired"], true);
}

#[test]
fn results_are_exported_in_three_forms() {
    let home = Home::new();
    home.file("short.toml", SHORT);
    let args = [
        "bench",
        "run",
        "short.toml",
        "--export",
        "r.csv",
        "--export",
        "r.md",
        "--export",
        "r.json",
    ];
    assert_eq!(home.run(&args).code, 0);
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
    let csv = read("r.csv");
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert!(csv.starts_with("scenario,mode,case,seed,answer,exitReason,totalMs"), "{csv}");
    assert!(read("r.md").contains("| latency, ms |"), "{}", read("r.md"));
    let file: Value = serde_json::from_str(&read("r.json")).unwrap();
    assert_eq!(file["debates"].as_array().unwrap().len(), 4);
    let compared = ran(&home, &["bench", "compare", "r.json", "short-1", "--json"]);
    assert_eq!(compared["parts"][0]["delta"]["latencyReduction"]["value"], 0.0);
}

const DEAR: &str = r#"
[[agent]]
name = "Ann"
[[agent.turn]]
cost = 900000
answer = { position = "Open.", reasoning = "r", keyPoints = ["a"], confidence = 0.7, claims = [], citations = [] }
[[agent]]
name = "Bea"
[[agent.turn]]
cost = 100000
answer = { position = "Closed.", reasoning = "r", keyPoints = ["a"], confidence = 0.7, claims = [], citations = [] }
"#;

#[test]
fn a_money_cap_is_refused_kept_and_raised() {
    let home = Home::new();
    home.file("dear-script.toml", DEAR);
    let text = "name = \"dear\"\ntopic = \"Open?\"\nmode = \"collaborative\"\nrounds = 2\nrepeat = 2\n\
                script = \"dear-script.toml\"\n[flags.groupthinkDetection]\nenabled = false\n";
    home.file("dear.toml", text);
    let said = home.refused(&["bench", "run", "dear.toml", "--cap", "0.5"]);
    assert!(said.contains("may cost up to $2.00") && said.contains("at least $2.0000"), "{said}");
    assert!(!home.path().join("data/bench/runs").exists(), "nothing is begun");
    let did = home.run(&["bench", "run", "dear.toml", "--cap", "3"]);
    assert_eq!(did.code, 3, "{did:#?}");
    assert!(did.stdout.contains("The money cap is reached"), "{did:#?}");
    assert!(did.stdout.contains("--resume dear-1"), "{did:#?}");
    let run = ran(&home, &["bench", "run", "--resume", "dear-1", "--cap", "4", "--json"]);
    assert_eq!(run["debates"].as_array().unwrap().len(), 2);
    assert_eq!(run["spentUsd"], 4.0);
}

/// A provider that says yes to everything.
async fn agreeing() -> FakeProvider {
    let answer = json!({
        "position": "Yes, in stages.", "reasoning": "It is safer [ASSUME].",
        "keyPoints": ["safer"], "confidence": 0.8, "answer": "yes",
        "vote": {"ballot": "ACCEPT"}, "citations": [],
        "claims": [{"text": "Stages are safer", "label": "ASSUME",
                    "evidenceType": "SPECULATIVE", "citations": []}],
    });
    let answer = answer.to_string();
    let options = FakeOptions {
        key: Some(KEY.into()),
        answer: Arc::new(move |_| answer.clone()),
        ..FakeOptions::default()
    };
    FakeProvider::start(options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn live_debates_are_recorded_without_keys_and_replayed_without_asking() {
    let fake = agreeing().await;
    let home = Home::new();
    // A topic with a key in it: it must not be in the recording either.
    let text = SHORT.replace("in stages?", &format!("in stages with {KEY}?"));
    home.file("short.toml", &text.replace("repeat = 4", "repeat = 2"));
    let url = fake.base_url();
    let live = [("CUSTOM_API_KEY", KEY), ("CUSTOM_BASE_URL", url.as_str())];
    let agents = "Ann=custom/m1,Bea=custom/m2";
    let args = [
        "bench",
        "run",
        "short.toml",
        "--agents",
        agents,
        "--clerk=none",
        "--record",
        "tape.jsonl",
        "--json",
    ];
    let did = home.run_with(&args, &live);
    assert_eq!(did.code, 0, "{did:#?}");
    let run = json_of(&did);
    assert_eq!(run["source"], "live agents");
    assert!(run["debates"][0]["metrics"]["latency"]["wallMs"].is_u64());
    let calls = fake.asked("m1").len();
    assert_eq!(calls, 4, "two debates of two rounds");
    let tape = std::fs::read_to_string(home.path().join("tape.jsonl")).unwrap();
    assert!(!tape.contains("canary"), "a key was recorded");
    assert_eq!(tape.lines().count(), 1 + 2 + 8, "what it is, two openings, eight calls");

    let replay = ran(&home, &["bench", "run", "short.toml", "--replay", "tape.jsonl", "--json"]);
    assert_eq!(fake.asked("m1").len(), calls, "a replay asked somebody");
    for (one, other) in
        run["debates"].as_array().unwrap().iter().zip(replay["debates"].as_array().unwrap())
    {
        assert_eq!(one["metrics"]["latency"]["totalMs"], other["metrics"]["latency"]["totalMs"]);
        for part in ["interaction", "content", "consensus", "effort"] {
            assert_eq!(one["metrics"][part], other["metrics"][part], "{part}");
        }
    }
    // Live debates are the user's own and can be looked at.
    let id = run["debates"][0]["debate"].as_str().unwrap();
    assert_eq!(home.run(&["sessions", "show", id]).code, 0);

    // Cut off between the end of the second debate and the note of it.
    let results = home.path().join("data/bench/runs/short-1/results.jsonl");
    let lines = std::fs::read_to_string(&results).unwrap();
    let kept: Vec<&str> = lines.lines().take(3).collect();
    std::fs::write(&results, kept.join("\n") + "\n").unwrap();
    let did = home.run_with(&["bench", "run", "--resume", "short-1", "--json"], &live);
    assert_eq!(json_of(&did)["debates"].as_array().unwrap().len(), 2, "{did:#?}");
    assert_eq!(fake.asked("m1").len(), calls, "a finished debate was held twice");

    let other = text.replace("repeat = 4", "repeat = 1").replace("done in", "done without");
    home.file("short.toml", &other);
    let did = home.run(&["bench", "run", "short.toml", "--replay", "tape.jsonl"]);
    assert_eq!(did.code, 1, "{did:#?}");
    assert!(did.stderr.contains("- Should it be done in stages"), "{did:#?}");
    assert!(did.stderr.contains("+ Should it be done without stages"), "{did:#?}");
}

#[test]
fn a_debate_is_recorded_and_replayed() {
    let home = Home::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/recorded.toml");
    let did =
        home.run(&["debate", "--script", script, "--rounds", "2", "-q", "--record", "t.jsonl"]);
    assert_eq!(did.code, 0, "{did:#?}");
    assert!(did.stderr.contains("Recorded 7 calls"), "{did:#?}");
    let again = home.run(&["debate", "--replay", "t.jsonl", "-q"]);
    assert_eq!(again.code, 0, "{again:#?}");
    // All but the commands at the end, which name the debate.
    let body = |did: &Did| -> Vec<String> {
        let lines = did.stdout.lines().filter(|line| !line.contains("  roundtable "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(body(&did), body(&again));
    let timed = home.run(&["debate", "--replay", "t.jsonl", "-q", "--replay-speed", "1000"]);
    assert_eq!(timed.code, 0, "{timed:#?}");
    let changed = home.run(&["debate", "--replay", "t.jsonl", "-q", "Should it close?"]);
    assert_eq!(changed.code, 1, "{changed:#?}");
    assert!(changed.stderr.contains("+ Should it close?"), "{changed:#?}");
    let mixed = home.run(&["debate", "--replay", "t.jsonl", "--agents", "a,b"]);
    assert_eq!(mixed.code, 2, "{mixed:#?}");
}

fn questions(count: usize) -> String {
    let item = |n: usize| match n % 3 {
        0 => format!(
            "[[item]]\nquestion = \"Which is letter {n}?\"\noptions = [\"a\", \"b\", \"c\", \"d\"]\n\
             answer = \"c\"\n"
        ),
        1 => format!("[[item]]\nquestion = \"Is {n} odd?\"\nanswer = \"yes\"\n"),
        _ => format!("[[item]]\nquestion = \"Seven times {n}?\"\nanswer = {}\n", 7 * n),
    };
    (0..count).map(item).collect()
}

/// Covers: 16-quality
#[test]
fn question_sets_are_judged_the_same_every_time() {
    let home = Home::new();
    home.file("q.toml", &questions(12));
    let args = ["bench", "quality", "q.toml", "--simulated", "harmful", "--seeds", "2", "--json"];
    let report = ran(&home, &args);
    assert_eq!(report, ran(&home, &args));
    let arms = report["arms"].as_array().unwrap();
    assert_eq!(arms.len(), 15);
    let names: Vec<&str> = arms.iter().map(|arm| arm["arm"].as_str().unwrap()).collect();
    for wanted in ["plain", "plainVote", "single", "firstMajority", "firstWeighed", "plainDebate"] {
        assert!(names.contains(&wanted), "{names:?}");
    }
    let arm = |name: &str| arms.iter().find(|arm| arm["arm"] == name).unwrap();
    let times = |name: &str| arm(name)["timesSingle"].as_f64().unwrap();
    for rival in ["selfConsistency", "plainVote"] {
        assert!(times(rival) >= times("roundtable"), "{rival} spends as much");
    }
    // The debate against fourteen others; three cheaper arms against three plain ones.
    assert_eq!(report["gains"].as_array().unwrap().len(), 14 + 9);
    let switches = report["switches"].as_object().unwrap();
    let all: u64 = switches.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(all, 12 * 2 * 5, "every seat of every debate is counted once");
    assert_ne!(report["claim"], "debateHelps", "talk that harms does not help");
    let text = home.run(&args[..args.len() - 1]);
    assert!(!text.stdout.contains("debate helps"), "{}", text.stdout);
    assert!(text.stdout.contains("cannot show that debating helps"), "{}", text.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_live_agents_say_is_judged_kept_and_not_asked_again() {
    let fake = agreeing().await;
    let home = Home::new();
    home.file("q.toml", &questions(3));
    let url = fake.base_url();
    let live = [("CUSTOM_API_KEY", KEY), ("CUSTOM_BASE_URL", url.as_str())];
    let args = [
        "bench",
        "quality",
        "q.toml",
        "--agents",
        "Ann=custom/m1,Bea=custom/m2",
        "--seeds",
        "1",
        "--rounds",
        "2",
        "--record",
        "tape.jsonl",
        "--json",
    ];
    let did = home.run_with(&args, &live);
    assert_eq!(did.code, 0, "{did:#?}");
    let report = json_of(&did);
    let arms = report["arms"].as_array().unwrap();
    for arm in arms {
        // "yes" is right once, and is no letter and no number.
        assert!((arm["accuracy"]["value"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-9, "{arm:#}");
        assert_eq!(arm["unparsable"], 2, "{arm:#}");
    }
    assert_ne!(report["claim"], "debateHelps");
    let asked = fake.asked("m1").len();
    // Kept: the same command asks nobody.
    let again: Vec<&str> =
        args.iter().copied().filter(|word| !["--record", "tape.jsonl"].contains(word)).collect();
    let did = home.run_with(&again, &live);
    assert_eq!(json_of(&did), report);
    assert_eq!(fake.asked("m1").len(), asked);
    let replay = ["bench", "quality", "q.toml", "--replay", "tape.jsonl", "--seeds", "1", "--json"];
    let replayed = ran(&home, &replay);
    assert_eq!(replayed["arms"], report["arms"]);
    assert_eq!(fake.asked("m1").len(), asked);
}

/// Covers: 16-quality
#[tokio::test(flavor = "multi_thread")]
async fn chosen_arms_run_many_at_once_and_a_cut_run_goes_on() {
    let fake = agreeing().await;
    let home = Home::new();
    let item = |n: usize| format!("{{\"question\": \"Is {n} odd?\", \"answer\": \"yes\"}}");
    let items: Vec<String> = (0..9).map(item).collect();
    home.file("q.json", &format!("{{\"name\": \"odd\", \"item\": [{}]}}", items.join(",")));
    let url = fake.base_url();
    let live = [("CUSTOM_API_KEY", KEY), ("CUSTOM_BASE_URL", url.as_str())];
    let common = ["bench", "quality", "q.json", "--agents", "custom/m1,custom/m2", "--seeds", "1"];
    let arms = ["--arms", "plain,seat,first", "--parallel", "8", "--json"];
    let args = [&common[..], &arms].concat();
    let none = home.run_with(&[&args[..], &["--report"]].concat(), &live);
    assert_eq!(none.code, 2, "{none:#?}");
    let did = home.run_with(&[&args[..], &["--calibrate", "calibration.json"]].concat(), &live);
    assert_eq!(did.code, 0, "{did:#?}");
    let report = json_of(&did);
    let names: Vec<&str> =
        report["arms"].as_array().unwrap().iter().map(|arm| arm["arm"].as_str().unwrap()).collect();
    assert_eq!(names, ["plain", "single", "firstMajority"]);
    // One plain answer and one first answer a question; no round of talk.
    assert_eq!(fake.asked("m1").len(), 2 * 9);
    assert_eq!(fake.asked("m2").len(), 9);
    let table = std::fs::read_to_string(home.path().join("calibration.json")).unwrap();
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    assert_eq!(table["version"], 1);
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{table:#}");
    assert_eq!((&rows[0]["model"], &rows[0]["question"]), (&"custom/m1".into(), &"yesNo".into()));
    assert_eq!(rows[0]["questions"], 9);
    assert!(rows[0]["confidence"]["alpha"].is_f64(), "{table:#}");
    // Beside the database, the next debate of these models reads the file.
    let asked = ["debate", "--yes-no", "--agents", "custom/m1,custom/m2", "--json", "Is 7 odd?"];
    let calibrated = |did: &Did| {
        let all = events(did);
        let ended = all.iter().find(|event| event["type"] == "ended").unwrap();
        let voices = ended.pointer("/verdict/evidence/weighing/voices").unwrap();
        voices.as_array().unwrap().iter().map(|v| v["calibrated"].as_f64()).collect::<Vec<_>>()
    };
    assert_eq!(calibrated(&home.run_with(&asked, &live)), [None, None]);
    home.file("data/calibration.json", &table.to_string());
    let worth = calibrated(&home.run_with(&asked, &live));
    assert!(worth.iter().all(|it| it.is_some_and(|it| it > 0.8)), "always right: {worth:?}");
    std::fs::remove_file(home.path().join("data/calibration.json")).unwrap();
    let before = fake.asked("m1").len();
    // As if it had been cut off after six questions, within the seventh line.
    let folder = home.path().join("data/bench/quality");
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    let whole: usize = text.split_inclusive('\n').take(6).map(str::len).sum();
    std::fs::write(&file, &text[..whole + 20]).unwrap();
    let so_far = home.run_with(&[&args[..], &["--report"]].concat(), &live);
    assert_eq!(json_of(&so_far)["checks"]["answers"], 6 * 2, "{so_far:#?}");
    let again = home.run_with(&args, &live);
    assert_eq!(json_of(&again), report);
    assert_eq!(fake.asked("m1").len(), before + 2 * 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cap_too_small_for_one_question_is_refused_before_any_call() {
    let fake = agreeing().await;
    let home = Home::new();
    home.file("q.toml", &questions(2));
    let price = "input = 3.0\noutput = 15.0\n";
    let prices = format!("[prices.\"custom/m1\"]\n{price}[prices.\"custom/m2\"]\n{price}");
    home.file("config/roundtable/config.toml", &prices);
    let url = fake.base_url();
    let live = [("CUSTOM_API_KEY", KEY), ("CUSTOM_BASE_URL", url.as_str())];
    let quality = |cap: &str| {
        let agents = ["--agents", "custom/m1,custom/m2", "--seeds", "1", "--rounds", "1"];
        let record = ["--record", "tape.jsonl", "--cap", cap];
        home.run_with(&[&["bench", "quality", "q.toml"], &agents[..], &record].concat(), &live)
    };
    let did = quality("0.02");
    assert_eq!(did.code, 2, "{did:#?}");
    for part in ["--cap", "$0.02 is left", "allow at least $"] {
        assert!(did.stderr.contains(part), "{part}: {}", did.stderr);
    }
    assert!(fake.ledger().iter().all(|seen| seen.method != "POST"), "somebody was asked");
    assert!(!home.path().join("tape.jsonl").exists(), "a recording was begun");
    let needed = did.stderr.split("allow at least $").nth(1).unwrap();
    let needed = needed.split(',').next().unwrap().to_owned();
    let did = quality(&needed);
    assert!(did.stdout.contains("one plain answer"), "with ${needed}: {did:#?}");
}

#[test]
fn figures_by_round_and_agent_are_shown() {
    let home = Home::new();
    home.file("short.toml", SHORT);
    let did = home.run(&["bench", "run", "short.toml", "--repeat", "1"]);
    for part in ["latency by round, ms", "tokens by round", "Ada", "tool calls"] {
        assert!(did.stdout.contains(part), "{part}: {}", did.stdout);
    }
    let run = ran(&home, &["bench", "show", "short-1", "--json"]);
    assert!(figure(&run, "short", "totalMs") > 0.0);
    let list = home.run(&["bench", "list"]);
    assert!(list.stdout.contains("moderated-parallel"), "{list:#?}");
}
