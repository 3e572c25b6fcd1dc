//! A person with a seat of their own, on a terminal: they answer, pass, leave and come back.
#![cfg(unix)]

use fake_provider::{FakeOptions, FakeProvider};
use serde_json::Value;

use super::pty::{Colour, Terminal};
use super::terminal::log;
use crate::support::Home;

const AGENTS: &str = "me,Ann=ollama/fake-large,Bea=ollama/fake-small";

struct Seated {
    home: Home,
    fake: FakeProvider,
}

impl Seated {
    fn start(&self, args: &[&str]) -> Terminal {
        let mut variables = self.home.variables();
        variables.retain(|(name, _)| *name != "OLLAMA_BASE_URL");
        variables.push(("OLLAMA_BASE_URL", self.fake.base_url().into()));
        Terminal::start(self.home.path(), &variables, args, (100, 40), Colour::Off)
    }

    fn asked(&self) -> usize {
        self.fake.ledger().iter().filter(|entry| entry.path.ends_with("completions")).count()
    }

    /// What the person did in each round, from the log.
    fn done(&self) -> Vec<(String, Value, Value)> {
        let (home, mine) = (&self.home, Vec::new());
        std::thread::scope(|scope| {
            let log = scope.spawn(|| log(home)).join().unwrap();
            log.into_iter().fold(mine, |mut mine, event| {
                let word = event["type"].as_str().unwrap_or_default().to_owned();
                if event["turn"]["agent"] == "me" || event["gap"]["agent"] == "me" {
                    let answer = &event["turn"]["answer"];
                    mine.push((word, answer["position"].clone(), answer["confidence"].clone()));
                }
                mine
            })
        })
    }
}

/// Covers: 18-person
#[tokio::test(flavor = "multi_thread")]
async fn a_person_answers_passes_leaves_and_comes_back() {
    let fake = FakeProvider::start(FakeOptions::default()).await.unwrap();
    let seated = Seated { home: Home::new(), fake };
    let config = "clerk = \"none\"\n[flags.groupthinkDetection]\nenabled = false\n\
                  [flags.exitCriteria]\nenabled = false\n";
    seated.home.file("config/roundtable/config.toml", config);
    let mut terminal = seated.start(&["debate", "--agents", AGENTS, "--rounds=3", "Do we move?"]);
    let asked = terminal.wait_for(&["your turn in round 1 of 3", "your answer"]);
    assert!(asked.contains("waiting for a person"), "{asked}");
    assert_eq!(seated.asked(), 0, "nobody is asked before the person has answered");
    terminal.keys("In stages. It is cheaper.\r");
    terminal.wait_for(&["how sure are you"]);
    terminal.keys("very\r");
    terminal.wait_for(&["a whole number from 0 to 100", "very"]);
    terminal.keys("\u{15}70\r");
    terminal.wait_for(&["your turn in round 2"]);
    terminal.keys("\r");
    terminal.wait_for(&["me passed", "your turn in round 3"]);
    assert_eq!(terminal.end_by("\u{3}"), 3, "{}", terminal.text());
    terminal.assert_given_back();
    assert!(terminal.text().contains("roundtable resume"), "{}", terminal.text());
    assert_eq!(seated.asked(), 4, "two rounds of two models");

    let mut killed = seated.start(&["resume"]);
    killed.wait_for(&["your turn in round 3", "your answer"]);
    killed.keys("Half of it is ty");
    killed.signal("KILL");
    killed.end();
    let mut again = seated.start(&["resume"]);
    again.wait_for(&["your turn in round 3", "your answer"]);
    again.keys("Still in stages.\r");
    again.wait_for(&["how sure are you"]);
    again.keys("\r");
    assert_eq!(again.end(), 0, "{}", again.text());
    assert_eq!(seated.asked(), 6, "nobody was asked twice");
    let text = |text: &str| Value::from(text);
    let wanted = [
        ("answered".to_owned(), text("In stages."), Value::from(0.7)),
        ("missed".to_owned(), Value::Null, Value::Null),
        ("answered".to_owned(), text("Still in stages."), Value::Null),
    ];
    assert_eq!(seated.done(), wanted);
}

#[test]
fn a_seat_of_ones_own_needs_a_person() {
    let home = Home::new();
    let said = home.refused(&["debate", "--agents", AGENTS, "Do we move?"]);
    assert!(said.contains("a person's seat") && said.contains("terminal"), "{said}");
}
