//! Pictures of the terminal: every state a seat can be in, every foot of the
//! panel, the course of a debate, at three widths with and without colour.

use serde_json::{Value, json};

use super::terminal::{ALL_STATES, every_state, quick, start};
use crate::screen::pty::{Colour, Terminal};
use crate::support::Home;

const WIDTHS: [u16; 3] = [80, 120, 200];

fn shown(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => "../../snapshots/terminal", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

/// Covers: 13.2-live
#[test]
fn every_state_at_every_width_with_and_without_colour() {
    let home = Home::new();
    let script = every_state(&home);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1"];
    for (name, colour, terminal) in terminals(&home, &args) {
        terminal.wait_for(&ALL_STATES);
        // The keys are drawn anew a moment after an agent has failed.
        terminal.wait_for(&["d drop"]);
        let text = match colour {
            Colour::Off => terminal.text(),
            Colour::On => terminal.coloured(),
        };
        shown(&format!("states-{name}"), &text);
    }
}

/// Six terminals: three widths, without and with colour.
fn terminals(home: &Home, args: &[&str]) -> Vec<(String, Colour, Terminal)> {
    let both = |width: &u16| {
        [(format!("{width}"), *width, Colour::Off), (format!("{width}-colour"), *width, Colour::On)]
    };
    let all = WIDTHS.iter().flat_map(both);
    all.map(|(name, width, colour)| (name, colour, start(home, args, (width, 44), colour)))
        .collect()
}

/// The panel alone: from its head down.
fn panel(terminal: &Terminal, colour: Colour) -> String {
    let text = match colour {
        Colour::Off => terminal.text(),
        Colour::On => terminal.coloured(),
    };
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.iter().rposition(|line| line.contains("Round 1 of")).unwrap();
    lines[head..].join("\n")
}

#[test]
fn waiting_help_typing_and_asking_at_every_width() {
    let home = Home::new();
    // The first takes longer than the test; the others wait for their turn.
    let script = quick(&home, 90_000);
    let args = ["debate", "--script", &script, "--clerk=none", "--seed=1", "--mode=socratic"];
    // Keys, and the words by which it is seen that they did something.
    let steps: [(&str, &str, &str); 6] = [
        ("waiting", "", "p pause"),
        ("help", "?", "this list"),
        ("typing", "?iMind the cost", "› Mind the cost"),
        ("said", "\r", "Added: every agent sees it from now on."),
        ("a key that has nothing to do", "c", "No agent has asked for anything."),
        ("stopping", "s", "[y/N]"),
    ];
    for (name, colour, mut terminal) in terminals(&home, &args) {
        terminal.wait_for(&["· asked", "for its turn"]);
        let mut pictures = String::new();
        for (step, keys, seen) in steps {
            terminal.keys(keys);
            terminal.wait_for(&[seen]);
            pictures.push_str(&format!("# {step}\n{}\n\n", panel(&terminal, colour)));
        }
        shown(&format!("keys-{name}"), &pictures);
    }
}

#[test]
fn paused_at_every_width() {
    let home = Home::new();
    // Nobody answers, so it pauses of itself.
    let fails = json!({"class": "unauthorised", "message": "The key is wrong."});
    let agents = ["Ann", "Bea"].map(|name| json!({"name": name, "turn": [{"fail": fails}]}));
    home.file("mute.json", &json!({"topic": "Who speaks?", "agent": agents}).to_string());
    let args = ["debate", "--script=mute.json", "--clerk=none", "--seed=1"];
    for (name, colour, mut terminal) in terminals(&home, &args) {
        terminal.wait_for(&["needs at least 2", "r resume", "q leave"]);
        shown(&format!("paused-{name}"), &panel(&terminal, colour));
        terminal.keys("q");
        assert_eq!(terminal.end(), 3);
        terminal.assert_given_back();
    }
}

/// The course of a debate as it stands in the scrollback: answers, what each
/// round came to, the verdict.
/// Covers: 13.2-rounds
#[test]
fn rounds_and_verdict_at_every_width_with_and_without_colour() {
    let answer = |name: &str, round: u64, position: &str, confidence: f64, vote: &str| {
        json!({
            "round": round, "delay_ms": 40,
            "answer": {
                "position": position,
                "reasoning": format!("{name} counts the cost [FACT][1]."),
                "keyPoints": ["stages are cheaper", "nobody waits for anybody"],
                "confidence": confidence,
                "vote": {"ballot": vote, "objection": "Say who pays for the second stage."},
                "claims": [
                    {"text": format!("{name} has measured it"), "label": "FACT",
                     "evidenceType": "DOCUMENTED", "citations": [1]},
                    {"text": "Stages are cheaper than one step", "label": "INFER",
                     "evidenceType": "LOGICAL", "citations": []},
                ],
                "citations": [{"number": 1, "title": "On stages", "url": "https://example.org/stages"}],
            },
            "usage": {"input": 1000, "output": 200}, "cost": 12000,
        })
    };
    let stages = "It should be done in stages, the cheapest first.";
    let once = "It should be done at once, before anybody gets used to half of it.";
    let agents: Vec<Value> = [("Ann", stages, stages), ("Bea", once, stages), ("Cem", once, once)]
        .iter()
        .enumerate()
        .map(|(index, (name, first, last))| {
            let mut turns = [
                answer(name, 1, first, 0.62, "MINOR"),
                answer(name, 2, last, 0.74 + 0.1 * index as f64, "ACCEPT"),
            ];
            for turn in &mut turns {
                turn["delay_ms"] = json!(100 + 150 * index);
            }
            json!({"name": name, "turn": turns})
        })
        .collect();
    let home = Home::new();
    let script = json!({"topic": "In stages, or at once?", "agent": agents}).to_string();
    home.file("course.json", &script);
    let args = ["debate", "--script=course.json", "--clerk=none", "--seed=1", "--rounds=2"];
    let open: Vec<(u16, Colour, Terminal)> = WIDTHS
        .iter()
        .flat_map(|width| [(*width, Colour::Off), (*width, Colour::On)])
        .map(|(width, colour)| (width, colour, start(&home, &args, (width, 140), colour)))
        .collect();
    for (width, colour, mut terminal) in open {
        assert_eq!(terminal.end(), 0);
        match colour {
            Colour::Off => shown(&format!("course-{width}"), &terminal.text()),
            Colour::On => shown(&format!("course-{width}-colour"), &terminal.coloured()),
        }
    }
}
