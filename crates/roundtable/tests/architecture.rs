//! The house rules of ARCHITECTURE.md, held by reading the source tree.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const MOST_LINES: usize = 500;

/// Crate and the crates of ours it may depend on.
const ROOMS: [(&str, &[&str]); 6] = [
    ("debate", &[]),
    ("inference", &[]),
    ("agents", &["debate", "inference"]),
    ("store", &["debate"]),
    ("roundtable", &["agents", "debate", "store"]),
    ("fake_provider", &[]),
];

/// What the heart must never touch.
const HEAVY: [&str; 7] = ["tokio", "reqwest", "sqlx", "axum", "rmcp", "clap", "futures"];

/// Inside `debate`: verbs import nouns, never one another.
const VERBS: [&str; 8] =
    ["analysis", "briefing", "casting", "learning", "ledger", "prompts", "reading", "safety"];

/// Inside `roundtable`: a layer may import those before it, faces never one another;
/// only the command line, which starts them, knows the others.
const LAYERS: [&[&str]; 7] = [
    &["clock", "config"],
    &["runner"],
    &["operations"],
    &["bench"],
    &["render"],
    &["mcp"],
    &["cli"],
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn sources(krate: &str) -> Vec<PathBuf> {
    files(&root().join("crates").join(krate).join("src"), ".rs")
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}

/// The code of a file: comments and string contents would only mislead.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

fn is_test(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy();
    name == "tests"
        || name.ends_with("_tests")
        || path.components().any(|c| c.as_os_str() == "tests")
}

fn dependencies(krate: &str) -> toml::Table {
    let text = fs::read_to_string(root().join("crates").join(krate).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = toml::from_str(&text).unwrap();
    manifest.get("dependencies").and_then(|d| d.as_table()).cloned().unwrap_or_default()
}

#[test]
fn crates_point_one_way() {
    let ours: BTreeSet<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
    for (krate, allowed) in ROOMS {
        for dependency in dependencies(krate).keys() {
            assert!(
                !ours.contains(dependency.as_str()) || allowed.contains(&dependency.as_str()),
                "{krate} must not depend on {dependency}"
            );
        }
    }
    let crates: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let known: BTreeSet<String> = ours.iter().map(ToString::to_string).collect();
    assert_eq!(crates, known, "a new crate needs a new kind of outside, and a row here");
}

#[test]
fn the_heart_touches_nothing() {
    let dependencies = dependencies("debate");
    for heavy in HEAVY {
        assert!(!dependencies.contains_key(heavy), "debate must not depend on {heavy}");
    }
    let doors = ["std::env", "std::fs", "std::net", "std::process", "SystemTime", "Instant::now"];
    for path in sources("debate").iter().filter(|path| !is_test(path)) {
        let code = code(path);
        for door in doors {
            assert!(!code.contains(door), "{} opens {door}", shown(path));
        }
    }
}

#[test]
fn verbs_import_nouns_and_never_one_another() {
    let src = root().join("crates/debate/src");
    for verb in VERBS {
        for path in files(&src.join(verb), ".rs").iter().filter(|path| !is_test(path)) {
            let code = code(path);
            for other in VERBS.iter().filter(|other| **other != verb) {
                assert!(
                    !code.contains(&format!("crate::{other}")),
                    "{} imports the verb {other}",
                    shown(path)
                );
            }
        }
    }
    for path in files(&src.join("model"), ".rs").iter().filter(|path| !is_test(path)) {
        for verb in VERBS {
            assert!(
                !code(path).contains(&format!("crate::{verb}")),
                "{} is a noun and imports the verb {verb}",
                shown(path)
            );
        }
    }
}

#[test]
fn the_engine_knows_no_mode_by_name() {
    let src = root().join("crates/debate/src");
    let names: Vec<&str> = debate::modes::all().iter().map(|plan| plan.name).collect();
    for path in sources("debate") {
        if path.starts_with(src.join("modes")) || is_test(&path) {
            continue;
        }
        for name in &names {
            assert!(
                !code(&path).contains(&format!("\"{name}\"")),
                "{} names the mode {name}",
                shown(&path)
            );
        }
    }
}

#[test]
fn the_binary_has_layers() {
    let src = root().join("crates/roundtable/src");
    for (level, names) in LAYERS.iter().enumerate() {
        for name in *names {
            let own: Vec<PathBuf> = files(&src.join(name), ".rs")
                .into_iter()
                .chain([src.join(format!("{name}.rs"))])
                .filter(|path| path.exists() && !is_test(path))
                .collect();
            assert!(!own.is_empty(), "there is no layer {name}");
            for path in own {
                for (other_level, others) in LAYERS.iter().enumerate() {
                    for other in others.iter().filter(|other| *other != name) {
                        let upward = other_level >= level;
                        assert!(
                            !(upward && code(&path).contains(&format!("crate::{other}"))),
                            "{} imports {other}, which stands above or beside it",
                            shown(&path)
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn files_stay_small_and_say_what_they_are() {
    let rust = files(&root().join("crates"), ".rs");
    assert!(rust.len() > 40, "the tree was not found");
    for path in rust {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines, at most {MOST_LINES}", shown(&path));
        let first = text.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("//!") || is_test(&path),
            "{} does not begin with what it is for",
            shown(&path)
        );
    }
}

#[test]
fn unit_tests_stand_in_sibling_files() {
    for (krate, _) in ROOMS {
        for path in sources(krate) {
            assert!(
                is_test(&path) || !code(&path).contains("#[test]"),
                "{} holds tests; move them to a sibling file",
                shown(&path)
            );
        }
    }
}

#[test]
fn rooms_have_no_vague_names() {
    for (krate, _) in ROOMS {
        for path in sources(krate) {
            let name = path.file_stem().unwrap().to_string_lossy().to_lowercase();
            let vague = ["utils", "util", "common", "helpers", "helper", "misc", "manager"];
            assert!(!vague.contains(&name.as_str()), "{} says nothing", shown(&path));
        }
    }
}

#[test]
fn every_mode_has_its_walk() {
    for plan in debate::modes::all() {
        let walk = root().join("crates/debate/tests/walks").join(format!("{}.txt", plan.name));
        assert!(walk.exists(), "{} has no walk", plan.name);
    }
}

#[test]
fn recorded_logs_are_never_edited() {
    let folder = root().join("crates/store/tests/data");
    let logs = files(&folder, ".jsonl");
    assert!(!logs.is_empty(), "there must be a recorded log of every version");
    for path in logs {
        for (index, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let event: Result<debate::model::Event, _> = serde_json::from_str(line);
            assert!(event.is_ok(), "{} line {}: {event:?}", shown(&path), index + 1);
        }
    }
}
