//! What a debate is counted for: votes against the agreement that was reported.
#![allow(clippy::unwrap_used)]

use debate::model::{Choice, RoundKind};

use super::*;
use crate::simulated::regimes::REGIMES;
use crate::simulated::{SimulatedItem as Truth, SimulatedSitting, brief};

/// A debate of simulated agents on a question of this number, in memory.
async fn held(sealed: bool, number: u64) -> Debate {
    let regime = &REGIMES[0];
    let mut brief = brief(regime, "collaborative");
    if sealed {
        brief.effort = debate::model::DebateEffort::Vote;
        brief.samples = 20;
    }
    let sitting = std::sync::Arc::new(SimulatedSitting::new(Truth::new(3, number), regime));
    let manner = std::sync::Arc::default();
    let panel = crate::simulated::lively::Lively::panel(&sitting, &manner);
    let (debate, _) = Debate::open(brief).unwrap();
    crate::venue::hold(debate, &panel, None, &CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn agreement_never_contradicts_the_votes() {
    for sealed in [false, true] {
        let (mut rounds, mut split) = (0, 0);
        for number in 0..12 {
            let debate = held(sealed, number).await;
            let found = checks(debate.room());
            assert_eq!((found.contradicted, found.lacking), (0, 0), "{found:?}");
            rounds += found.rounds;
            split += usize::from(debate.room().rounds.len() > 1);
        }
        assert!(rounds > 12 && split > 2, "{rounds} rounds, {split} questions with several");
    }
}

#[tokio::test]
async fn agreement_over_other_votes_is_a_contradiction() {
    let mut room = held(false, 5).await.room().clone();
    assert_eq!(room.rounds[0].kind, RoundKind::Planned);
    let level = |room: &mut Room, level| {
        room.rounds[0].analysis.as_mut().unwrap().consensus.agreement_level = Some(level);
    };
    for turn in room.rounds[0].turns.iter_mut().flatten() {
        turn.answer.answer = Some(Choice::Option("north".into()));
    }
    level(&mut room, 1.0);
    assert_eq!(checks(&room).contradicted, 0);
    level(&mut room, 0.6);
    assert_eq!(checks(&room).contradicted, 1, "one answer, and the table is said to differ");
    let one = room.rounds[0].turns[0].as_mut().unwrap();
    one.answer.answer = Some(Choice::Option("south".into()));
    assert_eq!(checks(&room).contradicted, 0);
    level(&mut room, 1.0);
    assert_eq!(checks(&room).contradicted, 1, "two answers, and the table is said to agree");
    // Who cannot say has no vote, and says so: nothing is lacking.
    let one = room.rounds[0].turns[0].as_mut().unwrap();
    (one.answer.answer, one.answer.cannot_say) = (None, Some("no figures".into()));
    let found = checks(&room);
    assert_eq!((found.contradicted, found.lacking, found.abstained), (0, 0, 1));
    room.rounds[0].turns[1].as_mut().unwrap().answer.confidence = None;
    assert_eq!(checks(&room).lacking, 1);
}
