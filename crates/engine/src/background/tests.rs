//! Progress as a caller sees it while a debate runs, the number of debates at a time, and the
//! debates that came to rest last.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use debate::Debate;
use debate::model::*;

use crate::background::host::{DebatePhase, DebateProgress};
use crate::background::pace::{MOST, Pace};
use crate::background::rested::RestedDebates;

fn standing() -> DebateProgress {
    DebateProgress {
        phase: DebatePhase::Running,
        round: 1,
        rounds: 2,
        turns: 0,
        seats: 3,
        agreement: None,
        last: String::new(),
        paused: None,
        trouble: None,
        told: 0,
    }
}

#[test]
fn a_round_beyond_the_plan_is_expected_too() {
    let mut standing = standing();
    assert_eq!(standing.expected(), 6);
    let waves = Vec::new();
    standing.take(&Event::RoundOpened { round: 3, kind: RoundKind::CriticalObjection, waves });
    assert_eq!(standing.expected(), 9);
    assert_eq!(standing.line(), "round 3/3 · round 3 began");
}

#[test]
fn a_pause_is_told_and_forgotten_when_it_goes_on() {
    let mut standing = standing();
    standing.take(&Event::Paused { reason: PauseReason::Asked });
    assert_eq!(standing.paused, Some(PauseReason::Asked));
    assert_eq!(standing.line(), "round 1/2 · paused: paused by a person");
    standing.take(&Event::Started);
    assert_eq!(standing.paused, None);
}

/// Has debates wait for every place, and has this many answers take this long.
fn answers(pace: &Pace, count: u32, took: Duration) {
    let places = pace.places();
    while let Ok(place) = places.try_acquire() {
        place.forget();
    }
    for _ in 0..count {
        pace.answered(took);
    }
}

#[test]
fn debates_run_at_once_as_long_as_answers_keep_their_pace() {
    let pace = Pace::new();
    let places = pace.places();
    assert_eq!(places.available_permits(), 8);
    let quick = Duration::from_millis(200);
    answers(&pace, 16, quick);
    assert_eq!(places.available_permits(), 8, "8 more");
    answers(&pace, 16, quick * 2);
    assert_eq!(places.available_permits(), 0, "answers got slower");
    let mut width = 16;
    for _ in 0..10 {
        answers(&pace, 16, quick);
        width += places.available_permits();
    }
    assert_eq!(width, MOST);
}

#[test]
fn no_place_is_added_while_one_is_free() {
    let pace = Pace::new();
    (0..64).for_each(|_| pace.answered(Duration::from_millis(1)));
    assert_eq!(pace.places().available_permits(), 8);
}

#[tokio::test(start_paused = true)]
async fn a_debate_is_shown_from_memory_once_and_only_while_its_log_ends_there() {
    let log = include_str!("../../../store/tests/data/log-v1.jsonl");
    let event = |line: &str| Event::read(line).unwrap();
    let after = |count: usize| Debate::replay(log.lines().take(count).map(event)).unwrap();
    let rested = RestedDebates::default();
    rested.keep("a", 5, after(5));
    assert_eq!(rested.take("a", 5).unwrap().room(), after(5).room());
    assert!(rested.take("a", 5).is_none(), "it was shown");
    rested.keep("a", 5, after(5));
    assert!(rested.take("a", 6).is_none(), "somebody went on with it");
    // It went on here and came to rest again.
    rested.keep("a", 5, after(5));
    rested.keep("a", 9, after(9));
    assert_eq!(rested.take("a", 9).unwrap().room(), after(9).room());
    ["a", "b", "c", "d", "e"].iter().for_each(|id| rested.keep(id, 1, after(1)));
    assert!(rested.take("a", 1).is_none() && rested.take("b", 1).is_some());
    tokio::time::advance(Duration::from_secs(3)).await;
    assert!(rested.take("c", 1).is_none(), "another may have its id by now");
}
