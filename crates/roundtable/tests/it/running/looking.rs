//! Looking at stored debates: filters, search, one answer, one agent's path,
//! the sources, two debates side by side. And what is put on the table first.

use crate::support::{Did, Home};
use serde_json::{Value, json};

const EXAMPLE: &str =
    "Should a five-person startup build its product as microservices or as a modular monolith?";

fn script(home: &Home, name: &str, said: &str) -> String {
    let turn = json!({ "answer": { "position": said, "reasoning": format!("{said} It is so."),
        "keyPoints": ["a"], "confidence": 0.6, "claims": [], "citations": [],
        "vote": { "ballot": "ACCEPT" } } });
    let script = json!({ "topic": "Is it so?", "agent": [{ "name": "One", "turn": [turn] },
        { "name": "Two", "turn": [turn] }] });
    home.file(name, &script.to_string()).display().to_string()
}

fn listed(home: &Home, args: &[&str]) -> Vec<Value> {
    let did = home.run(&[&["sessions", "list", "--json"], args].concat());
    assert_eq!(did.code, 0, "{args:?}: {did:#?}");
    serde_json::from_str(&did.stdout).unwrap()
}

fn example(home: &Home) -> String {
    assert_eq!(home.run(&["debate", EXAMPLE, "--quiet"]).code, 0);
    listed(home, &[])[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn debates_are_found_by_what_they_are_and_by_what_was_said() {
    let home = Home::new();
    example(&home);
    let quiet = ["--rounds", "1", "--clerk=none", "--quiet"];
    for (name, said, mode) in [
        ("a.json", "The harbour freezes over.", "collaborative"),
        ("b.json", "Ferries run all year.", "delphi"),
    ] {
        let script = script(&home, name, said);
        let args = ["debate", "--script", &script, "--mode", mode];
        assert_eq!(home.run(&[&args[..], &quiet].concat()).code, 0);
    }
    for (args, wanted) in [
        (vec!["--mode", "delphi"], 1),
        (vec!["--status", "completed"], 3),
        (vec!["--status", "paused"], 0),
        (vec!["--search", "harbour freezes"], 1),
        (vec!["--search", "FERRIES"], 1),
        (vec!["--search", "startup build"], 1),
        (vec!["--search", "deadline pressure"], 1),
        (vec!["--search", "100 % sure"], 0),
        (vec!["--agent", "brook"], 1),
        (vec!["--agent", "script/"], 2),
        (vec!["--since", "1h"], 3),
        (vec!["--until", "1h"], 0),
        (vec!["--since", "2020-01-01", "--until", "2021-01-01"], 0),
        (vec!["--limit", "2"], 2),
        (vec!["--mode", "delphi", "--search", "harbour"], 0),
    ] {
        assert_eq!(listed(&home, &args).len(), wanted, "{args:?}");
    }
    let none = home.run(&["sessions", "list", "--search", "walrus"]);
    assert_eq!(none.stdout, "No debate matches.\n");
    let did = home.run(&[
        "sessions", "list", "--status", "done", "--mode", "delfi", "--since", "soon", "--until",
        "7y",
    ]);
    assert_eq!(did.code, 2);
    for part in ["status: \"done\"", "delphi", "since: \"soon\"", "until: \"7y\"", "7d"] {
        assert!(did.stderr.contains(part), "{part} is missing in {}", did.stderr);
    }
}

#[test]
fn one_answer_one_path_and_the_sources_can_be_seen_alone() {
    let home = Home::new();
    let id = example(&home);
    let show = |args: &[&str]| -> Did { home.run(&[&["sessions", "show", &id], args].concat()) };
    let answer = show(&["--answer", "brook@1"]);
    assert!(answer.stdout.contains("A process boundary is a rule that nobody has to remember"));
    assert!(!answer.stdout.contains("Ada"), "{}", answer.stdout);
    let last: Value = serde_json::from_str(&show(&["--answer", "2", "--json"]).stdout).unwrap();
    assert_eq!((&last["agent"], &last["round"]), (&json!("Brook"), &json!(3)));

    let path = show(&["--agent", "Brook"]);
    for part in ["Round 1", "Round 3", "votes ACCEPT", "changed its mind on new evidence (E1)"] {
        assert!(path.stdout.contains(part), "{part} is missing in\n{}", path.stdout);
    }
    let path: Value = serde_json::from_str(&show(&["--agent", "Brook", "--json"]).stdout).unwrap();
    assert_eq!(path["path"].as_array().unwrap().len(), 3);
    assert_eq!(path["path"][1]["changeOfMind"]["basis"], "newEvidence");

    let sources = show(&["--citations"]);
    assert!(sources.stdout.contains("7 sources") && sources.stdout.contains("cited by Brook"));
    let sources: Value = serde_json::from_str(&show(&["--citations", "--json"]).stdout).unwrap();
    assert_eq!(sources[2]["id"], "E3");

    for (args, part) in [
        (vec!["--answer", "Bork"], "did you mean Brook?"),
        (vec!["--answer", "Brook@9"], "has held 3"),
        (vec!["--agent", "9"], "there are: Ada, Brook, Chen"),
        (vec!["--round", "9"], "has held 3"),
        (vec!["--round", "1", "--citations"], "cannot be used with"),
    ] {
        let did = show(&args);
        assert_eq!((did.code, did.stdout.as_str()), (2, ""), "{args:?}: {did:#?}");
        assert!(did.stderr.contains(part), "{args:?}: {}", did.stderr);
    }
}

#[test]
fn any_two_debates_can_be_compared() {
    let home = Home::new();
    let first = example(&home);
    let script = script(&home, "a.json", "The harbour freezes over.");
    let args = ["debate", "--script", &script, "--rounds", "1", "--clerk=none", "--quiet"];
    assert_eq!(home.run(&args).code, 0);
    let second = listed(&home, &[])[0]["id"].as_str().unwrap().to_owned();
    let did = home.run(&["compare", &first, &second]);
    for part in [
        "Is it so?",
        "The harbour freezes over.",
        "first vote:",
        "still contested",
        "Only the first",
        "MonolithFirst",
        "Differences of the second from the first",
    ] {
        assert!(did.stdout.contains(part), "{part} is missing in\n{}", did.stdout);
    }
    let json: Value =
        serde_json::from_str(&home.run(&["compare", &first, &second, "--json"]).stdout).unwrap();
    assert_eq!(json["first"]["claims"], 18);
    assert_eq!(json["second"]["finalVote"][0]["agents"], json!(["One", "Two"]));
    assert_eq!(json["sources"]["onlyFirst"].as_array().unwrap().len(), 7);
    let same: Value =
        serde_json::from_str(&home.run(&["compare", &first, &first, "--json"]).stdout).unwrap();
    assert_eq!(same["sources"]["both"].as_array().unwrap().len(), 7);
}

/// The names of what lay on the table in the newest debate.
fn attached(home: &Home) -> Vec<String> {
    let id = listed(home, &[])[0]["id"].as_str().unwrap().to_owned();
    let json: Value =
        serde_json::from_str(&home.run(&["sessions", "show", &id, "--json"]).stdout).unwrap();
    let files = json["brief"]["attachments"].as_array().unwrap();
    files.iter().map(|file| file["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn folders_and_pipes_are_put_on_the_table_and_what_is_left_out_is_said() {
    let home = Home::new();
    let script = script(&home, "a.json", "Yes.");
    home.file("notes/b/second.md", "second");
    home.file("notes/a.md", "first");
    home.file("notes/.hidden.md", "hidden");
    home.file("notes/.gitignore", "*.log\nbuild/\n");
    home.file("notes/noise.log", "noise");
    home.file("notes/build/out.md", "out");
    home.file("notes/private/key.md", "secret");
    home.file("notes/.roundtableignore", "private/\n");
    home.file("notes/empty.md", " \n");
    std::fs::write(home.path().join("notes/picture.png"), b"\x89PNG\0\0").unwrap();
    home.file("notes/huge.txt", &"x".repeat(200_000));
    std::os::unix::fs::symlink("/etc/hostname", home.path().join("notes/link.md")).unwrap();
    let base = ["debate", "--script", &script, "--rounds", "1", "--clerk=none", "--quiet"];
    let output = home
        .command()
        .args([&base[..], &["--context", "notes", "--context", "-"]].concat())
        .write_stdin("piped words")
        .output()
        .unwrap();
    let notes = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{notes}");
    assert_eq!(attached(&home), ["notes/a.md", "notes/b/second.md", "standard input"]);
    for part in
        ["2 files", "picture.png: it is binary", "empty.md: it is empty", "huge.txt: it has"]
    {
        assert!(notes.contains(part), "{part} is missing in {notes}");
    }
    for secret in ["hidden.md", "noise.log", "key.md", "hostname"] {
        assert!(!notes.contains(secret), "{secret} was looked at: {notes}");
    }
}

#[test]
fn a_folder_brings_along_no_more_than_its_budget_and_always_the_same() {
    let home = Home::new();
    let script = script(&home, "a.json", "Yes.");
    for number in 0..9 {
        home.file(&format!("big/{number}.txt"), &"many words ".repeat(9_000));
    }
    let base = ["debate", "--script", &script, "--rounds", "1", "--clerk=none", "--quiet"];
    let did = home.run(&[&base[..], &["--context", "big"]].concat());
    assert_eq!(did.code, 0, "{did:#?}");
    assert_eq!(attached(&home), ["big/0.txt", "big/1.txt", "big/2.txt", "big/3.txt", "big/4.txt"]);
    for part in ["5 files", "left out 5.txt", "bytes are used up", "shown about 8000"] {
        assert!(did.stderr.contains(part), "{part} is missing in {}", did.stderr);
    }
}

#[test]
fn context_that_cannot_be_used_is_named_all_at_once() {
    let home = Home::new();
    let script = script(&home, "a.json", "Yes.");
    std::fs::create_dir(home.path().join("empty")).unwrap();
    std::fs::write(home.path().join("binary"), [0, 159]).unwrap();
    let message = home.refused(&[
        "debate",
        "--script",
        &script,
        "--context",
        "missing.md",
        "--context",
        "empty",
        "--context",
        "binary",
        "--rounds",
        "99",
    ]);
    for part in ["missing.md", "empty: no file in it", "binary: it is binary", "rounds"] {
        assert!(message.contains(part), "{part} is missing in {message}");
    }
    let twice = home.refused(&["debate", "-", "--context", "-", "--script", &script]);
    assert!(twice.contains("standard input can be read once"), "{twice}");
}
