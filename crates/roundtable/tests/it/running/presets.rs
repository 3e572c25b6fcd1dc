//! Presets, personas and pipelines, through the binary.

use crate::support::{Home, events};
use fake_provider::{FakeOptions, FakeProvider};
use serde_json::Value;

const QUESTION: &str = "Do we move in May?";

fn script(agents: usize) -> String {
    let names = ["Ann", "Bea", "Cid", "Dee"];
    let answer = serde_json::json!({
        "position": "Yes, in May.", "reasoning": "It is time [ASSUME].", "keyPoints": ["a", "b"],
        "confidence": 0.6, "claims": [], "citations": [], "vote": { "ballot": "ACCEPT" },
        "answer": "yes",
    });
    let one = |name: &&str| {
        format!("[[agent]]\nname = \"{name}\"\n[[agent.turn]]\ntext = '''{answer}'''\n")
    };
    names.iter().take(agents).map(one).collect()
}

/// Covers: 18-presets
#[test]
fn every_preset_is_listed_and_held_by_scripted_agents() {
    let home = Home::new();
    home.file("table.toml", &script(4));
    home.file("change.patch", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n");
    home.file("config/roundtable/presets/own.toml", "about = \"Mine\"\nwhen = \"On Mondays.\"\nmode = \"delphi\"\nrounds = 1\nquestions = [\"Is it Monday?\"]\n");
    let did = home.run(&["presets", "--json"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let rows: Value = serde_json::from_str(&did.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 7, "six and one of the user's own");
    for row in rows {
        let name = row["name"].as_str().unwrap();
        assert!(row["when"].as_str().unwrap().len() > 5, "{name} does not say when to use it");
        let mut args = vec!["debate", "--script", "table.toml", "--json", "--preset", name];
        if name == "code-review" {
            args.extend(["--context", "change.patch"]);
        } else {
            args.push(QUESTION);
        }
        let did = home.run(&args);
        assert_eq!(did.code, 0, "{name}: {did:#?}");
        let opened = &events(&did)[0]["brief"];
        assert_eq!((&opened["mode"], &opened["rounds"]), (&row["mode"], &row["rounds"]), "{name}");
        assert_eq!(opened["requiredQuestions"], row["questions"], "{name}");
        let dealt = opened["perspectives"]["given"].as_array().map_or(0, Vec::len);
        assert_eq!(dealt, row["perspectives"].as_array().unwrap().len(), "{name}");
    }
    let text = home.run(&["presets"]).stdout;
    assert!(text.contains("code-review") && text.contains("needs --context"), "{text}");
}

#[test]
fn an_unknown_preset_names_the_nearest_and_a_broken_one_its_line() {
    let home = Home::new();
    let said = home.refused(&["debate", "--preset", "premortem", QUESTION]);
    assert!(said.contains("pre-mortem"), "{said}");
    let bare = home.refused(&["debate", "--preset", "code-review"]);
    assert!(bare.contains("diff"), "{bare}");
    home.file("config/roundtable/presets/own.toml", "about = \"Mine\"\nmood = \"good\"\n");
    let broken = home.refused(&["debate", "--preset", "own", QUESTION]);
    assert!(broken.contains("own.toml") && broken.contains("mood"), "{broken}");
}

/// Covers: 18-pipeline
#[test]
fn a_pipeline_reads_the_exit_code_and_the_summary() {
    let home = Home::new();
    home.file("table.toml", &script(3));
    let held = |more: &[&str]| {
        let args = ["debate", "--script", "table.toml", "-q", "--rounds", "1"];
        home.run(&[&args, more, &[QUESTION]].concat())
    };
    let all = held(&["--fail-on", "proceed,verify,query_detail", "--summary", "summary.md"]);
    assert_eq!(all.code, 4, "{all:#?}");
    let summary = std::fs::read_to_string(home.path().join("summary.md")).unwrap();
    assert!(
        summary.starts_with(&format!("# {QUESTION}")) && summary.contains("Yes, in May"),
        "{summary}"
    );
    let action = |did: &crate::support::Did| did.stdout.contains("GO AHEAD");
    let other = if action(&all) { "verify,query_detail" } else { "proceed" };
    assert_eq!(held(&["--fail-on", other]).code, 0);
    let unknown = held(&["--fail-on", "panic"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("query_detail"), "{unknown:#?}");
}

/// Covers: 18-persona
#[tokio::test(flavor = "multi_thread")]
async fn a_seat_speaks_in_the_manner_it_was_given() {
    let fake = FakeProvider::start(FakeOptions::default()).await.unwrap();
    let home = Home::new();
    let agents = "sceptic=ollama/fake-large: asks for the failure mode first,Bea=ollama/fake-small";
    let args =
        ["debate", "--agents", agents, "--rounds", "1", "--clerk", "none", "--json", QUESTION];
    let did = home.run_with(&args, &[("OLLAMA_BASE_URL", &fake.base_url())]);
    assert_eq!(did.code, 0, "{did:#?}");
    for (model, has) in [("fake-large", true), ("fake-small", false)] {
        let asked = fake.asked(model)[0].body.to_string();
        assert_eq!(
            asked.contains("Speak as one who asks for the failure mode first"),
            has,
            "{asked}"
        );
    }
    let report = home.run(&["sessions", "list", "--json"]);
    let rows: Value = serde_json::from_str(&report.stdout).unwrap();
    let id = rows[0]["id"].as_str().unwrap();
    let text = home.run(&["sessions", "export", id, "--format", "markdown"]).stdout;
    assert!(text.contains("asks for the failure mode first"), "{text}");
    let long = format!("Ann=ollama/fake-large: {},ollama/fake-small", "x".repeat(600));
    let did = home.run_with(
        &["debate", "--agents", &long, QUESTION],
        &[("OLLAMA_BASE_URL", &fake.base_url())],
    );
    assert!(did.code == 2 && did.stderr.contains("at most 500"), "{did:#?}");
}
