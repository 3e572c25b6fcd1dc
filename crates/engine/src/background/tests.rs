//! Progress as a caller sees it while a debate runs.

use debate::model::*;

use crate::background::host::{DebatePhase, DebateProgress};

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
