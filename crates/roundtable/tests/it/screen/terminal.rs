//! What a person sees and does on a terminal: the real binary in a
//! pseudo-terminal, its pictures as snapshots at three widths with and without
//! colour, and keys whose effect is looked up in the store.
#![cfg(unix)]

use std::time::{Duration, Instant};

use crate::screen::pty::{Colour, Terminal};
use crate::support::Home;
use serde_json::{Value, json};

pub(super) fn start(home: &Home, args: &[&str], size: (u16, u16), colour: Colour) -> Terminal {
    Terminal::start(home.path(), &home.variables(), args, size, colour)
}

pub(super) fn every_state(home: &Home) -> String {
    let script = include_str!("../../data/every-state.toml");
    home.file("every-state.toml", script);
    "every-state.toml".into()
}

pub(super) const ALL_STATES: [&str; 9] = [
    "done",
    "writing",
    "searching",
    "thinking",
    "retrying",
    "failed",
    "fallback",
    "asked",
    "pause",
];

/// A few quick agents who speak one after the other.
pub(super) fn quick(home: &Home, delay_ms: u64) -> String {
    paced(home, delay_ms, 60)
}

/// The same, each so much later than the one before.
fn paced(home: &Home, delay_ms: u64, gap_ms: u64) -> String {
    let answer = |name: &str| {
        json!({
            "position": format!("{name} holds that it should be done in stages."),
            "reasoning": format!("{name} has seen it done both ways [ASSUME]."),
            "keyPoints": ["stages are cheaper", "no agent waits"],
            "confidence": 0.6,
            "vote": {"ballot": "ACCEPT"},
            "claims": [{
                "text": format!("{name} says that stages cost less"),
                "label": "ASSUME", "evidenceType": "SPECULATIVE", "citations": [],
            }],
            "citations": [],
        })
    };
    let agents: Vec<Value> = ["Ann", "Bea", "Cem"]
        .iter()
        .enumerate()
        .map(|(index, name)| {
            // Apart from one another, so that they always answer in this order.
            let delay = delay_ms + gap_ms * index as u64;
            json!({"name": name, "turn": [{"answer": answer(name), "delay_ms": delay}]})
        })
        .collect();
    let script = json!({"topic": "In stages?", "agent": agents}).to_string();
    home.file("quick.json", &script);
    "quick.json".into()
}

/// The only debate of a home, whole.
fn debate(home: &Home) -> Value {
    let listed = home.run(&["sessions", "list", "--json"]).stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    serde_json::from_str(&home.run(&["sessions", "show", id, "--json"]).stdout).unwrap()
}

/// The log of the only debate of a home.
pub(super) fn log(home: &Home) -> Vec<Value> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = store::Store::read_only(&home.database()).await.unwrap();
        let id = store.list(&store::ListFilter::default()).await.unwrap().remove(0).id;
        let log = store.log(&id).await.unwrap();
        log.iter().map(|recorded| serde_json::to_value(&recorded.event).unwrap()).collect()
    })
}

/// Covers: 13.2-live
#[test]
fn waiting_for_its_turn_and_the_whole_course_of_a_debate() {
    let home = Home::new();
    let script = quick(&home, 1_000);
    let args = [
        "debate",
        "--script",
        &script,
        "--clerk=none",
        "--seed=1",
        "--rounds=2",
        "--mode=socratic",
    ];
    let mut terminal = start(&home, &args, (80, 30), Colour::Off);
    let waiting = terminal.wait_for(&["Ann", "waiting", "for its turn", "Round 1 of 2"]);
    assert!(waiting.contains("i remark"), "{waiting}");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
    let end = terminal.text();
    assert!(end.contains("UNDECIDED") && end.contains("roundtable show"), "{end}");
    assert!(!end.contains("i remark"), "the panel is still there:\n{end}");
    // Every row of every round went up, once.
    let sent = terminal.sent();
    assert_eq!(sent.matches("After round 1").count(), 1);
    assert_eq!(sent.matches("After round 2").count(), 1);
}

#[test]
fn a_pause_keeps_the_display_and_r_goes_on() {
    let home = Home::new();
    let script = quick(&home, 1_000);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1", "--rounds=3"];
    let mut terminal = start(&home, &args, (80, 40), Colour::Off);
    terminal.wait_for(&["· asked", "p pause"]);
    terminal.keys("p");
    terminal.wait_for(&["Paused by a person.", "r resume", "q leave"]);
    assert_eq!(debate(&home)["status"], "paused");
    terminal.keys("p");
    terminal.wait_for(&["It is already paused; r resumes it."]);
    // What is said while nobody runs it is stored and shown all the same.
    terminal.keys("iMind the cost\r");
    terminal.wait_for(&["» remark: Mind the cost"]);
    terminal.keys("r");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
    let held = debate(&home);
    assert_eq!(held["status"], "completed", "{held:#}");
    assert!(held["rounds"].as_array().unwrap().len() >= 3, "{held:#}");
}

#[test]
fn a_paused_debate_can_be_stopped_from_the_display() {
    let home = Home::new();
    let script = quick(&home, 1_000);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1", "--rounds=9"];
    let mut terminal = start(&home, &args, (80, 40), Colour::Off);
    terminal.wait_for(&["· asked", "p pause"]);
    terminal.keys("p");
    terminal.wait_for(&["q leave"]);
    terminal.keys("sy");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
    assert!(terminal.sent().contains("── Answers"), "{}", terminal.text());
    assert_eq!(debate(&home)["verdict"]["metadata"]["exitReason"], "stopped");
}

#[test]
fn what_an_agent_asks_is_answered_on_the_display() {
    let home = Home::new();
    let said = r#"{"position": "Yes.", "reasoning": "Many eat.", "keyPoints": ["a", "b"], "confidence": 0.6, "vote": {"ballot": "ACCEPT"}, "claims": [], "citations": []}"#;
    let request = "[[agent.turn.requests]]\nquestion = \"How many eat here?\"\nwhy = \"It sets the scale.\"\npriority = \"required\"\n";
    let agent = |name: &str, asks: &str| {
        format!("[[agent]]\nname = \"{name}\"\n[[agent.turn]]\ntext = \'\'\'{said}\'\'\'\n{asks}")
    };
    let script = format!("topic = \"A kitchen?\"\n{}{}", agent("Ada", request), agent("Ben", ""));
    let script = home.file("asks.toml", &script).display().to_string();
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1", "--rounds=1"];
    let mut terminal = start(&home, &args, (100, 40), Colour::Off);
    terminal.wait_for(&["How many eat here?", "Press c to answer"]);
    terminal.keys("c");
    terminal.wait_for(&["your answer"]);
    terminal.keys("About forty.\r");
    assert_eq!(terminal.end(), 0, "{}", terminal.text());
    let given: Vec<Value> =
        log(&home).into_iter().filter(|event| event["type"] == "contextGiven").collect();
    assert_eq!(given[0]["given"]["text"], "About forty.", "{given:#?}");
    assert_eq!(debate(&home)["status"], "completed");
}

#[test]
fn q_leaves_a_paused_debate_and_only_that() {
    let home = Home::new();
    let script = quick(&home, 1_000);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1"];
    let mut terminal = start(&home, &args, (80, 40), Colour::Off);
    terminal.wait_for(&["· asked", "p pause"]);
    terminal.keys("q");
    terminal.wait_for(&["The debate runs in this window"]);
    terminal.keys("p");
    terminal.wait_for(&["q leave"]);
    terminal.keys("q");
    assert_eq!(terminal.end(), 3);
    terminal.assert_given_back();
    assert!(terminal.text().contains("roundtable resume"), "{}", terminal.text());
    assert_eq!(debate(&home)["status"], "paused");
}

#[test]
fn a_line_being_typed_survives_what_happens_meanwhile_and_reaches_the_store() {
    let home = Home::new();
    let script = quick(&home, 1_000);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1", "--rounds=6"];
    let mut terminal = start(&home, &args, (80, 40), Colour::Off);
    terminal.wait_for(&["· asked", "p pause"]);
    terminal.keys("iMind the costt");
    terminal.wait_for(&["remark to all", "› Mind the costt"]);
    // A round passes while the line stands there.
    terminal.wait_for(&["After round 1", "› Mind the costt"]);
    // Pasted keys are words: no stop is asked for.
    terminal.keys("\x7f of \x1b[200~s y\n日本\x1b[201~");
    terminal.wait_for(&["› Mind the cost of s y 日本"]);
    terminal.keys("\r");
    terminal.wait_for(&["» remark: Mind the cost of s y 日本"]);
    terminal.keys("fWhat breaks first?\r");
    terminal.wait_for(&["» focus: What breaks first?"]);
    terminal.keys("idropped\x1b");
    terminal.wait_for(&["i remark"]);
    assert_eq!(terminal.end(), 0);
    let log = log(&home);
    let has = |place: &str, text: &str| {
        log.iter().any(|event| event.pointer(place).is_some_and(|found| found == text))
    };
    assert!(has("/remark/text", "Mind the cost of s y 日本"), "{log:#?}");
    assert!(has("/focus", "What breaks first?"), "{log:#?}");
    assert!(!log.iter().any(|event| event.to_string().contains("dropped")));
}

#[test]
fn stop_asks_first_and_ends_with_a_verdict() {
    let home = Home::new();
    let script = quick(&home, 1_000);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1", "--rounds=9"];
    let mut terminal = start(&home, &args, (80, 40), Colour::Off);
    terminal.wait_for(&["After round 1"]);
    terminal.keys("s");
    terminal.wait_for(&["Stop now, with a verdict on the answers so far? [y/N]"]);
    terminal.keys("n");
    terminal.wait_for(&["Not stopped.", "p pause"]);
    terminal.keys("sy");
    assert_eq!(terminal.end(), 0);
    let held = debate(&home);
    assert_eq!(held["verdict"]["metadata"]["exitReason"], "stopped", "{held:#}");
}

#[test]
fn ctrl_c_sigterm_and_a_panic_give_the_terminal_back() {
    let home = Home::new();
    let script = every_state(&home);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1"];
    let mut terminal = start(&home, &args, (80, 44), Colour::Off);
    terminal.wait_for(&ALL_STATES);
    let pressed = Instant::now();
    terminal.keys("\x03");
    let noticed = terminal.wait_sent("Interrupted: no new calls");
    println!("noticed after {:?}", noticed - pressed);
    terminal.keys("\x03");
    assert_eq!(terminal.end(), 130);
    terminal.assert_given_back();
    assert!(terminal.text().contains("roundtable resume"), "{}", terminal.text());

    let script = quick(&home, 1_000);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1"];
    let mut terminal = start(&home, &args, (80, 44), Colour::Off);
    terminal.wait_for(&["· asked", "p pause"]);
    terminal.signal("TERM");
    assert_eq!(terminal.end(), 143);
    terminal.assert_given_back();
    assert!(terminal.text().contains("roundtable resume"), "{}", terminal.text());

    let mut variables = home.variables();
    variables.push(("ROUNDTABLE_FAILPOINT", "after_T2:panic".into()));
    let mut terminal = Terminal::start(home.path(), &variables, &args, (80, 44), Colour::Off);
    assert_eq!(terminal.end(), 101);
    terminal.assert_given_back();
    assert!(terminal.text().contains("a test has the program break here"), "{}", terminal.text());
}

#[test]
fn a_tiny_terminal_and_one_that_changes_its_size_break_nothing() {
    let home = Home::new();
    let script = every_state(&home);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1"];
    let mut terminal = start(&home, &args, (20, 5), Colour::Off);
    terminal.wait_for(&["Round 1 of 3"]);
    terminal.keys("iabcdefghijklmnopqrstuvwxyz");
    terminal.wait_for(&["vwxyz"]);
    terminal.keys("\x1b");
    terminal.wait_for(&["p pause"]);
    for (columns, rows) in [(100, 40), (30, 12), (7, 3), (200, 50), (80, 24)] {
        terminal.resize(columns, rows);
        std::thread::sleep(Duration::from_millis(250));
    }
    let text = terminal.wait_for(&["thinking", "searching", "p pause"]);
    assert_eq!(text.matches("p pause").count(), 1, "the panel is there twice:\n{text}");
    terminal.keys("\x03");
    terminal.wait_sent("Interrupted: no new calls");
    terminal.keys("\x03");
    assert_eq!(terminal.end(), 130);
    terminal.assert_given_back();
}

/// A terminal that breaks its rows anew: whatever the width becomes, there is one
/// panel, and what went up before it stays.
#[test]
fn a_panel_leaves_no_rows_behind_when_the_width_changes() {
    let home = Home::new();
    let script = every_state(&home);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1"];
    let mut terminal = start(&home, &args, (120, 60), Colour::Off);
    terminal.wait_for(&ALL_STATES);
    let said =
        |text: &str| text.lines().take_while(|line| !line.contains("Round 1 of 3 · ")).count();
    let once = |terminal: &Terminal, width: u16, mark: &str| {
        // Drawn for this width: the rule over the panel says so.
        let rule = usize::from(width - 1).min(100);
        let fits = |line: &&str| line.contains(" 3 · ") && line.chars().count() == rule;
        let drawn = |text: &str| {
            let rules = text.lines().filter(|line| line.contains("Round 1 of 3 · ")).count();
            let fitting = text.lines().filter(fits).count();
            (rules, fitting, text.matches(mark).count()) == (1, 1, 1)
        };
        terminal.wait_whole(&format!("one panel {width} wide"), drawn)
    };
    let before = once(&terminal, 120, "p pause");
    for width in [70, 45, 61, 120] {
        terminal.reflow(width, 60);
        once(&terminal, width, "p pause");
    }
    // While a line is typed the cursor stands in the middle of a row.
    terminal.keys("i");
    terminal.wait_for(&["remark to all"]);
    terminal.keys(&"word ".repeat(14));
    terminal.wait_until("every word", |text| text.matches("word").count() == 14);
    for width in [60, 45, 120] {
        terminal.reflow(width, 60);
        once(&terminal, width, "› ");
    }
    terminal.keys("\x1b");
    let after = once(&terminal, 120, "p pause");
    assert_eq!(said(&before), said(&after), "text was lost:\n{before}\n---\n{after}");
    terminal.keys("\x03");
    terminal.wait_sent("Interrupted: no new calls");
    terminal.keys("\x03");
    assert_eq!(terminal.end(), 130);
    let end = terminal.whole();
    assert!(!end.contains("p pause") && !end.contains("Round 1 of 3 · "), "{end}");
}

/// Strings that try to do something to a terminal, in every place a model writes.
#[test]
fn what_models_write_cannot_send_control_sequences() {
    let home = Home::new();
    let evil =
        "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{8}\u{8}\rover\u{202e}backwards\u{1b}Pq\u{1b}\\";
    let answer = json!({
        "position": evil, "reasoning": evil, "keyPoints": [evil, evil], "confidence": 0.5,
        "claims": [{"text": evil, "label": "ASSUME", "evidenceType": "LOGICAL", "citations": []}],
        "citations": [{"number": 1, "title": evil, "url": "https://example.org/", "source": evil}],
    });
    let signs = json!([
        {"show": {"searching": evil}, "for_ms": 150},
        {"show": {"waiting": {"why": evil, "seconds": 1.0}}, "for_ms": 150},
        {"show": {"writing": answer.to_string()}, "for_ms": 150},
    ]);
    let agents: Vec<Value> = ["Ann", "Bea"]
        .iter()
        .map(|name| json!({"name": name, "turn": [{"answer": answer, "signs": signs}]}))
        .collect();
    let script = json!({"topic": "Safe?", "agent": agents}).to_string();
    let script = home.file("evil.json", &script).display().to_string();
    let args = ["debate", "--script", &script, "--clerk=none", "--rounds=1"];
    let mut terminal = start(&home, &args, (80, 40), Colour::Off);
    assert_eq!(terminal.end(), 0);
    // The bell at the end is the program's own.
    let sent = terminal.sent().replacen('\u{7}', "", 1);
    for bad in ["\u{1b}[2J", "\u{1b}]", "\u{7}", "\u{9b}", "\u{8}", "\u{202e}", "\u{1b}P", "[31m"] {
        assert!(!sent.contains(bad), "{bad:?} was sent");
    }
    assert!(sent.contains("backwards"), "nothing was shown");
}

#[test]
fn without_a_terminal_there_are_only_lines() {
    let home = Home::new();
    let script = quick(&home, 0);
    let did = home.run(&["debate", "--script", &script, "--clerk=none", "--rounds=1"]);
    assert_eq!(did.code, 0, "{did:#?}");
    assert!(!did.stdout.contains('\x1b') && !did.stderr.contains('\x1b'), "{did:#?}");
    assert!(did.stdout.contains("After round 1"), "{}", did.stdout);
}

/// Text that goes elsewhere: the panel stays on the terminal unless another
/// program may print there too.
#[test]
fn a_panel_is_drawn_beside_a_file_but_not_into_a_pipe() {
    let home = Home::new();
    quick(&home, 200);
    let debate = "\"$ROUNDTABLE\" debate --script quick.json --clerk=none --rounds=1";
    let drawn = "\x1b[?2026h";
    let mut piped = Terminal::shell(home.path(), &home.variables(), &format!("{debate} | cat"));
    assert_eq!(piped.end(), 0);
    assert!(!piped.sent().contains(drawn), "{}", piped.text());
    assert!(piped.sent().contains("After round 1"), "{}", piped.text());
    let line = format!("{debate} > held.txt");
    let mut kept = Terminal::shell(home.path(), &home.variables(), &line);
    assert_eq!(kept.end(), 0);
    assert!(kept.sent().contains(drawn) && !kept.sent().contains("After round 1"));
    kept.assert_given_back();
    let text = std::fs::read_to_string(home.path().join("held.txt")).unwrap();
    assert!(text.contains("After round 1") && !text.contains('\x1b'), "{text}");
}

#[test]
fn ctrl_z_lends_the_terminal_to_the_shell() {
    let home = Home::new();
    let script = quick(&home, 6_000);
    let args = ["debate", "--script", &script, "--clerk=none", "--rounds=1"];
    let mut terminal = start(&home, &args, (80, 40), Colour::Off);
    terminal.wait_for(&["· asked", "p pause"]);
    terminal.keys("\x1a");
    let lent = terminal.wait_until("the panel goes", |text| !text.contains("p pause"));
    assert!(lent.contains("Round 1 of 1"), "{lent}");
    terminal.wait_given_back();
    terminal.signal("CONT");
    terminal.wait_for(&["· asked", "p pause"]);
    // Keys are read again: without them this would not be asked.
    terminal.keys("s");
    terminal.wait_for(&["Stop now"]);
    terminal.keys("n");
    assert_eq!(terminal.end(), 0);
    terminal.assert_given_back();
}
