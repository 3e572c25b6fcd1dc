//! The rules of this house, held on this workspace. Each row says how many findings a
//! rule may have today, and the target of each is 0: the count may neither rise nor
//! stay behind what was reached. Everything that varies is data here at the top.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::fs;
use std::path::{Path, PathBuf};

use house::circles::Layers;
use house::doors::GuardedPath;
use house::tree::{SourceTree, walk};
use house::{
    Finding, booleans, circles, crates, doors, escapes, names, proofs, prose, recorded, refusals,
    sizes,
};

const LONGEST_FILE: usize = 500;
const LONGEST_FUNCTION: usize = 80;
const MOST_SIBLINGS: usize = 15;
/// Type names that several crates have, of a hundred.
const SHARED_NAMES: usize = 5;
/// Doc comments that begin with a question word, of a hundred.
const QUESTIONS: usize = 5;

/// The findings that each rule may have today. The target of every row is 0.
const TODAY: [(&str, usize); 28] = [
    ("crates point one way", 0),
    ("heavy things stay in their rooms", 0),
    ("no crate is passed on whole", 0),
    ("rooms inside a crate point one way", 0),
    ("no circle between files", 0),
    ("no type name twice in a crate", 0),
    ("few type names in several crates", 0),
    ("no bare participle, no vague noun", 0),
    ("no file with a vague name", 0),
    ("no enum that is a bool", 0),
    ("no match on a bool", 0),
    ("files are short", 0),
    ("functions are short", 0),
    ("folders are small", 1),
    ("files say what they are for", 0),
    ("doc comments have subjects", 0),
    ("unit tests in sibling files", 0),
    ("no test is ignored", 0),
    ("no assertion on elapsed time", 0),
    ("doors are opened in one place", 0),
    ("the heart opens no door", 0),
    ("the engine words no refusal", 0),
    ("no sentence is rewritten for another face", 0),
    ("no result of a result", 0),
    ("foreign text is escaped in one place", 0),
    ("no mode's name outside modes", 0),
    ("every mode has its walk", 0),
    ("recorded logs are never edited", 0),
];

/// Our crates, by the names of their libraries, and those of ours each may depend on.
const ROOMS: [(&str, &[&str]); 10] = [
    ("debate", &[]),
    ("inference", &[]),
    ("agents", &["debate", "inference"]),
    ("store", &["debate"]),
    ("engine", &["debate", "agents", "store"]),
    ("lab", &["debate", "agents", "store", "engine"]),
    ("roundtable", &["debate", "engine", "lab"]),
    // No rooms: the server that tests talk to, what tests share, and these rules.
    ("fake_provider", &[]),
    ("proof", &[]),
    ("house", &[]),
];

/// Things of the world that weigh much, and the rooms that may have them.
const HEAVY: [(&str, &[&str]); 12] = [
    ("tokio", &["agents", "store", "engine", "lab", "roundtable", "fake_provider"]),
    ("tokio-util", &["agents", "store", "engine", "lab", "roundtable"]),
    ("futures", &["agents", "store", "engine", "lab", "roundtable"]),
    ("reqwest", &["agents"]),
    ("sqlx", &["store"]),
    ("axum", &["roundtable"]),
    ("rmcp", &["roundtable"]),
    ("clap", &["roundtable"]),
    ("crossterm", &["roundtable"]),
    ("rusqlite", &[]),
    ("rand", &[]),
    ("fearless_simd", &["inference"]),
];

/// Rooms inside crates: each may use those of the rows before its own. Those that do
/// not exist, yet or any more, do no harm.
const LAYERS: [Layers<'_>; 2] = [
    Layers {
        folder: "roundtable",
        rows: &[
            &["clock", "config"],
            &["runner"],
            &["operations"],
            &["bench"],
            &["document"],
            &["terminal"],
            &["report"],
            &["operation"],
            &["mcp", "web"],
            &["openai"],
            &["cli"],
        ],
    },
    // Verbs use nouns, never one another.
    Layers {
        folder: "debate",
        rows: &[
            &["model"],
            &[
                "analysis", "briefing", "casting", "learning", "ledger", "prompts", "reading",
                "safety",
            ],
        ],
    },
];

const TEST_HELPERS: [&str; 3] = ["crates/fake_provider/", "crates/proof/", "crates/house/"];

const DOORS: [GuardedPath<'_>; 6] = [
    GuardedPath {
        name: "the environment",
        paths: &["std::env"],
        harmless: &["std::env::consts", "std::env::split_paths"],
        closed_in: "crates/",
        open_in: &[
            "crates/roundtable/src/config/environment.rs",
            "crates/engine/src/config/environment.rs",
        ],
    },
    GuardedPath {
        name: "the clock",
        paths: &[
            "std::time::SystemTime::now",
            "jiff::Timestamp::now",
            "jiff::Zoned::now",
            "uuid::Uuid::now_v7",
            "uuid::Uuid::new_v4",
        ],
        harmless: &[],
        closed_in: "crates/",
        open_in: &["crates/roundtable/src/clock.rs", "crates/engine/src/clock.rs"],
    },
    GuardedPath {
        name: "the terminal",
        paths: &[
            "std::io::stdout",
            "std::io::stderr",
            "println!",
            "print!",
            "eprintln!",
            "eprint!",
            "dbg!",
        ],
        harmless: &[],
        closed_in: "crates/",
        // The environment says whether a terminal is there.
        open_in: &[
            "crates/roundtable/src/terminal/",
            "crates/roundtable/src/config/environment.rs",
            "crates/engine/src/config/environment.rs",
        ],
    },
    GuardedPath {
        name: "the network",
        paths: &["reqwest", "std::net::TcpStream", "std::net::UdpSocket", "tokio::net::TcpStream"],
        harmless: &["reqwest::Url", "reqwest::header", "reqwest::StatusCode", "reqwest::Method"],
        closed_in: "crates/",
        open_in: &[
            "crates/agents/src/http.rs",
            "crates/agents/src/http_post.rs",
            "crates/agents/src/http/",
            "crates/agents/src/fetch.rs",
        ],
    },
    GuardedPath {
        name: "the database",
        paths: &["sqlx::sqlite::SqlitePoolOptions", "sqlx::pool", "sqlx::postgres::PgPoolOptions"],
        harmless: &[],
        closed_in: "crates/",
        open_in: &[
            "crates/store/src/schema.rs",
            "crates/store/src/sqlite/",
            "crates/store/src/postgres/",
        ],
    },
    GuardedPath {
        name: "the end of the process",
        paths: &["std::process::exit", "std::process::abort"],
        harmless: &[],
        closed_in: "crates/",
        // Besides `main`: a second Ctrl-C, and the points where tests kill the program.
        open_in: &[
            "crates/roundtable/src/main.rs",
            "crates/roundtable/src/cli/watch/signals.rs",
            "crates/engine/src/run/fail_points.rs",
        ],
    },
];

const HEART: [GuardedPath<'_>; 1] = [GuardedPath {
    name: "a door",
    paths: &[
        "std::env",
        "std::fs",
        "std::io",
        "std::net",
        "std::process",
        "std::thread",
        "std::time::SystemTime",
        "std::time::Instant",
        "std::collections::hash_map::RandomState",
    ],
    harmless: &[],
    closed_in: "crates/debate/",
    open_in: &[],
}];

/// A refusal in words, which only faces may make.
const WORDS: [GuardedPath<'_>; 1] = [GuardedPath {
    name: "the mouth of a face",
    paths: &["crate::error::EngineError::Face", "crate::error::EngineError::input"],
    harmless: &[],
    closed_in: "crates/engine/",
    open_in: &[],
}];

/// Where sentences for people and models are made.
const WORDED: [&str; 2] = ["crates/engine/src/", "crates/roundtable/src/"];
/// Templates whose places are filled by replacing their names.
const TEMPLATES: [&str; 2] =
    ["crates/roundtable/src/mcp/words/prompts.rs", "crates/roundtable/src/terminal/verdict/mod.rs"];

/// The crates that write for people, and the one room of theirs that escapes.
const ESCAPES_CLOSED_IN: [&str; 3] = ["crates/roundtable/", "crates/engine/", "crates/lab/"];
const ESCAPES_OPEN_IN: [&str; 1] = ["crates/roundtable/src/document/"];

/// Where modes may be named.
const MODES_FOLDER: &str = "crates/debate/src/modes";
const MODES_CLOSED_IN: &str = "crates/debate/";

/// The list of recorded logs with their hashes; `sha256sum --check` reads it too.
const RECORDED: &str = "crates/house/recorded.sha256";

/// Where the deadlines against hanging are.
const DEADLINES: [&str; 1] = ["crates/proof/"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The names of modes: the folders of `modes`.
fn modes() -> Vec<String> {
    let folders = fs::read_dir(root().join(MODES_FOLDER)).unwrap().map(|entry| entry.unwrap());
    let modes: Vec<String> = folders
        .filter(|entry| entry.path().is_dir() && entry.path().join("mod.rs").exists())
        .map(|entry| entry.file_name().to_string_lossy().replace('_', "-"))
        .collect();
    assert!(!modes.is_empty(), "there are no modes");
    modes
}

fn walks() -> Vec<Finding> {
    let walk = |mode: &String| root().join("crates/debate/tests/walks").join(format!("{mode}.txt"));
    let without = modes().into_iter().filter(|mode| !walk(mode).exists());
    without.map(|mode| Finding::new(mode, "has no recorded walk")).collect()
}

fn logs() -> Vec<(String, Vec<u8>)> {
    let mut logs = Vec::new();
    walk(&root(), &root().join("crates"), &mut |path, full| {
        if path.contains("/tests/") && path.ends_with(".jsonl") {
            logs.push((path.to_owned(), fs::read(full)?));
        }
        Ok(())
    })
    .unwrap();
    assert!(!logs.is_empty(), "there must be a recorded log of every version");
    logs
}

fn findings(rule: &str, tree: &SourceTree) -> Vec<Finding> {
    let packages = || crates::packages(&root()).unwrap();
    match rule {
        "crates point one way" => crates::one_way(&packages(), &ROOMS),
        "heavy things stay in their rooms" => crates::heavy(&packages(), &HEAVY),
        "no crate is passed on whole" => crates::passed_on(tree, &ROOMS, &HEAVY),
        "rooms inside a crate point one way" => {
            LAYERS.iter().flat_map(|layers| circles::upward(tree, layers)).collect()
        }
        "no circle between files" => circles::circles(tree),
        "no type name twice in a crate" => names::twice_in_a_crate(tree),
        "few type names in several crates" => names::shared_between_crates(tree, SHARED_NAMES),
        "no bare participle, no vague noun" => names::bare(tree),
        "no file with a vague name" => names::vague_files(tree),
        "no enum that is a bool" => booleans::yes_no_enums(tree),
        "no match on a bool" => booleans::bool_matches(tree),
        "files are short" => sizes::long_files(tree, LONGEST_FILE),
        "functions are short" => sizes::long_functions(tree, LONGEST_FUNCTION),
        "folders are small" => sizes::crowded_folders(tree, MOST_SIBLINGS),
        "files say what they are for" => sizes::unexplained(tree),
        "doc comments have subjects" => prose::questions(tree, QUESTIONS),
        "unit tests in sibling files" => proofs::inline_tests(tree),
        "no test is ignored" => proofs::ignored(tree),
        "no assertion on elapsed time" => proofs::timed(tree, &DEADLINES),
        "doors are opened in one place" => {
            let mut found = doors::opened(tree, &DOORS);
            found.retain(|one| !TEST_HELPERS.iter().any(|helper| one.place.starts_with(helper)));
            found
        }
        "the heart opens no door" => doors::opened(tree, &HEART),
        "the engine words no refusal" => doors::opened(tree, &WORDS),
        "no sentence is rewritten for another face" => {
            refusals::rewritten(tree, &WORDED, &TEMPLATES)
        }
        "no result of a result" => refusals::nested_results(tree),
        "foreign text is escaped in one place" => {
            escapes::by_hand(tree, &ESCAPES_CLOSED_IN, &ESCAPES_OPEN_IN)
        }
        "no mode's name outside modes" => {
            doors::words_in_code(tree, &modes(), MODES_CLOSED_IN, &[MODES_FOLDER])
        }
        "every mode has its walk" => walks(),
        "recorded logs are never edited" => {
            recorded::edited(&fs::read_to_string(root().join(RECORDED)).unwrap(), &logs())
        }
        other => panic!("no check for {other:?}"),
    }
}

/// All rules in one test, so that one run tells everything. `HOUSE=all` prints every
/// finding, `HOUSE=<part of a rule>` those of one rule.
#[test]
fn the_house_keeps_its_rules() {
    let tree = SourceTree::read(&root()).unwrap();
    assert!(tree.files.len() > 40, "the tree was not found");
    let asked = std::env::var("HOUSE").unwrap_or_default();
    let mut wrong = String::new();
    for (rule, allowed) in TODAY {
        let found = findings(rule, &tree);
        println!("{:>5} of {allowed:>5}  {rule}", found.len());
        let listed = asked == "all" || !asked.is_empty() && rule.contains(&asked);
        if listed {
            found.iter().for_each(|one| println!("       {one}"));
        }
        if found.len() < allowed {
            wrong +=
                &format!("\n(\"{rule}\", {}),   // lower the row: it was {allowed}\n", found.len());
        } else if found.len() > allowed {
            wrong += &format!("\n{rule}: {} findings, {allowed} allowed\n", found.len());
            for one in found.iter().take(if allowed == 0 { 12 } else { 300 }) {
                wrong += &format!("    {one}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
