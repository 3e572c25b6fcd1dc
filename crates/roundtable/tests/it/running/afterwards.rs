//! What can be done with a debate that is over, through the binary: analysed
//! anew, summed up by its clerk, compared with another.

use crate::support::{Home, events};
use serde_json::Value;

const SCRIPT: &str = r#"
topic = "Is it so?"
[[agent]]
name = "One"
[[agent.turn]]
text = '''{"position": "Yes, it is so.", "reasoning": "It was measured.[FACT][1]", "keyPoints": ["measured"], "confidence": 0.7, "claims": [{"text": "It was measured to be so", "label": "FACT", "evidenceType": "EMPIRICAL", "citations": [1]}], "citations": [{"number": 1, "title": "Report"}], "vote": {"ballot": "ACCEPT"}}'''
[[agent]]
name = "Two"
[[agent.turn]]
text = '''{"position": "No, it is not so.", "reasoning": "The report is old.", "keyPoints": ["old"], "confidence": 0.6, "claims": [], "citations": [], "vote": {"ballot": "BLOCKER", "objection": "not shown"}}'''
[[clerk.turn]]
task = "consensus"
text = '''{"propositions": [{"text": "It is so", "stands": [{"participant": "Participant 1", "side": "for"}, {"participant": "Participant 2", "side": "against"}]}], "clusters": [], "commonGround": ["there is a report"], "disagreements": ["whether it holds"], "nuances": {"partialAgreements": [], "conditionalPositions": [], "uncertainties": []}, "conflicts": [], "reasoning": "one for, one against", "rating": 0.2, "summary": "They differ."}'''
[[clerk.turn]]
task = "synthesis"
text = '''{"commonGround": [{"text": "Both know the report", "claims": ["C1"]}], "keyDifferences": [{"text": "Whether it is too old", "claims": ["C1", "C9"]}], "evolution": [], "conclusion": {"text": "It is open.", "claims": []}, "recommendation": {"text": "Measure again.", "claims": ["C1"]}, "confidence": 0.4}'''
"#;

fn held(home: &Home, more: &[&str]) -> String {
    let script = home.file("script.toml", SCRIPT).display().to_string();
    let mut args = vec!["debate", "--script", &script, "--rounds", "1", "--json"];
    args.extend(more);
    let did = home.run(&args);
    assert_eq!(did.code, 0, "{did:#?}");
    assert_eq!(events(&did).last().unwrap()["type"], "ended");
    let listed: Vec<Value> =
        serde_json::from_str(&home.run(&["sessions", "list", "--json"]).stdout).unwrap();
    listed[0]["id"].as_str().unwrap().to_owned()
}

fn analysed(home: &Home, args: &[&str]) -> Value {
    let did = home.run(args);
    assert_eq!(did.code, 0, "{did:#?}");
    serde_json::from_str(&did.stdout).unwrap()
}

#[test]
fn the_clerks_table_gives_the_agreement_and_the_result_says_so() {
    let home = Home::new();
    let id = held(&home, &[]);
    let anew = analysed(&home, &["analyse", &id, "--json"]);
    let consensus = &anew["rounds"][0]["consensus"];
    assert_eq!(consensus["by"], "clerk");
    assert_eq!(consensus["agreementLevel"], 0.0);
    assert_eq!(consensus["modelRating"], 0.2);
    assert_eq!(anew["verdict"]["metadata"]["analysedBy"], "clerk");
}

#[test]
fn other_thresholds_change_the_analysis_and_not_the_debate() {
    let home = Home::new();
    let id = held(&home, &[]);
    let before = home.run(&["sessions", "show", &id, "--json"]).stdout;
    let plain = analysed(&home, &["analyse", &id, "--json"]);
    assert_eq!(plain["rounds"][0]["convergence"]["status"], "productive");
    let low = ["analyse", &id, "--threshold", "similarity=0", "--json"];
    let low = analysed(&home, &low);
    assert_eq!(low["rounds"][0]["convergence"]["status"], "consensus_diverse_evidence");
    assert_eq!(home.run(&["sessions", "show", &id, "--json"]).stdout, before);
}

#[test]
fn one_flag_changed_leaves_the_debates_other_flags_alone() {
    let home = Home::new();
    let agreeing = SCRIPT.replace("No, it is not so.", "Yes, it is so.");
    let agreeing = agreeing.split("[[clerk.turn]]").next().unwrap().replace("BLOCKER", "ACCEPT");
    let script = home.file("agree.toml", &agreeing).display().to_string();
    let on = ["--flag", "exitCriteria.enabled=true", "--flag", "groupthinkDetection.enabled=false"];
    let mut args = vec!["debate", "--script", &script, "--rounds", "3", "--json"];
    args.extend(on);
    assert_eq!(home.run(&args).code, 0);
    let listed: Vec<Value> =
        serde_json::from_str(&home.run(&["sessions", "list", "--json"]).stdout).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    // Equal answers end it at once where groupthink is not looked for.
    let plain = analysed(&home, &["analyse", id, "--json"]);
    assert_eq!(plain["wouldEnd"]["round"], 1, "{plain:#}");
    let other = ["analyse", id, "--flag", "exitCriteria.convergenceRounds=4", "--json"];
    assert_eq!(analysed(&home, &other)["wouldEnd"]["round"], 1);
    let did = home.run(&["analyse", id, "--flag", "exitCriteria.enabled"]);
    assert_eq!(did.code, 2);
    assert!(did.stderr.contains("FLAG=VALUE"), "{}", did.stderr);
}

#[test]
fn wrong_settings_are_all_named_with_what_is_allowed() {
    let home = Home::new();
    let id = held(&home, &[]);
    let did = home.run(&[
        "analyse",
        &id,
        "--threshold",
        "similarty=0.5",
        "--threshold",
        "votes=7",
        "--algorithm",
        "vote",
    ]);
    assert_eq!(did.code, 2);
    for word in ["similarty", "similarity", "votes: 7", "0 to 1", "vote"] {
        assert!(did.stderr.contains(word), "{word} is missing in {}", did.stderr);
    }
}

#[test]
fn a_light_model_that_answers_nonsense_is_a_stated_fallback() {
    let home = Home::new();
    let nonsense = SCRIPT.replace("{\"propositions\"", "Well, who knows? {\"nothing\"");
    let script = home.file("nonsense.toml", &nonsense).display().to_string();
    let did = home.run(&["debate", "--script", &script, "--rounds", "1", "--json"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let all = events(&did);
    let analysis = all.iter().find(|event| event["type"] == "analysed").unwrap();
    let consensus = &analysis["analysis"]["consensus"];
    assert_eq!(consensus["by"], "basic");
    assert!(consensus["fallbackReason"].is_string(), "{consensus}");
}

#[test]
fn the_synthesis_is_written_once_and_names_only_real_claims() {
    let home = Home::new();
    let id = held(&home, &[]);
    let script = home.path().join("script.toml").display().to_string();
    let did = home.run(&["synthesise", &id, "--script", &script, "--json"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let first: Value = serde_json::from_str(&did.stdout).unwrap();
    assert_eq!(first["synthesis"]["keyDifferences"][0]["claims"], serde_json::json!(["C1"]));
    assert!(did.stdout.contains("references"), "the dropped C9 is noted");
    // The second time it is read, not paid for: no script is needed.
    let again: Value =
        serde_json::from_str(&home.run(&["synthesise", &id, "--json"]).stdout).unwrap();
    assert_eq!(first, again);
    let shown = home.run(&["sessions", "show", &id]).stdout;
    assert!(shown.contains("Measure again. C1"), "the session shows its synthesis");
    let words = home.run(&["synthesise", &id]).stdout;
    assert!(words.contains("Recommendation") && words.contains("Measure again. C1"), "{words}");
}

#[test]
fn a_debate_without_a_clerk_has_nobody_to_sum_it_up() {
    let home = Home::new();
    let bare = SCRIPT.split("[[clerk.turn]]").next().unwrap();
    let script = home.file("bare.toml", bare).display().to_string();
    home.run(&["debate", "--script", &script, "--rounds", "1"]);
    let listed: Vec<Value> =
        serde_json::from_str(&home.run(&["sessions", "list", "--json"]).stdout).unwrap();
    let did = home.run(&["synthesise", listed[0]["id"].as_str().unwrap()]);
    assert_eq!(did.code, 2);
    assert!(did.stderr.contains("no clerk"), "{}", did.stderr);
}

/// Covers: 11-compare
#[test]
fn a_standard_and_an_extended_run_can_be_compared() {
    let home = Home::new();
    let standard = held(&home, &["--mode", "moderated"]);
    let extended = held(&home, &["--mode", "moderated", "--depth", "extended"]);
    let did = home.run(&["compare", &standard, &extended]);
    assert_eq!(did.code, 0, "{did:#?}");
    assert!(did.stdout.contains("diversity of arguments"), "{}", did.stdout);
    let json = analysed(&home, &["compare", &standard, &extended, "--json"]);
    assert!(json["comparison"]["diversity"].is_number(), "{json}");
}

#[test]
fn an_embedder_that_cannot_be_reached_leaves_the_figures_absent_with_the_reason() {
    let home = Home::new();
    home.file(
        "config/roundtable/config.toml",
        "[embedder]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"far-away\"\n",
    );
    // Without a clerk only the wording can be measured.
    let id = held(&home, &["--clerk", "none"]);
    let shown: Value =
        serde_json::from_str(&home.run(&["sessions", "show", &id, "--json"]).stdout).unwrap();
    let convergence = &shown["rounds"][0]["analysis"]["convergence"];
    assert!(convergence["similarity"].is_null(), "{convergence}");
    assert!(convergence["missing"].as_str().unwrap().contains("far-away"), "{convergence}");
    let did = home.run(&["config", "calibrate"]);
    assert_eq!(did.code, 2);
    assert!(did.stderr.contains("far-away was not calibrated"), "{}", did.stderr);
}

#[test]
fn contradictory_options_are_refused() {
    let home = Home::new();
    let script = home.file("script.toml", SCRIPT).display().to_string();
    for options in ["yes,YES", "only", "a,,b"] {
        let message = home.refused(&["debate", "--script", &script, "--options", options, "So?"]);
        assert!(message.contains("options"), "{options}: {message}");
    }
}

/// A clerk whose synthesis costs 0.02 USD and fails as often as asked.
fn priced(text: &str) -> String {
    let (before, synthesis) = SCRIPT.rsplit_once("[[clerk.turn]]").unwrap();
    let synthesis = match text {
        "" => synthesis.to_owned(),
        other => format!("\ntask = \"synthesis\"\ntext = '''{other}'''\n"),
    };
    format!("{before}[[clerk.turn]]\ncost = 20000{synthesis}")
}

#[test]
fn the_synthesis_is_announced_and_every_attempt_stands_in_the_books() {
    let home = Home::new();
    let id = held(&home, &[]);
    let poor = home.file("poor.toml", &priced("I would rather not.")).display().to_string();
    let good = home.file("good.toml", &priced("")).display().to_string();
    let did = home.run(&["synthesise", &id, "--script", &poor]);
    assert_eq!(did.code, 1, "{did:#?}");
    let did = home.run(&["synthesise", &id, "--script", &good]);
    assert_eq!(did.code, 0, "{did:#?}");
    let costs = home.run(&["costs", "--by", "debate", "--json"]);
    let costs: Value = serde_json::from_str(&costs.stdout).unwrap();
    assert_eq!(costs[0]["spentUsd"], 0.04, "{costs:#}");
    assert_eq!(costs[0]["heldUsd"], 0.0, "{costs:#}");
}

#[test]
fn a_synthesis_that_might_pass_the_budget_is_not_asked_for() {
    let home = Home::new();
    let id = held(&home, &["--budget", "0.01"]);
    let dear = home.file("dear.toml", &priced("")).display().to_string();
    let did = home.run(&["synthesise", &id, "--script", &dear]);
    assert_eq!(did.code, 1, "{did:#?}");
    assert!(did.stderr.contains("this debate's budget"), "{}", did.stderr);
    let costs = home.run(&["costs", "--by", "debate", "--json"]);
    assert!(!costs.stdout.contains("0.02"), "{}", costs.stdout);
}
