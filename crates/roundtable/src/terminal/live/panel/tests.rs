//! The panel at every size.

use std::time::{Duration, Instant};

use debate::model::*;
use engine::nouns::SpeechDelta;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;

use super::{Foot, panel};
use crate::terminal::live::table::{LiveTable, SeatActivity};
use crate::terminal::page::thousands;
use crate::terminal::window::Size;

fn seat(index: usize, name: &str) -> Seat {
    Seat {
        id: SeatId(index),
        agent: index,
        name: name.into(),
        role: "r".into(),
        team: None,
        stance: None,
        perspective: None,
        anchor: Anchor::RiskAttentive,
    }
}

fn ask(index: usize) -> AskId {
    let party = Party::Seat(SeatId(index));
    AskId { round: 1, wave: 0, party, task: Task::Speak, about: None }
}

fn table(names: &[String], texts: &[String], now: Instant) -> LiveTable {
    let seats: Vec<Seat> = names.iter().enumerate().map(|(i, name)| seat(i, name)).collect();
    let mut table = LiveTable::new(now);
    table.seat(&seats, 3, now);
    let all: Vec<SeatId> = seats.iter().map(|seat| seat.id).collect();
    let opened = Event::RoundOpened { round: 1, kind: RoundKind::Planned, waves: vec![all] };
    table.take(&opened, now);
    let intents = (0..seats.len()).map(|i| Intent { ask: ask(i), reserved: None }).collect();
    table.take(&Event::Asked { intents }, now);
    for (index, text) in texts.iter().enumerate() {
        let delta = match index % 4 {
            0 => SpeechDelta::Text(text.clone()),
            1 => SpeechDelta::Searching(text.clone()),
            2 => SpeechDelta::Waiting { why: text.clone(), seconds: 4.0 },
            _ => SpeechDelta::Waiting { why: text.clone(), seconds: 0.0 },
        };
        table.delta(&ask(index), delta, now);
    }
    table
}

/// Words of models: anything, and above all what terminals dislike.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~\u{1b}\u{7}\u{9b}\r\n\t日本語עבריתe\u{301}😀]{0,300}",
        Just("\u{1b}]0;x\u{7}\u{1b}[2J{\"position\": \"\\u001b[31mred".into()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever is written and however small the terminal: no row is too wide,
    /// there are never too many, and no sequence but a style is sent.
    #[test]
    fn the_panel_always_fits_and_never_commands_the_terminal(
        names in proptest::collection::vec(hostile(), 2..10),
        texts in proptest::collection::vec(hostile(), 2..10),
        said in proptest::option::of(hostile()),
        typed in hostile(),
        at in 0usize..300,
        width in 1usize..220,
        height in 1usize..60,
    ) {
        let now = Instant::now();
        let table = table(&names, &texts, now);
        let typed: String = typed.chars().filter(|c| !c.is_control()).collect();
        let cursor = at.min(typed.chars().count());
        let foot = Foot::Prompt { label: "remark".into(), text: typed, cursor };
        let size = Size { width, height };
        let said = said.map(|said| crate::document::escape::clean_line(&said));
        let later = now + Duration::from_secs(5);
        let picture = panel(&table, said.as_deref(), &foot, size, later);
        prop_assert!(picture.lines.len() <= height.saturating_sub(1).max(1));
        for line in &picture.lines {
            let styled = line.styled(width - 1);
            let plain = anstream::adapter::strip_str(&styled).to_string();
            prop_assert!(plain.width() < width.max(1), "{plain:?} in {width}");
            prop_assert!(!plain.chars().any(char::is_control), "{plain:?}");
        }
        let (row, _) = picture.cursor.unwrap();
        prop_assert!(row < picture.lines.len());
    }
}

#[test]
fn a_retry_counts_down_and_a_call_is_timed_from_its_asking() {
    let now = Instant::now();
    let names = ["Ann".to_owned(), "Bea".to_owned(), "Cem".to_owned()];
    let texts = ["{\"reasoning\": \"so".into(), "tea".into(), "busy".into()];
    let table = table(&names, &texts, now);
    let size = Size { width: 80, height: 24 };
    let picture = panel(&table, None, &Foot::Nothing, size, now + Duration::from_secs(3));
    let rows: Vec<String> = picture
        .lines
        .iter()
        .map(|line| anstream::adapter::strip_str(&line.styled(79)).to_string())
        .collect();
    assert!(rows[1].contains("writing 0:03"), "{rows:#?}");
    assert!(rows[3].contains("for “tea”"), "{rows:#?}");
    assert!(rows[4].contains("in 1 s: busy"), "{rows:#?}");
    assert!(matches!(table.places[0].doing, SeatActivity::Writing(_)));
}

#[test]
fn numbers_are_readable() {
    for (number, words) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(thousands(number), words);
    }
}
