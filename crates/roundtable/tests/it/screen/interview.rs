//! The post-mortem, asked on a terminal: what is typed is what is stored, a word that
//! nobody knows is asked for again, and who stops half-way has stored nothing.

use serde_json::Value;

use super::terminal::{quick, start};
use crate::screen::pty::{Colour, Terminal};
use crate::support::Home;

/// A finished debate and its id.
fn finished(home: &Home) -> String {
    let script = quick(home, 0);
    let did = home.run(&["debate", "--script", &script, "--clerk=none", "--rounds=1", "-q"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let listed = home.run(&["sessions", "list", "--json"]).stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    listed[0]["id"].as_str().unwrap().to_owned()
}

/// Answers each question once it stands there.
fn answer(terminal: &mut Terminal, answers: &[(&str, &str)]) {
    for (question, text) in answers {
        let asked = terminal.sent().matches(question).count();
        terminal.wait_sent(question);
        assert!(asked <= 1 || terminal.unwrapped().contains(question), "{question}");
        terminal.keys(&format!("{text}\r"));
        // The terminal shows what is typed before the next question comes.
        terminal.wait_for(&[text]);
    }
}

fn assessed(home: &Home, id: &str) -> Option<Value> {
    let did = home.run(&["outcome", "show", id, "--json"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let shown: Value = serde_json::from_str(&did.stdout).unwrap();
    Some(shown["postMortem"].clone()).filter(|found| !found.is_null())
}

/// The words that tests look for are found wherever the edge of the screen breaks them.
#[test]
fn a_word_at_the_edge_of_the_screen_is_found() {
    let home = Home::new();
    let line = format!("printf '%s' {}typed-word; sleep 1000", "x".repeat(75));
    let terminal = Terminal::shell(home.path(), &home.variables(), &line);
    let picture = terminal.wait_for(&["typed-word"]);
    assert!(picture.contains("typed\n-word"), "{picture}");
}

#[test]
fn a_post_mortem_is_asked_for_and_stored() {
    let home = Home::new();
    let id = finished(&home);
    let mut terminal = start(&home, &["outcome", "assess", &id], (100, 50), Colour::Off);
    terminal.wait_for(&["Topic: In stages?", "Nothing is stored before the end."]);
    answer(
        &mut terminal,
        &[
            ("How right was the decision", "lots"),
            ("A number from 0 to 1", "0.75"),
            ("Which answer turned out right", "1"),
            ("What went right, in a few words?", "Stages were cheaper"),
            ("What had that rested on", "HEARSAY"),
            ("One of these words, or nothing", "empirical"),
            ("It turned out (", "validated"),
            ("Anything more?", "Nobody waited"),
        ],
    );
    // An empty line leaves the next finding, what went wrong and lessons out.
    for question in ["What went wrong", "A lesson?", "In two sentences"] {
        terminal.keys("\r");
        terminal.wait_sent(question);
    }
    answer(&mut terminal, &[("In two sentences", "It held."), ("decided otherwise, what?", "")]);
    assert_eq!(terminal.end(), 0, "{}", terminal.text());
    terminal.assert_given_back();
    let stored = assessed(&home, &id).unwrap().to_string();
    for part in ["0.75", "Stages were cheaper", "EMPIRICAL", "validated", "It held."] {
        assert!(stored.contains(part), "{part} is missing in {stored}");
    }

    // Judged already: only who says yes replaces it.
    let mut terminal = start(&home, &["outcome", "assess", &id], (100, 50), Colour::Off);
    answer(&mut terminal, &[("Replace that? [y/N]", "n")]);
    assert_eq!(terminal.end(), 2, "{}", terminal.text());
    assert!(terminal.text().contains("nothing was changed"), "{}", terminal.text());
    assert!(assessed(&home, &id).unwrap().to_string().contains("0.75"));
}

#[test]
fn who_stops_half_way_has_stored_nothing() {
    let home = Home::new();
    let id = finished(&home);
    // Ctrl-C ends it by the signal itself, which shells call 130 and this harness 1.
    for (key, code) in [("\x04", 2), ("\x03", 1)] {
        let mut terminal = start(&home, &["outcome", "assess", &id], (100, 50), Colour::Off);
        answer(&mut terminal, &[("How right was the decision", "0.5")]);
        terminal.wait_sent("Which answer turned out right");
        terminal.keys(key);
        assert_eq!(terminal.end(), code, "{}", terminal.text());
        terminal.assert_given_back();
        assert_eq!(assessed(&home, &id), None);
    }
    // An answer that fits nothing is refused at the end, and what was typed is kept.
    let mut terminal = start(&home, &["outcome", "assess", &id], (100, 50), Colour::Off);
    answer(&mut terminal, &[("How right was the decision", "0.5"), ("Which answer turned", "99")]);
    for question in ["What went right", "What went wrong", "A lesson?"] {
        terminal.wait_sent(question);
        terminal.keys("\r");
    }
    answer(&mut terminal, &[("In two sentences", "It is kept."), ("decided otherwise", "")]);
    assert_eq!(terminal.end(), 2, "{}", terminal.text());
    assert_eq!(assessed(&home, &id), None);
    let kept = home.path().join(format!("post-mortem-{id}.yaml"));
    let text = std::fs::read_to_string(&kept).unwrap();
    assert!(text.contains("It is kept."), "{text}");
    let kept = kept.display().to_string();
    std::fs::write(&kept, text.replace("99", "1")).unwrap();
    let did = home.run(&["outcome", "assess", &id, "--file", &kept]);
    assert_eq!(did.code, 0, "{did:#?}");
}
