//! The small comforts of the command line: completions, manual pages, colours,
//! pagers, pipes that close early, replays.
#![cfg(unix)]

use std::io::Read;
use std::process::{Command, Stdio};

use crate::screen::pty::{Colour, Terminal};
use crate::support::Home;
use serde_json::json;

fn held(home: &Home) -> String {
    let answer = |name: &str| {
        json!({
            "position": format!("{name} holds that it should be done in stages."),
            "reasoning": "It is cheaper [ASSUME].", "keyPoints": ["cheaper", "safer"],
            "confidence": 0.6, "vote": {"ballot": "ACCEPT"},
            "claims": [{"text": format!("{name} says so"), "label": "ASSUME",
                        "evidenceType": "SPECULATIVE", "citations": []}],
            "citations": [],
        })
    };
    let agents = ["Ann", "Bea", "Cem"].map(|n| json!({"name": n, "turn": [{"answer": answer(n)}]}));
    let script = json!({"topic": "In stages?", "agent": agents}).to_string();
    home.file("script.json", &script);
    let did = home.run(&["debate", "--script", "script.json", "--clerk=none", "--rounds=2", "-q"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let listed = home.run(&["sessions", "list", "--json"]).stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    listed[0]["id"].as_str().unwrap().to_owned()
}

/// Covers: 13.2-shell
#[test]
fn completions_are_what_the_shells_understand() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let did = home.run(&["completions", shell]);
        assert_eq!(did.code, 0, "{did:#?}");
        assert!(did.stdout.contains("sessions") && did.stdout.contains("no-pager"), "{shell}");
    }
    let script = home.file("bash", &home.run(&["completions", "bash"]).stdout);
    let read = Command::new("bash").arg("-n").arg(script).status();
    assert!(read.unwrap().success(), "bash does not understand it");
    let asked = "source ./bash; COMP_WORDS=(roundtable sessions re); COMP_CWORD=2; \
                 _roundtable roundtable re sessions; echo ${COMPREPLY[@]}";
    let did = Command::new("bash").args(["-c", asked]).current_dir(home.path()).output().unwrap();
    let offered = String::from_utf8_lossy(&did.stdout).into_owned();
    assert_eq!(offered.trim(), "record resume replay", "{did:?}");
    let wrong = home.refused(&["completions", "tcsh"]);
    assert!(wrong.contains("tcsh") && wrong.contains("zsh"), "{wrong}");
    // They work whatever stands in the config file.
    home.file("config/roundtable/config.toml", "what = is this");
    assert_eq!(home.run(&["completions", "bash"]).code, 0);
    assert_eq!(home.run(&["man"]).code, 0);
}

/// Covers: 13.2-shell
#[test]
fn there_is_a_manual_page_for_every_command_with_its_exit_codes() {
    let home = Home::new();
    let page = home.run(&["man"]).stdout;
    assert!(page.starts_with(".ie") || page.contains(".TH roundtable 1"), "{page}");
    let did = home.run(&["man", "--dir", "man/man1"]);
    assert_eq!(did.code, 0, "{did:#?}");
    let folder = home.path().join("man/man1");
    for name in ["roundtable", "roundtable-debate", "roundtable-sessions-replay"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        assert!(text.contains("EXIT STATUS") && text.contains("waits for you"), "{name}: {text}");
        assert!(text.contains(".SH EXAMPLES\n.nf\nroundtable "), "{name} has no examples");
    }
    assert!(!folder.join("roundtable-help.1").exists());
    home.file("taken", "");
    let wrong = home.refused(&["man", "--dir", "taken/man"]);
    assert!(wrong.contains("taken/man"), "{wrong}");
}

/// Arguments, variables, and whether there are colours.
type Row = (&'static [&'static str], &'static [(&'static str, &'static str)], bool);

/// How a stream is coloured: what is said, what the environment says, and whether
/// it is a terminal.
#[test]
fn colours_are_used_where_they_are_wanted() {
    let home = Home::new();
    let rows: [Row; 6] = [
        (&["modes"], &[], false),
        (&["modes", "--color", "always"], &[], true),
        (&["--color=always", "modes"], &[], true),
        (&["modes"], &[("CLICOLOR_FORCE", "1")], true),
        (&["modes"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (&["modes", "--color=never"], &[("CLICOLOR_FORCE", "1")], false),
    ];
    for (args, variables, coloured) in rows {
        let did = home.run_with(args, variables);
        assert_eq!(did.stdout.contains('\x1b'), coloured, "{args:?} {variables:?}");
    }
    let on_terminal: [Row; 5] = [
        (&["modes"], &[], true),
        (&["modes"], &[("NO_COLOR", "1")], false),
        (&["modes"], &[("CLICOLOR", "0")], false),
        (&["modes", "--color=never"], &[], false),
        (&["modes", "--color=always"], &[("NO_COLOR", "1")], true),
    ];
    for (args, more, coloured) in on_terminal {
        let mut variables = home.variables();
        variables.extend(more.iter().map(|(name, value)| (*name, value.into())));
        let mut terminal = Terminal::start(home.path(), &variables, args, (80, 200), Colour::On);
        assert_eq!(terminal.end(), 0);
        assert!(terminal.text().contains("collaborative"), "{}", terminal.text());
        assert_eq!(terminal.sent().contains("\x1b["), coloured, "{args:?} {more:?}");
    }
    let wrong = home.refused(&["modes", "--color=pink"]);
    assert!(wrong.contains("pink") && wrong.contains("never"), "{wrong}");
}

#[test]
fn long_listings_go_through_the_pager_and_short_ones_do_not() {
    let home = Home::new();
    // Args, pager, rows of the terminal, whether it was paged.
    let rows: [(&[&str], &str, u16, bool); 6] = [
        (&["modes"], "sed s/^/PAGED/", 10, true),
        (&["modes"], "sed s/^/PAGED/", 200, false),
        (&["modes", "--no-pager"], "sed s/^/PAGED/", 10, false),
        (&["modes"], "cat", 10, false),
        (&["modes"], "", 10, false),
        (&["modes"], "no-such-pager-here", 10, false),
    ];
    for (args, pager, height, paged) in rows {
        let mut variables = home.variables();
        variables.push(("PAGER", pager.into()));
        variables.push(("PATH", std::env::var("PATH").unwrap().into()));
        let mut terminal =
            Terminal::start(home.path(), &variables, args, (80, height), Colour::Off);
        assert_eq!(terminal.end(), 0, "{args:?} {pager}");
        let sent = terminal.sent();
        assert!(sent.contains("collaborative") && sent.contains("socratic"), "{args:?}: {sent}");
        assert_eq!(sent.contains("PAGED"), paged, "{args:?} {pager:?} {height}");
    }
    // Not a terminal: never paged.
    assert!(!home.run_with(&["modes"], &[("PAGER", "sed s/^/PAGED/")]).stdout.contains("PAGED"));
}

#[test]
fn the_usual_pager_is_left_with_q() {
    let home = Home::new();
    let mut variables = home.variables();
    variables.push(("PATH", std::env::var("PATH").unwrap().into()));
    if Command::new("less").arg("--version").stdout(Stdio::null()).status().is_err() {
        proof::cannot_be_shown("the usual pager: less is not here");
        return;
    }
    let mut terminal = Terminal::start(home.path(), &variables, &["modes"], (80, 10), Colour::On);
    terminal.wait_until("a full page", |text| text.lines().count() >= 9);
    terminal.keys("\x03");
    // The pager drops what was typed before it noticed the Ctrl-C.
    assert_eq!(terminal.end_by("q"), 0);
}

#[test]
fn a_pipe_that_closes_early_is_no_error() {
    let home = Home::new();
    let id = held(&home);
    let show = ["sessions", "show", &id, "--json"];
    let replay = ["sessions", "replay", &id];
    for args in [&show[..], &replay[..], &["debate", "--agents", "example", "--json"], &["man"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_roundtable"))
            .args(args)
            .env_clear()
            .envs(home.variables())
            .current_dir(home.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // As `head -c 1` does.
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 1]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
        assert!(!said.contains("error") && !said.contains("panic"), "{args:?}: {said}");
    }
}

#[test]
fn wrong_numbers_are_refused_with_what_is_allowed() {
    let home = Home::new();
    assert!(home.refused(&["sessions", "list", "--limit", "0"]).contains("1.."));
    assert!(home.refused(&["sessions", "list", "--limit", "-3"]).contains("--limit"));
    for speed in ["0", "fast", "1e9", "NaN"] {
        let wrong = home.refused(&["sessions", "replay", "0199", "--speed", speed]);
        assert!(wrong.contains(speed) && wrong.contains("0.1 to 100"), "{wrong}");
    }
    let nothing = home.refused(&["sessions", "replay", "0199"]);
    assert!(nothing.contains("none has been held yet"), "{nothing}");
}

#[test]
fn a_replay_shows_what_was_shown_and_asks_nobody() {
    let home = Home::new();
    let id = held(&home);
    let all = home.run(&["sessions", "replay", &id[..13]]);
    assert_eq!(all.code, 0, "{all:#?}");
    for wanted in ["In stages?", "Round 2 of 2", "After round 2", "── Answers"] {
        assert!(all.stdout.contains(wanted), "{wanted}: {}", all.stdout);
    }
    // On a terminal it stops where it is told to and goes on when asked.
    let args = ["sessions", "replay", &id, "--speed=0.1"];
    let mut terminal =
        Terminal::start(home.path(), &home.variables(), &args, (80, 60), Colour::Off);
    terminal.wait_for(&["In stages?", "p pause", "space next", "q leave"]);
    terminal.keys("p");
    terminal.wait_for(&["r go on"]);
    for _ in 0..40 {
        terminal.keys(" ");
    }
    assert_eq!(terminal.end(), 0);
    assert!(terminal.sent().contains("── Answers"), "{}", terminal.text());
    terminal.assert_given_back();
    let mut terminal =
        Terminal::start(home.path(), &home.variables(), &args, (80, 60), Colour::Off);
    terminal.wait_for(&["q leave"]);
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    assert!(!terminal.sent().contains("── Answers"), "{}", terminal.text());
    terminal.assert_given_back();
}
