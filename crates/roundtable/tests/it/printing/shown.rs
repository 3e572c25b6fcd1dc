//! What a person is shown, as snapshots: help, modes, a debate and one round.

use super::results::without_time;
use crate::support::Home;
use serde_json::Value;

const EXAMPLE: &str =
    "Should a five-person startup build its product as microservices or as a modular monolith?";

fn shown(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => "../../snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

/// The example debate, held once, and its id.
fn held(home: &Home) -> String {
    let did = home.run(&["debate", EXAMPLE, "--quiet"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let listed: Vec<Value> =
        serde_json::from_str(&home.run(&["sessions", "list", "--json"]).stdout).unwrap();
    listed[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_stored_debate() {
    let home = Home::new();
    let id = held(&home);
    let whole = home.run(&["sessions", "show", &id]).stdout;
    shown("session", &without_time(&whole.replace(&id, "ID").replace(&id[..13], "ID")));
    let round = home.run(&["sessions", "show", &id, "--round", "2"]).stdout;
    shown("round", &round);
    // A part of the id is enough, and the whole of the log is in the JSON.
    assert_eq!(home.run(&["sessions", "show", &id[..13]]).stdout, whole);
    let json: Value =
        serde_json::from_str(&home.run(&["sessions", "show", &id, "--json"]).stdout).unwrap();
    assert_eq!(json["rounds"].as_array().unwrap().len(), 3);
    assert_eq!(json["state"]["claims"][0]["id"], "C1");
}

/// The card in the README is the one that the command below it prints.
#[test]
fn the_readme_shows_the_example_as_it_is() {
    let home = Home::new();
    let id = held(&home);
    let shown = home.run(&["sessions", "show", &id]).stdout.replace(&id[..13], "01a1dd80-90c4");
    let card = without_time(shown.split("\nRead this first").next().unwrap());
    let readme = include_str!("../../../../../README.md");
    let block = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(without_time(block).trim(), card.trim());
}

#[test]
fn help_and_modes() {
    let home = Home::new();
    shown("help", &home.run(&["--help"]).stdout);
    shown("help-debate", &home.run(&["debate", "--help"]).stdout);
    shown("modes", &home.run(&["modes"]).stdout);
    shown("mode-moderated", &home.run(&["modes", "moderated"]).stdout);
    shown("agents-none", &home.run(&["agents"]).stdout);
    shown("config-show", &home.run(&["config", "show", "--sources"]).stdout);
}
