//! What one reader was shown is the very same thing for the next one, not an equal one.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;
use crate::briefing::{ViewInputs, ViewReader, state};
use crate::model::{AskId, Event, Fence, Party, Task};
use crate::{Debate, modes};

#[test]
fn two_readers_of_a_wave_get_the_very_same_part() {
    let log = include_str!("../../../store/tests/data/log-v1.jsonl");
    let debate = Debate::replay(log.lines().map(|line| Event::read(line).unwrap())).unwrap();
    let room = debate.room();
    let plan = modes::find(&room.brief.mode).unwrap();
    let turn = room.round(1).and_then(|record| record.turn(SeatId(0))).unwrap();
    let seen = |seat: usize, shared: &SharedParts| {
        let party = Party::Seat(SeatId(seat));
        let ask = AskId { round: 2, wave: 0, party, task: Task::Speak, about: None };
        let fence = Fence::new(&room.brief.fence_key, &ask);
        let (seat, fence) = (SeatId(seat), &fence);
        let reader = ViewReader { room, plan, seat, round: 2, wave: 0, fence, shared };
        state::standing(&ViewInputs::of(&reader), 1, turn)
    };
    let shared = SharedParts::default();
    let first = seen(0, &shared);
    assert!(Rc::ptr_eq(&first, &seen(1, &shared)));
    assert!(Rc::ptr_eq(&first, &seen(2, &shared)));
    // Another wave makes its own.
    let later = seen(0, &SharedParts::default());
    assert_eq!(first, later);
    assert!(!Rc::ptr_eq(&first, &later));
}

#[test]
fn a_part_for_one_reader_alone_is_made_for_each() {
    let parts = PartsByKey::default();
    let one = parts.get_or_make(1, || ("of one", false));
    let other = parts.get_or_make(1, || ("of another", true));
    assert_eq!((*one, *other), ("of one", "of another"));
    assert!(Rc::ptr_eq(&other, &parts.get_or_make(1, || ("of a third", true))));
}
