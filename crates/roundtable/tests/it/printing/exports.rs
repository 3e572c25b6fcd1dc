//! Debates that leave the program in every format, and come back.

use std::fs;

use crate::support::Home;
use serde_json::{Value, json};

const EXAMPLE: &str =
    "Should a five-person startup build its product as microservices or as a modular monolith?";

fn newest(home: &Home) -> String {
    let listed: Vec<Value> =
        serde_json::from_str(&home.run(&["sessions", "list", "--json"]).stdout).unwrap();
    listed[0]["id"].as_str().unwrap().to_owned()
}

fn example(home: &Home) -> String {
    assert_eq!(home.run(&["debate", EXAMPLE, "--quiet"]).code, 0);
    newest(home)
}

fn export(home: &Home, id: &str, format: &str) -> String {
    let did = home.run(&["sessions", "export", id, "--format", format]);
    assert_eq!(did.code, 0, "{format}: {did:#?}");
    did.stdout
}

/// Three agents of whom one never answers; everyone else agrees at once. With
/// the safety checks set off by the topic.
fn troubled(home: &Home) -> String {
    let mut agents = Vec::new();
    for name in ["One", "Two", "Three"] {
        let turn = match name {
            "Two" => {
                json!({ "fail": { "class": "overloaded", "message": "the provider is down" } })
            }
            _ => json!({ "answer": {
                "position": "Yes, patch it now.", "reasoning": "It is so [1].", "keyPoints": ["a", "b"],
                "confidence": 0.95,
                "claims": [{ "text": format!("{name} saw the report"), "label": "FACT",
                    "evidenceType": "DOCUMENTED", "citations": [1] }],
                "citations": [{ "number": 1, "title": format!("Report of {name}") }],
                "vote": { "ballot": "ACCEPT" } } }),
        };
        agents.push(json!({ "name": name, "turn": [turn] }));
    }
    let script =
        json!({ "topic": "Should we disclose the exploit in our login page?", "agent": agents });
    let script = home.file("troubled.json", &script.to_string()).display().to_string();
    let args = ["debate", "--script", &script, "--rounds", "1", "--clerk=none", "--quiet"];
    assert_eq!(home.run(&args).code, 0);
    newest(home)
}

/// The text of an HTML page.
fn without_tags(page: &str) -> String {
    page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect()
}

/// Covers: 13.4-notices
#[test]
fn every_format_tells_of_gaps_groupthink_and_safety() {
    let home = Home::new();
    let id = troubled(&home);
    for format in home.formats() {
        let text = export(&home, &id, &format);
        // Mermaid and Argdown write some signs in their own way; words stay words.
        let plain = text.replace("<br/>", " ").replace(['\\', '*'], "");
        let plain = if format == "html" { without_tags(&plain) } else { plain };
        for part in ["the provider is down", "Two gave no answer", "roupthink", "Safety"] {
            // In JSON the kind is a name of its own.
            let part = if format == "json" && part == "Safety" { "safety" } else { part };
            assert!(plain.contains(part), "{format}: {part} is missing in\n{text}");
        }
    }
}

/// Covers: 3.3-citations
#[test]
fn citations_are_put_into_one_list() {
    let home = Home::new();
    let id = example(&home);
    let text = export(&home, &id, "markdown");
    let references = text.split("## References").nth(1).unwrap().split("## ").next().unwrap();
    // Brook's own [1] is the third source of the debate.
    let brook = text.split("#### Brook").nth(1).unwrap().split("#### Chen").next().unwrap();
    assert!(brook.contains("[FACT][3]") && !brook.contains("[FACT][1]"), "{brook}");
    let third = references.lines().find(|line| line.starts_with("3. ")).unwrap();
    assert!(third.contains("Don't start with a monolith"), "{third}");
    assert!(third.contains("<https://martinfowler.com/articles/dont-start-monolith.html>"));
    assert!(third.contains("cited by Brook"), "{third}");
    let numbered = references.lines().filter(|line| line.contains("(cited by")).count();
    assert_eq!(numbered, 7, "{references}");
}

/// Covers: 6-state
#[test]
fn the_state_leaves_in_its_published_shape() {
    let home = Home::new();
    let id = example(&home);
    let json: Value = serde_json::from_str(&export(&home, &id, "json")).unwrap();
    let state = &json["state"];
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    for (list, fields) in [
        (
            "claims",
            vec![
                "id",
                "text",
                "label",
                "status",
                "introducedRound",
                "lastUpdatedRound",
                "support",
                "opposition",
            ],
        ),
        ("evidence", vec!["id", "kind", "title", "url", "supports", "gist", "addedRound"]),
        ("agentStatus", vec!["agent", "stance", "confidence", "confidenceDelta", "vote"]),
    ] {
        let first = &state[list][0];
        for field in fields {
            assert!(keys(first).contains(&field.to_string()), "{list} lacks {field}: {first}");
        }
    }
    assert_eq!(state["claims"][0]["support"], json!(["E1", "C14"]));
    assert_eq!(state["claims"][4]["opposition"], json!(["C10"]));
    assert_eq!(state["agentStatus"][1]["agent"], "Brook");
    assert_eq!(state["agentStatus"][1]["vote"], "ACCEPT");
    let ada = &json["rounds"][1]["agentResponses"][0];
    assert_eq!(ada["claimsTouched"]["introduced"], json!(["C10", "C11"]));
    assert_eq!(ada["claimsTouched"]["challenged"], json!(["C5"]));
    assert_eq!(ada["directRepliesTo"], json!(["Brook", "Chen"]));
    assert_eq!(ada["citationsUsed"], json!(["E6"]));
}

/// Covers: 13.4-import
#[test]
fn a_debate_comes_back_to_the_last_byte() {
    let home = Home::new();
    let id = example(&home);
    let before = export(&home, &id, "json");
    let shown = home.run(&["sessions", "show", &id, "--json"]).stdout;
    let file = home.file("debate.json", &before).display().to_string();

    let again = home.run(&["sessions", "import", &file]);
    assert_eq!(again.code, 2, "{again:#?}");
    assert!(again.stderr.contains("exactly this log"), "{}", again.stderr);
    assert!(again.stderr.contains("--as-copy"), "{}", again.stderr);

    // Into another home, as from a colleague.
    let other = Home::new();
    let did = other.run(&["sessions", "import", &file]);
    assert_eq!(did.code, 0, "{did:#?}");
    assert_eq!(export(&other, &id, "json"), before);
    assert_eq!(other.run(&["sessions", "show", &id, "--json"]).stdout, shown);
    let costs = other.run(&["costs", "--json"]).stdout;
    assert!(!costs.contains(&id), "what was spent elsewhere is in the books: {costs}");

    let copy = other.run(&["sessions", "import", &file, "--as-copy"]);
    assert_eq!(copy.code, 0, "{copy:#?}");
    let new = copy.stderr.split_whitespace().last().unwrap().to_owned();
    assert_ne!(new, id);
    let copied: Value = serde_json::from_str(&export(&other, &new, "json")).unwrap();
    let original: Value = serde_json::from_str(&before).unwrap();
    assert_eq!(copied["verdict"], original["verdict"]);
    let events = |json: &Value| -> Vec<Value> {
        json["log"].as_array().unwrap().iter().map(|entry| entry["event"].clone()).collect()
    };
    assert_eq!(events(&copied), events(&original));
    assert_ne!(copied["log"][0]["hash"], original["log"][0]["hash"]);
}

/// What is refused, and where the message must point.
#[test]
fn a_file_that_was_cut_or_edited_is_refused_with_the_place() {
    let home = Home::new();
    let id = example(&home);
    let text = export(&home, &id, "json");
    let whole: Value = serde_json::from_str(&text).unwrap();
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut value = whole.clone();
        edit(&mut value);
        format!("{value:#}\n")
    };
    let cases: [(String, &str); 12] = [
        (text[..text.len() / 2].to_owned(), "cut off"),
        (text[..text.len() - 3].to_owned(), "cut off"),
        (text.replacen("\"log\"", "log", 1), "line"),
        (edited(&|v| v["log"][4]["event"]["turn"]["answer"]["position"] = json!("No!")), "/log/4"),
        (edited(&|v| v["log"][6]["at"] = json!(1)), "/log/6"),
        (edited(&|v| drop(v["log"].as_array_mut().unwrap().remove(3))), "/log/3"),
        (edited(&|v| drop(v["log"].as_array_mut().unwrap().pop())), "/log"),
        (
            edited(&|v| v["verdict"]["decision"]["answer"] = json!("Microservices")),
            "/verdict/decision/answer",
        ),
        (edited(&|v| v["state"]["claims"][2]["text"] = json!("Nothing")), "/state/claims/2/text"),
        (edited(&|v| v["id"] = json!("../../etc/passwd")), "id"),
        (edited(&|v| v["formatVersion"] = json!(99)), "newer"),
        (edited(&|v| drop(v.as_object_mut().unwrap().remove("format"))), "no debate exported"),
    ];
    let fresh = Home::new();
    for (text, place) in cases {
        let file = fresh.file("edited.json", &text).display().to_string();
        let message = fresh.refused(&["sessions", "import", &file]);
        assert!(message.contains(place), "{place:?} is not named in {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    for (file, part) in [("missing.json", "No such file"), (".", "folder")] {
        let message = fresh.refused(&["sessions", "import", file]);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_debate_that_was_paused_comes_back_and_goes_on() {
    let home = Home::new();
    let good = json!({ "answer": { "position": "Yes.", "reasoning": "So.", "keyPoints": ["a"],
        "confidence": 0.6, "claims": [], "citations": [], "vote": { "ballot": "ACCEPT" } } });
    let bad = json!({ "fail": { "class": "overloaded", "message": "down" } });
    let script = |two: &Value| {
        json!({ "topic": "Is it so?", "agent": [{ "name": "One", "turn": [good] },
            { "name": "Two", "turn": [two] }] })
        .to_string()
    };
    let broken = home.file("broken.json", &script(&bad)).display().to_string();
    let did = home.run(&["debate", "--script", &broken, "--rounds", "1", "--clerk=none"]);
    assert_eq!(did.code, 3, "{did:#?}");
    let id = newest(&home);
    let text = export(&home, &id, "json");
    assert!(export(&home, &id, "adr").contains("draft; the debate is not over"));
    assert!(export(&home, &id, "html").contains("None yet: the debate is not over."));

    let other = Home::new();
    let file = other.file("debate.json", &text).display().to_string();
    assert_eq!(other.run(&["sessions", "import", &file]).code, 0);
    let mended = other.file("mended.json", &script(&good)).display().to_string();
    let did = other.run(&["sessions", "resume", &id, "--script", &mended, "--quiet"]);
    assert_eq!(did.code, 0, "{did:#?}");
    // And home again it is recognised as the same debate, further on.
    let later = home.file("later.json", &export(&other, &id, "json")).display().to_string();
    let refused = home.run(&["sessions", "import", &later]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("but ends after entry"), "{}", refused.stderr);
}

#[test]
fn files_are_written_whole_and_never_over_another_unasked() {
    let home = Home::new();
    let id = example(&home);
    let path = home.path().join("report.html");
    let file = path.display().to_string();
    let did = home.run(&["sessions", "export", &id, "-o", &file]);
    assert_eq!((did.code, did.stdout.as_str()), (0, ""), "{did:#?}");
    let written = fs::read_to_string(&path).unwrap();
    assert!(written.starts_with("<!doctype html>"), "the ending decides the format");

    fs::write(&path, "mine").unwrap();
    let taken = home.run(&["sessions", "export", &id, "-o", &file]);
    assert_eq!(taken.code, 2);
    assert!(taken.stderr.contains("--force"), "{}", taken.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    assert_eq!(home.run(&["sessions", "export", &id, "-o", &file, "--force"]).code, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), written);

    for (args, part) in [
        (vec!["-o", "no/such/folder/a.md"], "folder does not exist"),
        (vec!["-o", "."], "it is a folder"),
        (vec!["-o", "/dev/null", "--force"], "it is a device"),
        (vec!["--format", "pdf"], "there are: markdown"),
        (vec!["--format", "htm"], "html"),
        (vec!["--force"], "--output"),
    ] {
        let did = home.run(&[&["sessions", "export", &id], args.as_slice()].concat());
        assert_eq!(did.code, 2, "{args:?}: {did:#?}");
        assert!(did.stderr.contains(part), "{args:?}: {}", did.stderr);
    }
    let unknown = home.run(&["sessions", "export", "ffff"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.stderr.contains(&EXAMPLE[..50]),
        "what there is is not named: {}",
        unknown.stderr
    );
    let left: Vec<_> = fs::read_dir(home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".new-"))
        .collect();
    assert!(left.is_empty(), "drafts were left behind: {left:?}");
}

/// Covers: 13.4-formats
#[test]
fn exports_look_as_they_were_reviewed() {
    let home = Home::new();
    let id = example(&home);
    // JSON and HTML hold the data and the pictures; other tests read them.
    for format in home.formats().iter().filter(|one| !["json", "html"].contains(&one.as_str())) {
        let text = export(&home, &id, format).replace(&id, "ID");
        let text: String = text
            .lines()
            .map(|line| match line.find("20").filter(|_| line.contains("· completed*")) {
                Some(at) => format!("{}DATE · completed*\n", &line[..at]),
                None if line.starts_with("- Date: ") => "- Date: DATE\n".into(),
                None => {
                    match line.strip_prefix("Debate `ID`, ").and_then(|it| it.split_once('.')) {
                        Some((_, rest)) => format!("Debate `ID`, DATE.{rest}\n"),
                        None => format!("{line}\n"),
                    }
                }
            })
            .collect();
        insta::with_settings!({ snapshot_path => "../../snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("export-{format}"), super::results::without_time(&text));
        });
    }
}
