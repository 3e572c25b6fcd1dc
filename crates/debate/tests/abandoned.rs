//! Calls that nobody waits for any more: possibly billed, asked again, and after
//! the third time given up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod support;

use debate::Debate;
use debate::model::*;

fn speak(seat: usize) -> AskId {
    AskId { round: 1, wave: 1, party: Party::Seat(SeatId(seat)), task: Task::Speak, about: None }
}

fn intent(seat: usize) -> Intent {
    Intent { ask: speak(seat), reserved: Some(MicroUsd(400)) }
}

/// A debate whose process sends all three asks of round 1, and its log.
fn sent() -> (Debate, Vec<Event>) {
    let (mut debate, opening) = support::open(support::brief("collaborative", 3, 1));
    let mut log = vec![opening];
    log.extend(debate.hear(Input::Go));
    log.extend(debate.hear(Input::Sending((0..3).map(intent).collect())));
    (debate, log)
}

#[test]
fn a_call_without_an_answer_is_possibly_billed_and_asked_again() {
    let (mut debate, mut log) = sent();
    let reply = Box::new(support::reply(&speak(1)));
    log.extend(debate.hear(Input::Replied { ask: speak(1), reply }));

    let mut resumed = Debate::replay(log).unwrap();
    let events = resumed.hear(Input::GaveUp { fetch_kept: true });
    assert_eq!(events, [Event::Ambiguous { intents: vec![intent(0), intent(2)] }]);
    assert_eq!(resumed.awaited(), [speak(0), speak(2)]);
    let spent = resumed.room().spent;
    assert_eq!((spent.calls, spent.ambiguous_calls), (3, 2));
    assert_eq!(spent.possibly_billed, MicroUsd(800));
    // Said once: nothing is on its way now.
    assert_eq!(resumed.hear(Input::GaveUp { fetch_kept: true }), []);
}

#[test]
fn an_ask_is_asked_again_twice_and_then_leaves_a_gap() {
    let (mut debate, mut log) = sent();
    for seat in [0, 1] {
        let reply = Box::new(support::reply(&speak(seat)));
        log.extend(debate.hear(Input::Replied { ask: speak(seat), reply }));
    }
    for again in 0..2 {
        let events = debate.hear(Input::GaveUp { fetch_kept: true });
        assert_eq!(events.len(), 1, "abandoned {again} times: {events:?}");
        assert_eq!(debate.awaited(), [speak(2)]);
        log.extend(events);
        log.extend(debate.hear(Input::Sending(vec![intent(2)])));
    }
    let events = debate.hear(Input::GaveUp { fetch_kept: true });
    assert!(matches!(&events[1], Event::Missed { ask, .. } if *ask == speak(2)), "{events:?}");
    log.extend(events);
    let verdict = debate.room().verdict.clone().unwrap();
    let spent = &verdict.metadata.spent;
    assert_eq!((verdict.metadata.gaps.len(), spent.ambiguous_calls, spent.calls), (1, 3, 5));
    // The log says it all.
    assert_eq!(Debate::replay(log).unwrap().room().verdict, Some(verdict));
}

#[test]
fn an_ask_that_costs_nothing_is_asked_again_as_often_as_it_takes() {
    let (mut debate, _) = sent();
    for seat in [0, 1] {
        let reply = Box::new(support::reply(&speak(seat)));
        debate.hear(Input::Replied { ask: speak(seat), reply });
    }
    debate.hear(Input::GaveUp { fetch_kept: true });
    for _ in 0..5 {
        let free = Intent { ask: speak(2), reserved: Some(MicroUsd::ZERO) };
        debate.hear(Input::Sending(vec![free]));
        debate.hear(Input::GaveUp { fetch_kept: true });
        assert_eq!(debate.awaited(), [speak(2)]);
    }
    assert_eq!(debate.room().spent.possibly_billed, MicroUsd(400));
}

#[test]
fn a_call_that_waits_for_money_rests_and_goes_on_with_what_it_used() {
    let (mut debate, mut log) = sent();
    let more = |rests| Input::Reserving {
        ask: speak(0),
        reserved: MicroUsd(if rests { 300 } else { 900 }),
        used: MicroUsd(300),
        rests,
    };
    log.extend(debate.hear(more(false)));
    assert_eq!(debate.past(&speak(0)).reserved, Some(MicroUsd(900)));
    assert!(!debate.can_go_on(&speak(0)), "a request is on its way");
    log.extend(debate.hear(more(true)));
    let mut resumed = Debate::replay(log).unwrap();
    assert!(resumed.can_go_on(&speak(0)));
    let past = resumed.past(&speak(0));
    assert_eq!((past.reserved, past.used), (Some(MicroUsd(300)), MicroUsd(300)));
    let lost = resumed.hear(Input::GaveUp { fetch_kept: true });
    assert_eq!(lost, [Event::Ambiguous { intents: vec![intent(1), intent(2)] }]);
    // No call of this name is on its way.
    assert_eq!(
        resumed.hear(Input::Reserving {
            ask: speak(7),
            reserved: MicroUsd(1),
            used: MicroUsd(0),
            rests: false,
        }),
        []
    );
}

#[test]
fn what_a_cut_off_conversation_may_have_cost_is_without_its_finished_steps() {
    let (mut debate, _) = sent();
    let bill = Bill { cost: Some(MicroUsd(150)), ..Bill::default() };
    let step = Box::new(ConversationStep { bill, ..*stepped(NextWord::Model) });
    debate.hear(Input::Stepped { ask: speak(0), step });
    let lost = debate.hear(Input::GaveUp { fetch_kept: true });
    let Event::Ambiguous { intents } = &lost[0] else { panic!("{lost:?}") };
    assert_eq!(intents[0].reserved, Some(MicroUsd(250)));
    assert_eq!(debate.used(&speak(0)), MicroUsd(150));
}

fn kept(id: &str) -> RemoteAnswer {
    RemoteAnswer { provider: "p".into(), model: "m".into(), id: id.into() }
}

#[test]
fn an_answer_stored_at_the_provider_is_fetched_not_given_up() {
    let (mut debate, mut log) = sent();
    log.extend(debate.hear(Input::Kept { ask: speak(1), kept: kept("a") }));
    // Said twice it is written once; a newer name takes the place of an older.
    assert_eq!(debate.hear(Input::Kept { ask: speak(1), kept: kept("a") }), []);
    log.extend(debate.hear(Input::Kept { ask: speak(1), kept: kept("b") }));

    let mut resumed = Debate::replay(log).unwrap();
    assert_eq!(resumed.kept(&speak(1)), Some(&kept("b")));
    let events = resumed.hear(Input::GaveUp { fetch_kept: true });
    assert_eq!(events, [Event::Ambiguous { intents: vec![intent(0), intent(2)] }]);
    assert_eq!(resumed.awaited(), [speak(0), speak(1), speak(2)]);
    let reply = Box::new(support::reply(&speak(1)));
    let events = resumed.hear(Input::Replied { ask: speak(1), reply });
    assert!(matches!(&events[0], Event::Answered { ask, .. } if *ask == speak(1)));
    assert_eq!(resumed.kept(&speak(1)), None);
    assert_eq!(resumed.room().spent.ambiguous_calls, 2);
}

#[test]
fn an_answer_the_provider_lost_is_possibly_billed_like_the_rest() {
    for heard in [Input::Lost { ask: speak(1) }, Input::GaveUp { fetch_kept: false }] {
        let (mut debate, _) = sent();
        debate.hear(Input::Kept { ask: speak(1), kept: kept("a") });
        debate.hear(Input::GaveUp { fetch_kept: true });
        assert_eq!(debate.hear(heard), [Event::Ambiguous { intents: vec![intent(1)] }]);
        assert_eq!(debate.kept(&speak(1)), None);
        assert!(debate.awaited().contains(&speak(1)));
    }
}

fn stepped(next: NextWord) -> Box<ConversationStep> {
    Box::new(ConversationStep {
        next,
        bill: Bill::default(),
        state: serde_json::json!({"step": 1}),
    })
}

#[test]
fn a_resting_conversation_continues_and_an_asked_one_is_asked_again() {
    let (mut debate, mut log) = sent();
    log.extend(debate.hear(Input::Kept { ask: speak(0), kept: kept("a") }));
    for (seat, next) in [(0, NextWord::Tools), (1, NextWord::Model), (2, NextWord::Nobody)] {
        let step = stepped(next);
        let event = Event::Stepped { ask: speak(seat), step: step.clone() };
        assert_eq!(
            debate.hear(Input::Stepped { ask: speak(seat), step }),
            std::slice::from_ref(&event)
        );
        log.push(event);
    }
    let mut resumed = Debate::replay(log).unwrap();
    // What was kept was the answer to the step that is here now.
    assert_eq!(resumed.kept(&speak(0)), None);
    let events = resumed.hear(Input::GaveUp { fetch_kept: true });
    assert_eq!(events, [Event::Ambiguous { intents: vec![intent(1)] }]);
    assert_eq!([0, 1, 2].map(|seat| resumed.can_go_on(&speak(seat))), [true, false, true]);
    // Asked again or not, nobody begins anew.
    for seat in 0..3 {
        assert_eq!(resumed.past(&speak(seat)).steps.len(), 1);
    }
    assert_eq!(resumed.past(&speak(0)).reserved, Some(MicroUsd(400)));
    let reply = Box::new(support::reply(&speak(0)));
    resumed.hear(Input::Replied { ask: speak(0), reply });
    assert!(resumed.past(&speak(0)).is_empty());
    // Whoever was not asked takes no steps.
    assert_eq!(resumed.hear(Input::Stepped { ask: speak(1), step: stepped(NextWord::Tools) }), []);
}

#[test]
fn a_delayed_call_is_recorded_and_changes_nothing() {
    let (mut debate, _) = sent();
    let before = debate.room().clone();
    let delayed = |seat| Input::Delayed { ask: speak(seat), why: "rested".into(), wait_ms: 1500 };
    let event = Event::Delayed { ask: speak(0), why: "rested".into(), wait_ms: 1500 };
    assert_eq!(debate.hear(delayed(0)), [event]);
    assert_eq!(*debate.room(), before);
    // Nobody sent this one.
    assert_eq!(debate.hear(delayed(7)), []);
}
