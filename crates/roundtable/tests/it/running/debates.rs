//! Whole debates through the binary: from a question to a verdict, stored,
//! shown and resumed.

use crate::support::{Home, events};
use serde_json::Value;

const EXAMPLE: &str =
    "Should a five-person startup build its product as microservices or as a modular monolith?";

/// A script of agents who each say one thing; `fails` never answer.
fn script(home: &Home, agents: &[&str], fails: &[&str]) -> String {
    let mut text = String::from("topic = \"Is it so?\"\n");
    for name in agents {
        text.push_str(&format!("[[agent]]\nname = \"{name}\"\n[[agent.turn]]\n"));
        if fails.contains(name) {
            text.push_str(
                "fail = { class = \"overloaded\", message = \"the provider is down\" }\n",
            );
            continue;
        }
        text.push_str(&format!(
            "text = '''{{\"position\": \"{name} says yes.\", \"reasoning\": \"Because {name} looked.\", \
             \"keyPoints\": [\"looked\"], \"confidence\": 0.7, \"claims\": [], \"citations\": [], \
             \"vote\": {{\"ballot\": \"ACCEPT\"}}}}'''\n"
        ));
    }
    home.file("script.toml", &text).display().to_string()
}

fn words(events: &[Value]) -> Vec<String> {
    events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn with_no_model_the_example_table_debates_and_says_what_it_is() {
    let home = Home::new();
    let did = home.run(&["debate", EXAMPLE]);
    assert_eq!(did.code, 0, "{did:#?}");
    assert!(
        did.stderr.contains("scripted") && did.stderr.contains("not real models"),
        "{}",
        did.stderr
    );
    for part in ["Round 1 of 3", "Round 3 of 3", "Ada", "Brook", "Chen", "Decision", "agreement"] {
        assert!(did.stdout.contains(part), "{part} is missing in\n{}", did.stdout);
    }
    assert!(!did.stdout.contains('\u{1b}'), "colours where there is no terminal");
    // Nobody is paid for a script, and that is known; an address can be copied.
    assert!(did.stdout.contains("13 calls · free"), "{}", did.stdout);
    assert!(!did.stdout.contains("known price"), "{}", did.stdout);
    let address = "https://segment.com/blog/goodbye-microservices/";
    assert!(did.stdout.contains(address), "{address} was broken in\n{}", did.stdout);
}

#[test]
fn the_example_table_never_pretends_to_debate_another_topic() {
    let home = Home::new();
    let message = home.refused(&["debate", "Should we buy the harbour?"]);
    assert!(message.contains("No model was found"), "{message}");
    assert!(message.contains("roundtable agents"), "{message}");
}

#[test]
fn every_mode_reaches_a_verdict() {
    let home = Home::new();
    let modes = home.run(&["modes", "--json"]);
    let modes: Vec<Value> = serde_json::from_str(&modes.stdout).unwrap();
    assert!(modes.len() >= 8, "{modes:?}");
    let script = script(&home, &["One", "Two", "Three"], &[]);
    for mode in modes {
        let name = mode["name"].as_str().unwrap();
        let did =
            home.run(&["debate", "--mode", name, "--rounds", "2", "--script", &script, "--json"]);
        assert_eq!(did.code, 0, "{name}: {}", did.stderr);
        assert_eq!(words(&events(&did)).last().unwrap(), "ended", "{name}");
    }
}

#[test]
fn json_prints_one_event_per_line_and_nothing_else() {
    let home = Home::new();
    let script = script(&home, &["One", "Two"], &[]);
    let calm = "groupthinkDetection.enabled=false";
    let args = ["debate", "--script", &script, "--rounds", "1", "--json", "--flag", calm];
    let did = home.run(&args);
    let events = events(&did);
    assert_eq!(
        words(&events),
        [
            "opened",
            "started",
            "roundOpened",
            "asked",
            "answered",
            "answered",
            "summarised",
            "analysed",
            "roundClosed",
            "ended"
        ]
    );
    let seqs: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=events.len() as u64).collect::<Vec<_>>());
    let verdict = &events.last().unwrap()["verdict"];
    assert_eq!(verdict["agentResponses"].as_array().unwrap().len(), 2);
}

/// Covers: 13.2-quiet
#[test]
fn quiet_prints_only_the_verdict() {
    let home = Home::new();
    let script = script(&home, &["One", "Two"], &[]);
    let did = home.run(&["debate", "--script", &script, "--rounds", "1", "--quiet"]);
    // Even so it says who speaks: here nobody but a script.
    assert!(did.stderr.contains("no model is asked"), "{}", did.stderr);
    let shown = did.stdout.trim();
    assert!(shown.starts_with("── ") && !shown.contains("Round 1"), "{shown}");
    assert!(shown.contains("2 agents · 1 round · 2 calls"), "{shown}");
    assert!(shown.lines().count() <= 20, "{shown}");
}

/// Covers: 3-gap
#[test]
fn a_failing_agent_leaves_a_gap_that_is_named_everywhere() {
    let home = Home::new();
    let script = script(&home, &["One", "Two", "Three"], &["Two"]);
    let did = home.run(&["debate", "--script", &script, "--rounds", "2"]);
    assert_eq!(did.code, 0, "{did:#?}");
    assert!(
        did.stdout.contains("Two gave no answer (overloaded): the provider is down"),
        "{did:#?}"
    );
    assert!(did.stdout.contains("2 of 3 answered"));
    assert!(did.stdout.contains("Missing answer, round 2: Two gave no answer"), "{did:#?}");
    let shown = home.run(&["sessions", "list", "--json"]);
    let listed: Vec<Value> = serde_json::from_str(&shown.stdout).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    let shown: Value =
        serde_json::from_str(&home.run(&["sessions", "show", id, "--json"]).stdout).unwrap();
    assert_eq!(shown["verdict"]["metadata"]["gaps"].as_array().unwrap().len(), 2);
    assert_eq!(shown["rounds"][0]["gaps"][0]["agent"], "Two");
}

/// Covers: 3-too-few
#[test]
fn too_few_answers_pause_the_debate_until_it_is_resumed() {
    let home = Home::new();
    let broken = script(&home, &["One", "Two", "Three"], &["Two", "Three"]);
    let did = home.run(&["debate", "--script", &broken, "--rounds", "2", "--seed", "1"]);
    assert_eq!(did.code, 3, "{did:#?}");
    assert!(did.stderr.contains("1 of 3 answers") && did.stderr.contains("the provider is down"));
    let resume = did.stderr.lines().find(|line| line.contains("roundtable resume")).unwrap();
    let id = resume.split_whitespace().last().unwrap();
    let mended = script(&home, &["One", "Two", "Three"], &[]);
    let did = home.run(&["sessions", "resume", id, "--script", &mended, "--json"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let asked: Vec<String> = events(&did)
        .iter()
        .filter(|event| event["type"] == "asked")
        .flat_map(|event| event["intents"].as_array().unwrap().clone())
        .map(|intent| intent["ask"].as_str().unwrap().to_owned())
        .collect();
    assert!(!asked.contains(&"r1.w1.s0.speak".to_string()), "One was asked again: {asked:?}");
    assert!(asked.contains(&"r1.w1.s1.speak".to_string()), "{asked:?}");
}

#[test]
fn a_finished_debate_is_not_resumed() {
    let home = Home::new();
    let script = script(&home, &["One", "Two"], &[]);
    let did = home.run(&["debate", "--script", &script, "--rounds", "1", "--json"]);
    assert_eq!(did.code, 0);
    let listed = home.run(&["sessions", "list", "--json"]);
    let listed: Vec<Value> = serde_json::from_str(&listed.stdout).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    let did = home.run(&["sessions", "resume", id, "--script", &script]);
    assert_eq!(did.code, 2);
    assert!(did.stderr.contains("completed"), "{}", did.stderr);
}

#[test]
fn context_focus_perspectives_and_options_reach_the_brief() {
    let home = Home::new();
    let script = script(&home, &["One", "Two"], &[]);
    home.file("notes.md", "The harbour is deep.");
    let did = home.run(&[
        "debate",
        "--mode",
        "expert-panel",
        "--script",
        &script,
        "--rounds",
        "1",
        "--json",
        "--context",
        "notes.md",
        "--focus",
        "What breaks?",
        "--perspective",
        "law: what is allowed",
        "--options",
        "buy,rent",
        "--seed",
        "42",
        "--stakes",
        "medical-legal",
        "Buy the harbour?",
    ]);
    assert_eq!(did.code, 0, "{did:#?}");
    let brief = &events(&did)[0]["brief"];
    assert_eq!(brief["attachments"][0]["text"], "The harbour is deep.");
    assert_eq!(brief["focus"], "What breaks?");
    assert_eq!(brief["perspectives"]["given"][0]["name"], "law");
    assert_eq!(brief["question"]["options"][1], "rent");
    assert_eq!(brief["seed"], 42);
    assert_eq!(brief["stakes"][0], "medical-legal");
    assert_eq!(brief["topic"], "Buy the harbour?");
}

#[test]
fn a_topic_can_come_from_standard_input() {
    let home = Home::new();
    let script = script(&home, &["One", "Two"], &[]);
    let mut command = home.command();
    let output = command
        .args(["debate", "-", "--script", &script, "--rounds", "1", "--json"])
        .write_stdin("From a pipe?\n")
        .output()
        .unwrap();
    let first: Value =
        serde_json::from_str(String::from_utf8_lossy(&output.stdout).lines().next().unwrap())
            .unwrap();
    assert_eq!(first["brief"]["topic"], "From a pipe?");
}

#[test]
fn what_models_say_cannot_reach_the_terminal_as_a_command() {
    let home = Home::new();
    let evil = "\\u001b[31mred\\u001b[0m \\u009b2J \\u202eesrever \\u0007 \\u001b]0;title\\u0007";
    let mut text = String::new();
    for name in ["One", "Two"] {
        text.push_str(&format!(
            "[[agent]]\nname = \"{name}\"\n[[agent.turn]]\ntext = '{{\"position\": \"{evil}\", \"reasoning\": \"{evil}\", \
             \"keyPoints\": [\"{evil}\"], \"confidence\": 0.5, \"claims\": [{{\"text\": \"{evil}\", \"label\": \"ASSUME\", \
             \"evidenceType\": \"SPECULATIVE\"}}], \"citations\": [{{\"number\": 1, \"title\": \"{evil}\"}}]}}'\n"
        ));
    }
    let script = home.file("evil.toml", &text).display().to_string();
    let did = home.run(&["debate", "--script", &script, "--rounds", "1", "Safe?"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let listed = home.run(&["sessions", "list", "--json"]);
    let listed: Vec<Value> = serde_json::from_str(&listed.stdout).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    let shown = home.run(&["sessions", "show", id]);
    let round = home.run(&["sessions", "show", id, "--round", "1"]);
    for output in [did.stdout, did.stderr, shown.stdout, round.stdout] {
        assert!(output.contains("red") || output.is_empty() || output.contains("Scripted"));
        for bad in ['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}'] {
            assert!(!output.contains(bad), "{bad:?} came through");
        }
    }
}

#[test]
fn modes_explain_themselves() {
    let home = Home::new();
    let all = home.run(&["modes"]);
    for plan in debate::modes::all() {
        assert!(all.stdout.contains(plan.name));
        let one = home.run(&["modes", plan.name]);
        assert!(one.stdout.contains("Who speaks when"), "{}", one.stdout);
    }
    let unknown = home.run(&["modes", "delfi"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("delphi"), "{}", unknown.stderr);
}

/// Covers: 5-override
#[test]
fn templates_written_out_can_be_used_as_they_are() {
    let home = Home::new();
    let script = script(&home, &["One", "Two"], &[]);
    assert_eq!(home.run(&["config", "words", "mine"]).code, 0);
    let did = home.run(&["debate", "--script", &script, "--words", "mine", "--rounds", "1"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let again = home.run(&["config", "words", "mine"]);
    assert_eq!(again.code, 2, "it would have overwritten the user's files");
}
