//! Settings that change a debate by themselves: the consensus algorithm, required
//! evidence, how perspectives are dealt, and how deep the moderated mode goes.

use serde_json::{Value, json};

use crate::support::{Did, Home, events};

/// Three agents who agree; the first makes no claim.
fn script(home: &Home) -> String {
    let answer = |claims: Value, citations: Value| {
        json!({ "position": "Do it.", "reasoning": "It was measured.", "keyPoints": ["measured"],
            "confidence": 0.9, "claims": claims, "citations": citations,
            "vote": { "ballot": "ACCEPT" } })
    };
    let cited = |text: &str| {
        answer(
            json!([{ "text": text, "label": "FACT", "evidenceType": "DOCUMENTED", "citations": [1] }]),
            json!([{ "number": 1, "title": "Report", "url": "https://www.postgresql.org/about/" }]),
        )
    };
    let agent = |name: &str, answer: Value| json!({ "name": name, "turn": [{ "answer": answer }] });
    let agents = json!([
        agent("Ann", answer(json!([]), json!([]))),
        agent("Bea", cited("It was measured")),
        agent("Cem", cited("It holds elsewhere")),
    ]);
    let script = json!({ "topic": "Shall we?", "agent": agents });
    home.file("switches.json", &script.to_string()).display().to_string()
}

fn held(home: &Home, more: &[&str]) -> Did {
    let script = script(home);
    let args = [&["debate", "--script", &script, "--json"], more].concat();
    let did = home.run(&args);
    assert_eq!(did.code, 0, "{did:#?}");
    did
}

fn event(did: &Did, kind: &str) -> Value {
    let all = events(did);
    all.into_iter().find(|event| event["type"] == kind).unwrap_or_else(|| panic!("no {kind}"))
}

fn asked(did: &Did) -> Vec<String> {
    let asked = events(did).into_iter().filter(|event| event["type"] == "asked");
    let intents = asked.flat_map(|event| event["intents"].as_array().unwrap().clone());
    intents.map(|intent| intent["ask"].as_str().unwrap().to_owned()).collect()
}

/// Covers: 7.3-algorithms
#[test]
fn enhanced_requires_evidence_and_ends_by_its_own_rules() {
    let home = Home::new();
    let did = held(&home, &["--rounds", "2", "--enhanced"]);
    let brief = &event(&did, "opened")["brief"];
    assert_eq!(brief["algorithm"], "evidence_based_debate");
    assert_eq!(brief["flags"]["exitCriteria"]["enabled"], true);
    // Who makes no claim is asked once more, and named where none comes.
    let asked = asked(&did);
    assert!(asked.contains(&"r1.w1.s0.repair".to_owned()), "{asked:?}");
    assert!(!asked.iter().any(|ask| ask.contains("s1.repair")), "{asked:?}");
    let verdict = &event(&did, "ended")["verdict"];
    assert_ne!(verdict["decision"]["actionRecommendation"], "proceed");
    assert!(
        verdict["card"]["beware"].to_string().contains("without evidence, by Ann"),
        "{verdict}"
    );
}

/// Covers: 7.3-algorithms, 7.3-off
#[test]
fn an_algorithm_that_is_set_ends_the_next_debate_early() {
    let home = Home::new();
    let plain = held(&home, &["--rounds", "4"]);
    assert_eq!(event(&plain, "ended")["exit"]["rule"], "rounds");
    assert_eq!(home.run(&["config", "set-algorithm", "votes"]).code, 0);
    let did = held(&home, &["--rounds", "9"]);
    let exit = &event(&did, "ended")["exit"];
    assert_eq!(exit["rule"], "votes");
    let details = exit["details"].as_str().unwrap();
    assert!(details.contains("100 % ACCEPT or MINOR (needed 80 %)"), "{details}");
}

/// Covers: 4-perspectives
#[test]
fn perspectives_are_dealt_by_name() {
    let home = Home::new();
    let dealt = ["--mode", "expert-panel", "--rounds", "1", "--assign"];
    let did = held(&home, &[&dealt[..], &["social,technical,social"]].concat());
    let seats = event(&did, "opened")["seats"].clone();
    let names: Vec<&Value> =
        seats.as_array().unwrap().iter().map(|seat| &seat["perspective"]["name"]).collect();
    assert_eq!(names, ["social", "technical", "social"]);
    let home = Home::new();
    let script = script(&home);
    for (names, wanted) in [("social,technical", "one for each agent"), ("a,b,c", "technical")] {
        let said = home.refused(&[&["debate", "--script", &script], &dealt[..], &[names]].concat());
        assert!(said.contains(wanted), "{names}: {said}");
    }
}

/// Covers: 11-depth, 11-gate
#[test]
fn a_hard_case_is_debated_at_length_if_the_day_can_pay_for_it() {
    let home = Home::new();
    let case = [
        "--mode=moderated",
        "--depth=auto",
        "--importance=high",
        "--stakeholders=5",
        "--technical-domains=4",
        "--horizon=long",
        "--impact=high",
    ];
    let chosen = event(&held(&home, &case), "depthChosen");
    assert_eq!((&chosen["depth"], &chosen["rounds"]), (&json!("extended"), &json!(3)));
    let factors: Vec<&Value> =
        chosen["factors"].as_array().unwrap().iter().map(|factor| &factor["name"]).collect();
    let wanted =
        ["base", "stakeholders", "technical_domains", "long_term", "budget_impact", "rating"];
    assert_eq!(factors, wanted);
    let from = chosen["factors"][1]["from"].as_str().unwrap();
    assert_eq!(from, "5 stakeholders, over 3, given by the caller");

    home.file("config/roundtable/config.toml", "daily_budget = 0.6\n");
    let chosen = event(&held(&home, &case), "depthChosen");
    assert_eq!(chosen["depth"], "standard");
    let why = chosen["why"].as_str().unwrap();
    assert!(why.contains("$1.25") && why.contains("$0.60 is left of the day's budget"), "{why}");

    // Extended by name holds three rounds unless rounds are given.
    let home = Home::new();
    let deep = held(&home, &["--mode=moderated", "--depth=extended"]);
    assert_eq!(event(&deep, "opened")["brief"]["rounds"], 3);
}
