//! Every example of every `--help` is run, as a reader would type it, against a
//! data directory of its own and a model server on loopback.

use std::sync::Arc;

use crate::support::{Did, Home};
use fake_provider::{FakeOptions, FakeProvider};

/// Examples that are only understood, not run, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("models fetch", "it downloads weights"),
    ("config calibrate", "it needs an embedder in the config file"),
    ("serve", "it serves until it is told to go"),
    ("open", "it serves until it is told to go"),
    ("mcp", "it serves until its input ends"),
];

/// Examples that need something this place has not; they are run all the same, and
/// may be refused, but not because they could not be understood.
const NEEDS: &[(&str, &str)] = &[
    ("show 0199 --answer", "an agent of that name"),
    ("show 0199 --agent", "an agent of that name"),
    ("sessions answer", "a debate that waits for an answer"),
    ("sessions import", "a debate of another place"),
    ("outcome assess", "a person's judgement"),
    ("learning --domain", "outcomes"),
    ("learning export", "outcomes"),
    ("learning import", "somebody else's lessons"),
    ("bench run my-scenario.toml", "a scenario of one's own"),
    ("bench run --resume", "a run that was cut off"),
    ("bench compare", "those runs"),
    ("bench quality", "a file of questions"),
    ("outcome show", "an outcome"),
    ("outcome undo", "an outcome"),
    ("config set-key", "a key on standard input"),
    ("config remove-key", "a key that was kept"),
    ("people role", "a person"),
    ("people budget", "a person"),
    ("people token", "a person"),
    ("people remove", "a person"),
    ("doctor", "a machine where all is well"),
    ("store move", "a database server"),
];

/// Commands whose debate must still be under way.
const UNDER_WAY: &[&str] = &[
    "resume",
    "sessions resume",
    "sessions pause",
    "sessions stop",
    "sessions interject",
    "sessions focus",
];

/// Commands that need a place where nothing has been debated yet.
const IN_AN_EMPTY_PLACE: &[&str] = &["restore"];

/// Fits a debate, and what a clerk is asked for.
const ANSWER: &str = r#"{"position":"In stages.","reasoning":"It is cheaper [ASSUME].","keyPoints":["cheaper","safer"],"confidence":0.5,"vote":{"ballot":"ACCEPT"},"claims":[{"text":"Stages are cheaper.","label":"ASSUME","evidenceType":"SPECULATIVE","citations":[]}],"citations":[],"conclusion":{"text":"In stages.","claims":[]},"recommendation":{"text":"Begin.","claims":[]},"commonGround":[],"keyDifferences":[],"evolution":[]}"#;

const AGENTS: &str = "ollama/llama3.2,ollama/qwen3";

struct Table {
    home: Home,
    server: String,
}

impl Table {
    fn new(server: &str) -> Table {
        let home = Home::new();
        home.file("design.md", "# A design\n\nThree parts.");
        home.file("notes.md", "Notes.");
        home.file("docs/decisions/README.md", "Decisions.");
        Table { home, server: server.into() }
    }

    fn run(&self, words: &[&str], more: &[(&str, &str)]) -> Did {
        let mut variables = vec![("OLLAMA_BASE_URL", self.server.as_str())];
        variables.extend(more);
        self.home.run_with(words, &variables)
    }

    fn newest(&self) -> String {
        let did = self.run(&["sessions", "list", "--json"], &[]);
        let listed: serde_json::Value = serde_json::from_str(&did.stdout).unwrap();
        listed[0]["id"].as_str().unwrap().to_owned()
    }

    fn finished(&self) -> String {
        let words = ["debate", "--agents", AGENTS, "--rounds", "2", "-q", "How is billing done?"];
        let did = self.run(&words, &[]);
        assert_eq!(did.code, 0, "{did:#?}");
        self.newest()
    }

    /// A debate whose process was killed: active, and nobody runs it.
    fn under_way(&self) -> String {
        let words = ["debate", "--agents", AGENTS, "--rounds", "2", "-q", "How far?"];
        self.run(&words, &[("ROUNDTABLE_FAILPOINT", "after_T2")]);
        self.newest()
    }
}

/// The words of a command line; what a shell does with its output is left out.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '|' | '>' | '#' if !quoted => break,
            ' ' if !quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words.into_iter().skip(1).collect()
}

/// Every command with its help, found by asking for help.
fn helps(home: &Home, path: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let mut args: Vec<&str> = path.iter().map(String::as_str).collect();
    args.push("--help");
    let did = home.run(&args);
    assert_eq!(did.code, 0, "{args:?}: {did:#?}");
    let lines: Vec<&str> = did.stdout.lines().collect();
    let from = lines.iter().position(|line| *line == "Commands:");
    let below: Vec<String> = lines
        .iter()
        .skip(from.map_or(lines.len(), |at| at + 1))
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    for name in below {
        let path: Vec<String> = path.iter().cloned().chain([name]).collect();
        helps(home, &path, found);
    }
    found.push((path.to_vec(), did.stdout));
}

fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().map(str::trim);
    // A usage line names what to put in; an example has it.
    let lines = lines.filter(|line| !line.contains('<'));
    lines.filter(|line| line.starts_with("roundtable ")).map(str::to_owned).collect()
}

/// Covers: 13.2-examples
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_example_of_every_help_runs() {
    let options = FakeOptions {
        answer: Arc::new(|_| ANSWER.to_owned()),
        models: vec!["llama3.2".into(), "qwen3".into()],
        ..FakeOptions::default()
    };
    let server = FakeProvider::start(options).await.unwrap();
    let url = server.base_url();
    tokio::task::spawn_blocking(move || run_all(&url)).await.unwrap();
}

fn run_all(url: &str) {
    let table = Table::new(url);
    let (first, second) = (table.finished(), table.finished());
    let copied = table.run(&["backup", "backup.db"], &[]);
    assert_eq!(copied.code, 0, "{copied:#?}");
    let mut all = Vec::new();
    helps(&table.home, &[], &mut all);
    let readme = include_str!("../../../../../README.md");
    // The card in it is the output of a debate that is not here.
    let typed = readme.split("```").filter(|part| !part.starts_with("text\n"));
    all.push((vec!["README.md".into()], typed.collect()));
    let mut seen = std::collections::HashSet::new();
    let (mut run, mut missing, mut wrong) = (0, Vec::new(), Vec::new());
    for (path, help) in &all {
        let examples = examples(help);
        if examples.is_empty() && !help.contains("\nCommands:") {
            missing.push(path.join(" "));
        }
        for example in examples {
            // The same command may stand under another name too.
            if !seen.insert(example.clone()) {
                continue;
            }
            let words = split(&example);
            let begins = |rows: &str| words.join(" ").starts_with(rows);
            if NOT_RUN.iter().any(|(row, _)| begins(row)) {
                continue;
            }
            let (place, id) = match () {
                () if UNDER_WAY.iter().any(|row| begins(row)) => (None, table.under_way()),
                () if begins("sessions delete") => (None, table.finished()),
                () if IN_AN_EMPTY_PLACE.iter().any(|row| begins(row)) => {
                    let empty = Table::new(url);
                    let copy = std::fs::read(table.home.path().join("backup.db")).unwrap();
                    std::fs::write(empty.home.path().join("roundtable-backup.db"), copy).unwrap();
                    (Some(empty), first.clone())
                }
                () => (None, first.clone()),
            };
            let real: Vec<String> = words
                .iter()
                .map(|word| match word.as_str() {
                    "0199" => id.clone(),
                    "01a0" => second.clone(),
                    other => other.to_owned(),
                })
                .collect();
            let real: Vec<&str> = real.iter().map(String::as_str).collect();
            let did = place.as_ref().unwrap_or(&table).run(&real, &[]);
            run += 1;
            let lacks = NEEDS.iter().any(|(row, _)| begins(row));
            if lacks && did.code != 0 {
                let understood = !did.stderr.contains("Usage:") && !did.stderr.contains("--help");
                assert!(understood, "{example}: {did:#?}");
                continue;
            }
            if did.code != 0 {
                wrong.push(format!("{example}\n  {}: {}{}", did.code, did.stdout, did.stderr));
            }
        }
    }
    // Commands in the midst of a sentence or a table stand for what can be given to them.
    for named in readme.split('`').filter(|part| part.starts_with("roundtable ")) {
        let words = split(named);
        let mut asked: Vec<&str> = words.iter().map(String::as_str).collect();
        asked.push("--help");
        let did = table.run(&asked, &[]);
        if did.code != 0 && !named.contains('"') {
            wrong.push(format!("{named} in the README\n  {}: {}", did.code, did.stderr));
        }
    }
    assert!(wrong.is_empty(), "these examples fail:\n{}", wrong.join("\n"));
    assert!(missing.is_empty(), "these commands have no example: {}", missing.join(", "));
    println!("{run} examples of {} commands run", all.len());
    assert!(run >= 40, "only {run} examples were found");
}
