//! Flags and settings: the nearer source wins, and errors name what is allowed.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::config::flags::resolve;
use crate::config::*;
use crate::error::{At, Problem, Refusal};

fn resolved(
    file: Value,
    environment: &[(&str, &str)],
    overrides: &[(&str, &str)],
) -> ResolvedFlags {
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    resolve(&file, &Environment::of(environment), &overrides).unwrap()
}

/// Covers: 15-flags
#[test]
fn the_nearer_source_wins_field_by_field() {
    let file = json!({"exitCriteria": {"enabled": true, "consensusThreshold": 0.7}});
    let environment = [("ROUNDTABLE_EXIT_CONSENSUS", "0.8")];
    let all = resolved(file, &environment, &[("exitCriteria.convergenceRounds", "4")]);
    let exit = &all.flags.exit_criteria;
    assert!(exit.enabled);
    assert_eq!((exit.consensus_threshold, exit.convergence_rounds), (0.8, 4));
    assert_eq!(all.sources["exitCriteria.enabled"], ValueSource::File);
    assert_eq!(
        all.sources["exitCriteria.consensusThreshold"],
        ValueSource::Environment("ROUNDTABLE_EXIT_CONSENSUS".into())
    );
    assert_eq!(all.sources["exitCriteria.convergenceRounds"], ValueSource::ThisDebate);
    assert_eq!(all.sources["exitCriteria.confidenceThreshold"], ValueSource::Default);
}

/// Covers: 15-flags
#[test]
fn an_override_beats_the_environment() {
    let environment = [("ROUNDTABLE_PARALLEL_LEVEL", "full")];
    let key = "sequentialParallelization.level";
    let all = resolved(json!({}), &environment, &[(key, "last-only")]);
    assert_eq!(
        all.flags.sequential_parallelization.level,
        Some(debate::model::ParallelLevel::LastOnly)
    );
    assert_eq!(all.sources[key], ValueSource::ThisDebate);
}

/// Covers: 15-unreadable
#[test]
fn a_value_that_cannot_be_read_names_its_variable_and_what_is_allowed() {
    let environment = Environment::of(&[
        ("ROUNDTABLE_EXIT_ENABLED", "maybe"),
        ("ROUNDTABLE_GROUPTHINK_THRESHOLD", "1.5"),
    ]);
    let found = resolve(&json!({}), &environment, &[]).unwrap_err().refusals();
    for (variable, given, allowed) in [
        ("ROUNDTABLE_EXIT_ENABLED", "maybe", "true or false"),
        ("ROUNDTABLE_GROUPTHINK_THRESHOLD", "1.5", "a number from 0 to 1"),
    ] {
        let wanted = Refusal::new(At::Variable(variable.into()), Problem::malformed(allowed));
        assert!(found.contains(&wanted.given(given)), "{found:?}");
    }
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn an_unknown_flag_gets_the_nearest_names() {
    let overrides = [("exitCriteria.enable".to_string(), "true".to_string())];
    let found = resolve(&json!({}), &Environment::default(), &overrides).unwrap_err().refusals();
    let [Refusal { problem: Problem::Unknown { near, .. }, .. }] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(near.first().map(String::as_str), Some("exitCriteria.enabled"));
}

#[test]
fn every_key_of_the_file_is_a_setting_or_a_table() {
    let error = toml::from_str::<FileConfig>("nothing = 1").unwrap_err();
    // The names between the backticks, after the unknown one; a capital is an older spelling.
    let keys = error.message().split('`').skip(1).step_by(2).skip(1);
    let keys: BTreeSet<&str> = keys.filter(|key| !key.contains(char::is_uppercase)).collect();
    let rows = SETTING_ROWS.iter().map(|row| row.key);
    assert_eq!(keys, rows.chain(TABLES).collect());
}

#[test]
fn every_flag_row_is_a_real_field() {
    let defaults = serde_json::to_value(debate::model::Flags::default()).unwrap();
    for row in FLAG_ROWS {
        let pointer = format!("/{}", row.key.replace('.', "/"));
        assert!(defaults.pointer(&pointer).is_some(), "{} is no field", row.key);
        assert!(!row.help.is_empty());
    }
}

#[test]
fn the_environment_never_prints_its_values() {
    let environment = Environment::of(&[("OPENAI_API_KEY", "sk-canary")]);
    assert!(!format!("{environment:?}").contains("canary"));
}

#[test]
fn a_placeholder_that_was_not_filled_in_is_no_value() {
    let environment = Environment::of(&[
        ("ANTHROPIC_API_KEY", "${user_config.anthropic_api_key}"),
        ("OPENAI_API_KEY", "  "),
        ("GEMINI_API_KEY", "a$key{with}braces"),
    ]);
    assert_eq!(environment.get("ANTHROPIC_API_KEY"), None);
    assert_eq!(environment.get("OPENAI_API_KEY"), None);
    assert_eq!(environment.get("GEMINI_API_KEY"), Some("a$key{with}braces"));
}

#[test]
fn debates_are_kept_in_a_file_unless_a_server_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.toml");
    let keeps_file = |text: &str, variables: &[(&str, &str)]| {
        std::fs::write(&file, text).unwrap();
        let named = [("ROUNDTABLE_CONFIG", file.to_str().unwrap())];
        crate::config::keeps_file(&Environment::of(&[variables, &named].concat()))
    };
    let server = "[server]\ndatabase_url = \"postgres://me@localhost/debates\"\n";
    assert!(keeps_file("", &[]));
    assert!(!keeps_file(server, &[]));
    assert!(!keeps_file("", &[("ROUNDTABLE_DATABASE_URL", "postgres://me@localhost/debates")]));
    // What is wrong is refused later.
    assert!(keeps_file("rounds = ", &[]));
    assert!(keeps_file(server, &[("ROUNDTABLE_DATABASE_URL", "nonsense")]));
}
