//! Settings, profiles, init and doctor through the binary.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::support::Home;
use serde_json::Value;

fn config_file(home: &Home) -> PathBuf {
    home.path().join("config/roundtable/config.toml")
}

fn read(home: &Home) -> String {
    std::fs::read_to_string(config_file(home)).unwrap()
}

fn done(home: &Home, args: &[&str]) -> String {
    let did = home.run(args);
    assert_eq!(did.code, 0, "{args:?}: {did:#?}");
    did.stdout
}

fn shown(home: &Home, key: &str) -> Value {
    let all: Vec<Value> = serde_json::from_str(&done(home, &["config", "show", "--json"])).unwrap();
    all.into_iter().find(|row| row["key"] == key).unwrap()
}

#[test]
fn a_value_is_set_and_unset_and_comments_stay() {
    let home = Home::new();
    let text = "# ours\nrounds = 4 # enough\n\n[flags.exitCriteria]\n# early\nenabled = false\n";
    home.file("config/roundtable/config.toml", text);
    done(&home, &["config", "set", "rounds", "5"]);
    done(&home, &["config", "set", "exitCriteria.enabled", "true"]);
    done(&home, &["config", "set", "agents", "ollama/a, ollama/b"]);
    let now = read(&home);
    assert!(now.starts_with("# ours\nrounds = 5 # enough\n"), "{now}");
    assert!(now.contains("# early\nenabled = true\n"), "{now}");
    assert!(now.contains("agents = [\"ollama/a\", \"ollama/b\"]"), "{now}");
    assert_eq!(shown(&home, "rounds")["value"], 5);
    assert_eq!(shown(&home, "rounds")["source"], "config file");
    assert_eq!(shown(&home, "exitCriteria.enabled")["value"], true);
    done(&home, &["config", "unset", "rounds"]);
    assert_eq!(shown(&home, "rounds")["source"], "default");
    done(&home, &["config", "set-algorithm", "votes"]);
    assert_eq!(shown(&home, "algorithm")["value"], "votes");
}

#[test]
fn what_would_break_the_file_is_refused_and_nothing_is_written() {
    let home = Home::new();
    let rows = [
        (vec!["config", "set", "rownds", "3"], "did you mean rounds"),
        (vec!["config", "set", "rounds", "many"], "rounds"),
        (vec!["config", "set", "rounds", "99"], "1 to 20"),
        (vec!["config", "set", "mode", "duel"], "duel"),
        (vec!["config", "set", "temperature", "9"], "0 to 2"),
        (vec!["config", "set", "daily_budget", "-1"], "daily_budget"),
        (vec!["config", "set", "exitCriteria.enabled", "perhaps"], "true or false"),
        (vec!["config", "set", "providers.nobody.model", "x"], "nobody"),
        (vec!["config", "set", "providers.groq.base_url", "ftp://x"], "ftp"),
        (vec!["config", "set", "agents", "nobody/x"], "nobody"),
        (vec!["config", "set", "profile", "review"], "review"),
        (vec!["config", "set", "profiles.review.mood", "x"], "mood"),
        (vec!["config", "set-algorithm", "dice"], "dice"),
        (vec!["config", "unset", "rounds"], "does not set it"),
    ];
    for (args, expected) in rows {
        let message = home.refused(&args);
        assert!(message.contains(expected), "{args:?}: {message}");
        assert!(!config_file(&home).exists(), "{args:?} wrote a file");
    }
}

#[test]
fn a_profile_fills_what_was_not_said() {
    let home = Home::new();
    done(&home, &["config", "set", "profiles.quick.agents", "example"]);
    done(&home, &["config", "set", "profiles.quick.rounds", "1"]);
    done(&home, &["config", "set", "profiles.quick.about", "One round"]);
    assert!(done(&home, &["config", "profiles"]).contains("One round"));
    let held = |args: &[&str]| -> u64 {
        done(&home, args);
        let listed: Vec<Value> =
            serde_json::from_str(&done(&home, &["sessions", "list", "--json"])).unwrap();
        listed[0]["rounds"].as_u64().unwrap()
    };
    assert_eq!(held(&["debate", "--profile", "quick", "--quiet"]), 1);
    assert_eq!(held(&["debate", "--profile", "quick", "--rounds", "2", "--quiet"]), 2);
    done(&home, &["config", "set", "profile", "quick"]);
    assert_eq!(held(&["debate", "--quiet"]), 1);
    let message = home.run(&["debate", "--profile", "quik", "--quiet"]);
    assert_eq!(message.code, 2);
    assert!(message.stderr.contains("did you mean quick?"), "{message:#?}");
}

#[test]
fn init_writes_a_file_that_can_be_used_and_keeps_the_old_one() {
    let home = Home::new();
    assert!(home.refused(&["init"]).contains("--yes"));
    let dry = done(&home, &["init", "--yes", "--dry-run"]);
    assert!(!config_file(&home).exists());
    done(&home, &["init", "--yes"]);
    assert_eq!(read(&home), dry);
    assert!(home.refused(&["init", "--yes"]).contains("--force"));
    done(&home, &["config", "set", "rounds", "7"]);
    done(&home, &["init", "--yes", "--force"]);
    assert_eq!(read(&home), dry);
    let before = std::fs::read_to_string(config_file(&home).with_extension("toml.before")).unwrap();
    assert!(before.contains("rounds = 7"), "{before}");
    // What is only commented out must be right too.
    let live: String = dry
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if rest.contains(" = ") || rest.starts_with('[') => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    home.file("config/roundtable/config.toml", &live);
    done(&home, &["config", "show"]);
    assert_eq!(shown(&home, "rounds")["value"], 3);
}

#[test]
fn init_asks_on_a_terminal_and_an_empty_line_takes_the_suggestion() {
    let home = Home::new();
    let size = portable_pty::PtySize { rows: 30, cols: 90, pixel_width: 0, pixel_height: 0 };
    let pair = portable_pty::native_pty_system().openpty(size).unwrap();
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_roundtable"));
    command.arg("init");
    command.env_clear();
    for (name, value) in home.variables() {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut writer = pair.master.take_writer().unwrap();
    // No key. Who debates: as suggested. The limit: first nonsense, then 20. Search: off.
    writer.write_all(b"\n\nlots\n20\noff\n").unwrap();
    let mut shown = Vec::new();
    let _ = reader.read_to_end(&mut shown);
    let shown = String::from_utf8_lossy(&shown);
    assert!(child.wait().unwrap().success(), "{shown}");
    assert!(shown.contains("\"lots\" is not an amount"), "{shown}");
    let text = read(&home);
    assert!(
        text.contains("\ndaily_budget = 20.0\n") && text.contains("search = \"off\""),
        "{text}"
    );
}

#[test]
fn the_doctor_names_what_is_wrong_and_how_to_mend_it() {
    let home = Home::new();
    let did = home.run(&["doctor"]);
    assert_eq!(did.code, 1, "{did:#?}");
    assert!(did.stdout.contains("no model was found"), "{did:#?}");
    assert!(did.stdout.contains("→"), "{did:#?}");
    // A config that cannot be read is a finding, not the end.
    home.file("config/roundtable/config.toml", "rounds = [");
    let did = home.run(&["doctor", "--json"]);
    assert_eq!(did.code, 1, "{did:#?}");
    let findings: Vec<Value> = serde_json::from_str(&did.stdout).unwrap();
    assert!(
        findings.iter().any(|f| f["about"] == "config" && f["state"] == "bad"),
        "{findings:#?}"
    );
    std::fs::remove_file(config_file(&home)).unwrap();
    // A database that others can read.
    done(&home, &["debate", "--agents", "example", "--quiet"]);
    std::fs::set_permissions(home.database(), PermissionsExt::from_mode(0o644)).unwrap();
    let did = home.run(&["doctor"]);
    assert!(did.stdout.contains("chmod 600"), "{did:#?}");
    // A file that is no database of ours.
    std::fs::write(home.database(), "hello").unwrap();
    let did = home.run(&["doctor"]);
    assert_eq!(did.code, 1, "{did:#?}");
    assert!(did.stdout.contains("database\n"), "{did:#?}");
}

#[test]
fn a_place_that_takes_no_data_is_found_before_a_debate_is() {
    let home = Home::new();
    let file = home.file("in-the-way", "a file");
    let data = file.join("data").display().to_string();
    let there = [("ROUNDTABLE_DATA_DIR", data.as_str())];
    let did = home.run_with(&["debate", "--agents", "example", "--quiet"], &there);
    assert_eq!(did.code, 1, "{did:#?}");
    for part in ["in-the-way", "roundtable doctor", "ROUNDTABLE_DATA_DIR"] {
        assert!(did.stderr.contains(part), "{part}: {}", did.stderr);
    }
    let did = home.run_with(&["doctor", "--json"], &there);
    let findings: Vec<Value> = serde_json::from_str(&did.stdout).unwrap();
    let bad = |f: &&Value| f["about"] == "database" && f["state"] == "bad";
    let found = findings.iter().find(bad).unwrap_or_else(|| panic!("{findings:#?}"));
    assert!(found.to_string().contains("in-the-way"), "{found}");
}

#[test]
fn models_lists_what_is_known() {
    let home = Home::new();
    home.file("config/roundtable/config.toml", "[providers.ollama]\nmodel = \"mine\"\n");
    let did = home.run(&["models"]);
    assert_eq!(did.code, 0, "{did:#?}");
    assert!(did.stdout.contains("anthropic/") && did.stdout.contains("heavy"), "{}", did.stdout);
    let did = home.run(&["models", "--json"]);
    let known: Value = serde_json::from_str(&did.stdout).unwrap();
    assert!(known["date"].as_str().unwrap().starts_with("20"), "{known:#}");
    let models = known["models"].as_array().unwrap();
    let mine = models.iter().find(|row| row["model"] == "mine").unwrap();
    assert_eq!((&mine["provider"], &mine["tiers"][0]), (&"ollama".into(), &"heavy".into()));
    assert_eq!(mine["inputUsd"], 0.0);
    let priced = |row: &&Value| row["outputUsd"].as_f64().is_some_and(|usd| usd > 0.0);
    assert!(models.iter().filter(priced).count() > 5, "{known:#}");
}
