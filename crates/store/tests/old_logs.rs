//! Logs of earlier versions still parse, say the same when written again, and
//! still lead to the verdict they led to. The files in `data/` are recordings
//! of real runs: add one per version, never edit one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use debate::Debate;
use debate::model::Event;

fn recorded() -> Vec<(PathBuf, Vec<String>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut found: Vec<(PathBuf, Vec<String>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, text.lines().map(str::to_owned).collect())
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no recorded logs");
    found
}

fn read(path: &std::path::Path, line: usize, text: &str) -> Event {
    serde_json::from_str(text)
        .unwrap_or_else(|error| panic!("{} line {}: {error}", path.display(), line + 1))
}

#[test]
fn every_recorded_event_says_the_same_when_written_again() {
    for (path, lines) in recorded() {
        for (line, text) in lines.iter().enumerate() {
            let event = read(&path, line, text);
            let again: Event =
                serde_json::from_str(&serde_json::to_string(&event).unwrap()).unwrap();
            assert_eq!(event, again, "{} line {}", path.display(), line + 1);
        }
    }
}

#[test]
fn every_recorded_debate_leads_to_the_verdict_it_led_to() {
    for (path, lines) in recorded() {
        let log: Vec<Event> =
            lines.iter().enumerate().map(|(line, text)| read(&path, line, text)).collect();
        let debate = Debate::replay(log.clone()).unwrap();
        let Some(Event::Ended { verdict, .. }) = log.last() else {
            panic!("{} does not end", path.display());
        };
        assert_eq!(debate.room().verdict.as_ref(), Some(verdict.as_ref()), "{}", path.display());
    }
}
