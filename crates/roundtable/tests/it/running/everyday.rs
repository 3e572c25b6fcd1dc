//! What a person types day by day: a question, then show, list, resume and export without
//! an id, and whatever the last output suggested.

use std::sync::Arc;

use crate::support::{Did, Home};
use fake_provider::{FakeOptions, FakeProvider};
use serde_json::Value;

const EXAMPLE: &str =
    "Should a five-person startup build its product as microservices or as a modular monolith?";

fn ran(home: &Home, args: &[&str]) -> String {
    let did = home.run(args);
    assert_eq!(did.code, 0, "{args:?}: {did:#?}");
    did.stdout
}

fn ids(home: &Home) -> Vec<String> {
    let listed: Vec<Value> = serde_json::from_str(&ran(home, &["list", "--json"])).unwrap();
    listed.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// Commands that an output suggests, on lines of their own or in backticks.
fn suggested(text: &str) -> Vec<Vec<String>> {
    let quoted = text.split('`').skip(1).step_by(2);
    let lines = text.lines().flat_map(|line| line.split(" · ")).map(|part| {
        match part.find("roundtable ") {
            Some(at) => &part[at..],
            None => "",
        }
    });
    let all = quoted.chain(lines).map(str::trim).filter(|text| text.starts_with("roundtable "));
    let words = |command: &str| command.split_whitespace().skip(1).map(str::to_owned).collect();
    all.map(words).collect()
}

fn run_all_suggested(with: &dyn Fn(&[&str]) -> Did, did: &Did) -> usize {
    let mut run = 0;
    for command in suggested(&format!("{}\n{}", did.stdout, did.stderr)) {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let next = with(&words);
        assert_eq!(next.code, 0, "{words:?} was suggested: {next:#?}");
        run += 1;
    }
    run
}

/// Covers: 13.2-top-level
#[test]
fn a_question_needs_no_command_and_the_last_debate_no_id() {
    let home = Home::new();
    let first = home.run(&[EXAMPLE, "--quiet"]);
    assert_eq!(first.code, 0, "{first:#?}");
    let words: Vec<&str> = EXAMPLE.split(' ').collect();
    let unquoted = home.run(&[&["debate"], &words[..], &["-q"]].concat());
    assert_eq!(unquoted.code, 0, "{unquoted:#?}");
    let ids = ids(&home);
    assert_eq!(ids.len(), 2);
    let [newer, older] = [&ids[0], &ids[1]];
    assert_eq!(ran(&home, &["show"]), ran(&home, &["sessions", "show", newer]));
    assert_eq!(ran(&home, &["show", "@2"]), ran(&home, &["sessions", "show", older]));
    assert_eq!(ran(&home, &["show", &older[..13]]), ran(&home, &["show", older]));
    assert_eq!(ran(&home, &["export"]), ran(&home, &["sessions", "export", newer]));
    assert!(ran(&home, &["show"]).trim_start().starts_with("── Decision"));
    let json = ran(&home, &["analyze", "--json"]);
    assert_eq!(json, ran(&home, &["analyse", newer, "--json"]));
    let nothing = home.run(&["show", "@3"]);
    assert_eq!(nothing.code, 2, "{nothing:#?}");
    assert!(nothing.stderr.contains(older.as_str()), "{}", nothing.stderr);
}

/// Covers: 13.2-top-level
#[test]
fn the_list_tells_decision_cost_and_agents() {
    let home = Home::new();
    assert_eq!(home.run(&[EXAMPLE, "-q"]).code, 0);
    let listed = home.run_with(&["list"], &[("TZ", "Asia/Kathmandu")]);
    let there = home.run_with(&["list"], &[("TZ", "UTC")]);
    assert_ne!(listed.stdout, there.stdout, "times are not local");
    let id = &ids(&home)[0];
    for part in [&id[..13], "@1", "Brook, Chen", "free", "→ CHECK FIRST: Build a modular"] {
        assert!(there.stdout.contains(part), "{part} is missing:\n{}", there.stdout);
    }
    let found = ran(&home, &["list", "--search", "startup"]);
    assert!(!found.contains("@1"), "a place in part of the list names nothing:\n{found}");
}

#[test]
fn an_export_becomes_a_file_and_is_opened() {
    let home = Home::new();
    assert_eq!(home.run(&[EXAMPLE, "-q"]).code, 0);
    let viewer =
        home.file("viewer", "#!/bin/sh\necho \"$1\" >> opened.part; mv opened.part opened.txt\n");
    std::fs::set_permissions(&viewer, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let viewer = viewer.to_str().unwrap();
    let variables = [("BROWSER", viewer), ("PATH", "/usr/bin:/bin")];
    let name = "should-a-five-person-startup-build-its-product-as";
    for file in [format!("{name}.html"), format!("{name}-2.html")] {
        let did = home.run_with(&["export", "--open"], &variables);
        assert_eq!(did.code, 0, "{did:#?}");
        assert!(did.stderr.contains(&file), "{did:#?}");
        assert!(std::fs::read_to_string(home.path().join(&file)).unwrap().contains("<html"));
        let opened = home.path().join("opened.txt");
        let deadline = proof::Deadline::new();
        while !opened.exists() {
            deadline.wait(|| "it was never opened".into());
        }
        assert!(std::fs::read_to_string(&opened).unwrap().trim().ends_with(&file));
        std::fs::remove_file(opened).unwrap();
    }
    for (file, words) in [("report.pdf", "print it"), ("report.docx", ".html")] {
        let refused = home.run(&["export", "-o", file]);
        assert_eq!(refused.code, 2, "{refused:#?}");
        assert!(refused.stderr.contains(words) && !home.path().join(file).exists(), "{refused:#?}");
    }
}

/// Covers: 13.2-top-level
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_suggested_works() {
    let options = FakeOptions {
        answer: Arc::new(|_| "In stages.".to_owned()),
        models: vec!["llama3.2".into(), "qwen3".into()],
        ..FakeOptions::default()
    };
    let server = FakeProvider::start(options).await.unwrap();
    let url = server.base_url();
    let run = tokio::task::spawn_blocking(move || {
        let home = Home::new();
        let with = |args: &[&str], point: &str| {
            let server = ("OLLAMA_BASE_URL", url.as_str());
            home.run_with(args, &[server, ("ROUNDTABLE_FAILPOINT", point)])
        };
        let plainly = |args: &[&str]| with(args, "");
        let ended = plainly(&["In stages?", "-q", "--rounds", "1"]);
        assert_eq!(ended.code, 0, "{ended:#?}");
        let mut run = run_all_suggested(&plainly, &ended);
        let killed = with(&["How far?", "-q", "--rounds", "1"], "after_T2");
        assert_ne!(killed.code, 0);
        run += run_all_suggested(&plainly, &plainly(&["list"]));
        let killed = with(&["For how much?", "-q", "--rounds", "2"], "after_T2");
        assert_ne!(killed.code, 0);
        let paused = plainly(&["sessions", "pause"]);
        assert_eq!(paused.code, 0, "{paused:#?}");
        run + run_all_suggested(&plainly, &paused)
    });
    assert!(run.await.unwrap() >= 4);
}
