//! A stranger's first ten minutes on a terminal, with no model, with a key, and with a server
//! of their own: what they type, what they see, and that it ends in a debate of their question.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use fake_provider::{FakeOptions, FakeProvider};

use crate::screen::pty::{Colour, Terminal};
use crate::support::Home;

const QUESTION: &str = "Should we adopt trunk-based development?";
const KEY: &str = "gsk_typed_by_a_stranger";
const ANSWER: &str = r#"{"position":"In stages.","reasoning":"It is cheaper [ASSUME].","keyPoints":["cheaper","safer"],"confidence":0.5,"vote":{"ballot":"ACCEPT"},"claims":[{"text":"Stages are cheaper.","label":"ASSUME","evidenceType":"SPECULATIVE","citations":[]}],"citations":[]}"#;

async fn provider() -> FakeProvider {
    let options = FakeOptions {
        answer: Arc::new(|_| ANSWER.to_owned()),
        models: vec!["office-1".into(), "office-2".into()],
        ..FakeOptions::default()
    };
    FakeProvider::start(options).await.unwrap()
}

fn start(home: &Home, args: &[&str], more: &[(&'static str, &str)]) -> Terminal {
    let mut variables = home.variables();
    variables.extend(more.iter().map(|(name, value)| (*name, PathBuf::from(value))));
    Terminal::start(home.path(), &variables, args, (100, 50), Colour::Off)
}

/// Types each line once the words before it stand there.
fn types(terminal: &mut Terminal, script: &[(&str, &str)]) {
    for (words, line) in script {
        terminal.wait_sent(words);
        terminal.keys(&format!("{line}\r"));
    }
}

/// Covers: 13.2-first-minutes
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_pasted_and_the_question_is_debated() {
    let server = provider().await;
    let url = server.base_url();
    tokio::task::block_in_place(|| {
        let home = Home::new();
        let groq = [("GROQ_BASE_URL", url.as_str())];
        let mut terminal = start(&home, &[QUESTION, "--rounds", "1"], &groq);
        let script = [
            ("Your choice:", "9"),
            ("Type 1, 2, 3, 4 or q.", "1"),
            ("Its number or name", "grok"),
            ("unknown provider", "groq"),
            ("it is not shown", KEY),
        ];
        types(&mut terminal, &script);
        assert_eq!(terminal.end(), 0, "{}", terminal.whole());
        terminal.assert_given_back();
        let sent = terminal.sent();
        assert!(!sent.contains(KEY), "the key was shown");
        assert!(terminal.whole().contains("In stages."), "{}", terminal.whole());
        let keys = home.run(&["config", "path"]).stdout;
        let keys = keys.lines().find_map(|line| line.strip_prefix("keys")).unwrap().trim();
        assert!(std::fs::read_to_string(keys).unwrap().contains(KEY));
        assert_eq!(std::fs::metadata(keys).unwrap().permissions().mode() & 0o777, 0o600);

        // The next question is debated at once; the last debate is looked at and taken along.
        let mut terminal = start(&home, &["Tabs", "or", "spaces?", "--rounds", "1"], &groq);
        assert_eq!(terminal.end(), 0, "{}", terminal.whole());
        let mut terminal = start(&home, &["--no-pager", "list"], &groq);
        assert_eq!(terminal.end(), 0, "{}", terminal.whole());
        assert!(terminal.text().contains("@2"), "{}", terminal.text());
        let mut terminal = start(&home, &["export"], &groq);
        assert_eq!(terminal.end(), 0, "{}", terminal.whole());
        assert!(terminal.text().contains("Written to tabs-or-spaces.md"), "{}", terminal.text());
        assert!(home.path().join("tabs-or-spaces.md").exists());
    });
}

/// Covers: 13.2-first-minutes
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_of_ones_own_is_named_and_all_its_models_are_seated() {
    let server = provider().await;
    let url = server.base_url();
    tokio::task::block_in_place(|| {
        let home = Home::new();
        let mut terminal = start(&home, &[QUESTION, "--rounds", "1"], &[]);
        let script = [
            ("Your choice:", "2"),
            ("once the server runs:", ""),
            // Nothing runs yet: the choice comes again.
            ("Your choice:", "2"),
            ("once the server runs:", &url),
        ];
        types(&mut terminal, &script[..2]);
        terminal
            .wait_whole("the choice once more", |text| text.matches("Your choice:").count() == 2);
        types(&mut terminal, &script[2..]);
        assert_eq!(terminal.end(), 0, "{}", terminal.whole());
        let shown = terminal.whole();
        assert!(shown.contains("custom/office-1") && shown.contains("custom/office-2"), "{shown}");
        let agents = home.run(&["agents"]).stdout;
        assert!(agents.contains("office-1") && agents.contains("answers"), "{agents}");
    });
}

/// Covers: 13.2-first-minutes
#[test]
fn the_example_is_watched_at_a_readers_pace_and_hurried() {
    let home = Home::new();
    let mut terminal = start(&home, &[QUESTION], &[("ROUNDTABLE_HURRY", "")]);
    types(&mut terminal, &[("Your choice:", "4")]);
    terminal.wait_for(&["Scripted example · Round 1 of 3", "space faster"]);
    terminal.keys(" ");
    assert_eq!(terminal.end(), 0, "{}", terminal.whole());
    terminal.assert_given_back();
    assert!(terminal.sent().contains('\x07'), "no bell rang");
    let whole = terminal.whole();
    assert!(whole.contains("scripted example · 3 agents"), "{whole}");
    for format in home.formats() {
        let text = home.run(&["export", "--format", &format]).stdout.to_lowercase();
        let label = if format == "json" { "\"kind\": \"example\"" } else { "scripted example" };
        assert!(text.contains(label), "{format} does not say that it is an example");
    }
}

#[test]
fn who_leaves_is_told_how_to_begin_and_a_bell_can_be_switched_off() {
    let home = Home::new();
    let mut terminal = start(&home, &[QUESTION], &[]);
    types(&mut terminal, &[("Your choice:", "q")]);
    assert_eq!(terminal.end(), 2, "{}", terminal.whole());
    assert!(terminal.whole().contains("roundtable init"), "{}", terminal.whole());
    let set = home.run(&["config", "set", "bell", "false"]);
    assert_eq!(set.code, 0, "{set:#?}");
    let mut terminal = start(&home, &["debate"], &[]);
    assert_eq!(terminal.end(), 0, "{}", terminal.whole());
    assert!(!terminal.sent().contains('\x07'), "a bell rang");
    let off = home.run(&["config", "set", "update_notice", "false"]);
    assert_eq!(off.code, 0, "{off:#?}");
}

#[test]
fn init_asks_for_keys_without_showing_them() {
    let home = Home::new();
    let mut terminal = start(&home, &["init"], &[]);
    let script = [
        ("Its number or name", "mistral"),
        ("it is not shown", KEY),
        ("is kept in", ""),
        ("Who debates?", ""),
        ("The most a day may cost", ""),
        ("Who searches the web", ""),
    ];
    types(&mut terminal, &script);
    assert_eq!(terminal.end(), 0, "{}", terminal.whole());
    assert!(!terminal.sent().contains(KEY), "the key was shown");
    let agents = home.run(&["config", "show"]).stdout;
    assert!(agents.contains("mistral"), "{agents}");
}
