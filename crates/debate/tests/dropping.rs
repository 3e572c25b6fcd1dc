//! Seats that a person drops: asked no more, named in the result, and never so many that
//! nobody is left to debate with.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod support;

use debate::model::*;
use debate::{Debate, DropFault};

fn speak(round: u32, seat: usize) -> AskId {
    AskId { round, wave: 1, party: Party::Seat(SeatId(seat)), task: Task::Speak, about: None }
}

/// A debate of three seats over two rounds that has begun, and its log.
fn begun() -> (Debate, Vec<Event>) {
    let (mut debate, opening) = support::open(support::brief("collaborative", 3, 2));
    let mut log = vec![opening];
    log.extend(debate.hear(Input::Go));
    (debate, log)
}

fn answer(debate: &mut Debate, round: u32, seat: usize) -> Vec<Event> {
    let ask = speak(round, seat);
    debate.hear(Input::Replied { ask, reply: Box::new(support::reply(&ask)) })
}

fn fail(debate: &mut Debate, round: u32, seat: usize) -> Vec<Event> {
    let failure = Failure::unusable("it wrote nothing");
    debate.hear(Input::Failed { ask: speak(round, seat), failure })
}

#[test]
fn a_dropped_seat_is_asked_no_more_and_the_result_says_so() {
    let (mut debate, mut log) = begun();
    let reserved = Some(MicroUsd(400));
    let intents = (0..3).map(|seat| Intent { ask: speak(1, seat), reserved }).collect();
    log.extend(debate.hear(Input::Sending(intents)));
    assert_eq!(debate.sent_for(SeatId(2)), [speak(1, 2)]);
    log.extend(debate.hear(Input::Lost { ask: speak(1, 2) }));
    let events = debate.hear(Input::Drop(SeatId(2)));
    assert!(matches!(events.as_slice(), [Event::Dropped { .. }]), "{events:?}");
    log.extend(events);
    // Its call may have been billed; no other was made for it.
    let spent = debate.room().spent;
    assert_eq!((spent.ambiguous_calls, spent.possibly_billed), (1, MicroUsd(400)));
    assert_eq!(debate.awaited(), [speak(1, 0), speak(1, 1)]);
    // An answer that comes after all is none.
    assert_eq!(answer(&mut debate, 1, 2), []);
    for round in 1..=2 {
        for seat in 0..2 {
            log.extend(answer(&mut debate, round, seat));
        }
    }
    let second = debate.room().round(2).unwrap();
    assert_eq!(second.waves, [vec![SeatId(0), SeatId(1)]]);
    let verdict = debate.room().verdict.clone().unwrap();
    let said = verdict.decision.warnings.join("\n");
    assert!(said.contains("was dropped by a person in round 1 and not asked again"), "{said}");
    let beware = verdict.card.beware.join("\n");
    assert!(beware.contains("was dropped by a person in round 1"), "{beware}");
    assert!(!said.contains("has no answer"), "said twice: {said}");
    // The log says it all, wherever it is cut.
    for cut in 1..=log.len() {
        let replayed = Debate::replay(log[..cut].to_vec()).unwrap();
        assert!(!replayed.awaited().contains(&speak(2, 2)), "asked after {cut} events");
    }
    assert_eq!(Debate::replay(log).unwrap().room().verdict, Some(verdict));
}

#[test]
fn two_seats_remain_and_none_is_dropped_twice() {
    let (mut debate, _) = begun();
    assert_eq!(debate.may_drop(SeatId(3)), Err(DropFault::NoSuchSeat));
    assert_eq!(debate.hear(Input::Drop(SeatId(3))), []);
    debate.hear(Input::Drop(SeatId(0)));
    assert_eq!(debate.may_drop(SeatId(0)), Err(DropFault::Gone));
    assert_eq!(debate.may_drop(SeatId(1)), Err(DropFault::TooFew));
    assert_eq!(debate.hear(Input::Drop(SeatId(1))), []);
    debate.hear(Input::Stop);
    assert_eq!(debate.hear(Input::Drop(SeatId(1))), [], "the debate is over");
}

#[test]
fn a_debate_that_lost_its_quorum_goes_on_without_the_dropped_seat() {
    let (mut debate, mut log) = begun();
    log.extend(answer(&mut debate, 1, 0));
    log.extend(fail(&mut debate, 1, 1));
    log.extend(fail(&mut debate, 1, 2));
    assert!(matches!(debate.room().status, Status::Paused { .. }));
    log.extend(debate.hear(Input::Drop(SeatId(2))));
    log.extend(debate.hear(Input::Go));
    assert_eq!(debate.awaited(), [speak(1, 1)]);
    log.extend(answer(&mut debate, 1, 1));
    assert_eq!(debate.awaited(), [speak(2, 0), speak(2, 1)]);
    assert_eq!(Debate::replay(log).unwrap().awaited(), debate.awaited());
}

#[test]
fn a_seat_that_waits_for_the_caller_holds_nothing_up_when_it_is_dropped() {
    let (mut debate, _) = begun();
    let ask = speak(1, 2);
    let wanted = WantedContext {
        question: "How large is the team?".into(),
        why: "It decides the size.".into(),
        priority: Priority::Required,
    };
    let reply = Reply { requests: vec![wanted], ..support::reply(&ask) };
    debate.hear(Input::Replied { ask, reply: Box::new(reply) });
    assert_eq!(debate.room().open_requests().count(), 1);
    answer(&mut debate, 1, 0);
    answer(&mut debate, 1, 1);
    assert!(matches!(debate.room().status, Status::Paused { .. }));
    debate.hear(Input::Drop(SeatId(2)));
    assert_eq!(debate.room().open_requests().count(), 0);
    debate.hear(Input::Go);
    assert_eq!(debate.awaited(), [speak(2, 0), speak(2, 1)]);
}

#[test]
fn a_silent_seat_gets_a_short_chance_in_the_next_round() {
    let (mut debate, _) = begun();
    let whole = debate.room().brief.limits.timeout_seconds;
    let failure = Failure { class: FailureClass::TimedOut, ..Failure::unusable("silence") };
    debate.hear(Input::Failed { ask: speak(1, 2), failure });
    answer(&mut debate, 1, 0);
    answer(&mut debate, 1, 1);
    let Step::Ask(asks) = debate.next_step() else { panic!("nobody is asked") };
    let waits: Vec<u32> = asks.iter().map(|ask| ask.timeout_seconds).collect();
    assert_eq!(waits, [whole, whole, whole / 4]);
}
