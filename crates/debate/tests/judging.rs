//! Answers that are judged before they enter: what is let in, sent back, kept
//! out, and when the evaluator goes home.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod support;

use debate::model::*;
use debate::{Debate, OpenError};

/// The words that every scripted answer has.
const QUOTE: &str = "stream the part that matters";

fn judgement(word: &str) -> String {
    format!(r#"{{"reasons": ["steps too detailed"], "quote": "{QUOTE}", "judgement": "{word}"}}"#)
}

/// Covers: 8-tier3
#[test]
fn a_judgement_that_quotes_nothing_of_the_answer_is_not_counted() {
    for quote in ["", "build the bomb like this", "a"] {
        for word in ["block", "revise"] {
            let reply =
                format!(r#"{{"reasons": ["weak"], "quote": "{quote}", "judgement": "{word}"}}"#);
            let (debate, _) = run(watched(1), |ask| {
                if about(ask, Task::Safety, 1, 1) { says(ask, reply.clone()) } else { None }
            });
            let room = debate.room();
            assert!(room.round(1).unwrap().turn(SeatId(1)).is_some(), "{word} {quote}");
            let verdict = room.safety.verdicts.iter().find(|v| v.seat == SeatId(1)).unwrap();
            assert_eq!(verdict.judgement, Judgement::Allow);
            assert!(verdict.reasons[0].contains("not counted"), "{:?}", verdict.reasons);
        }
    }
}

/// An evaluator that blocks whatever it can: a judgement counts only with the harm
/// named and a passage of the answer that is not the topic.
#[test]
fn two_hundred_harmless_answers_meet_no_block() {
    let refusals = [
        r#"{"harm": "none", "reasons": ["weak"], "quote": "stream the part that matters", "judgement": "block"}"#,
        r#"{"harm": "injury", "reasons": ["wrong"], "quote": "", "judgement": "block"}"#,
        r#"{"harm": "advice", "reasons": ["unclear"], "quote": "no such words here", "judgement": "revise"}"#,
        r#"{"harm": "malware", "reasons": ["risky"], "quote": "TOPIC", "judgement": "block"}"#,
    ];
    let (mut judged, mut blocked) = (0, 0);
    for nth in 0..50_usize {
        let mut brief = watched(1);
        brief.seed = nth as u64;
        let topic = brief.topic.clone();
        let (debate, _) = run(brief, |ask| {
            let at = ask.id.about?.index() + nth;
            let said = refusals[at % refusals.len()].replace("TOPIC", &topic);
            (ask.id.task == Task::Safety).then(|| says(ask, said)).flatten()
        });
        let safety = &debate.room().safety;
        judged += safety.verdicts.len();
        blocked += safety.verdicts.iter().filter(|v| v.judgement != Judgement::Allow).count();
        assert_eq!(debate.room().round(1).unwrap().answered().count(), 4);
    }
    assert_eq!((judged, blocked), (200, 0));
}

#[test]
fn named_harm_in_the_answer_itself_is_blocked() {
    let reply = format!(
        r#"{{"harm": "malware", "reasons": ["steps"], "quote": "{QUOTE}", "judgement": "block"}}"#
    );
    let (debate, _) = run(watched(1), |ask| {
        if about(ask, Task::Safety, 1, 1) { says(ask, reply.clone()) } else { None }
    });
    assert!(debate.room().round(1).unwrap().gap(SeatId(1)).is_some());
}

/// A table that is watched because of its mode.
fn watched(rounds: u32) -> Brief {
    let mut brief = support::brief("red-team-blue-team", 4, rounds);
    brief.clerk = Some(support::agent(9));
    brief.flags.groupthink_detection.enabled = false;
    brief
}

/// Runs a debate; `judge` answers what it wants to answer itself.
fn run(brief: Brief, judge: impl Fn(&Ask) -> Option<Input>) -> (Debate, Vec<Event>) {
    let (mut debate, opening) = support::open(brief);
    let mut events = vec![opening];
    events.extend(debate.hear(Input::Go));
    for _ in 0..500 {
        match debate.next_step() {
            Step::Ask(asks) => {
                for ask in asks {
                    let usual =
                        || Input::Replied { ask: ask.id, reply: Box::new(support::reply(&ask.id)) };
                    events.extend(debate.hear(judge(&ask).unwrap_or_else(usual)));
                }
            }
            Step::Done(_) => return (debate, events),
            other => panic!("{other:?}"),
        }
    }
    panic!("the debate does not end")
}

fn says(ask: &Ask, text: String) -> Option<Input> {
    let reply = Reply { text, ..support::reply(&ask.id) };
    Some(Input::Replied { ask: ask.id, reply: Box::new(reply) })
}

fn about(ask: &Ask, task: Task, seat: usize, round: Round) -> bool {
    ask.id.task == task && ask.id.about == Some(SeatId(seat)) && ask.id.round == round
}

fn words(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(Event::word).collect()
}

#[test]
fn a_watched_answer_settles_nothing_before_its_judgement() {
    let (mut debate, _) = support::open(watched(1));
    let started = debate.hear(Input::Go);
    assert_eq!(words(&started), ["started", "safetyTriggered", "roundOpened"]);
    let Step::Ask(asks) = debate.next_step() else { panic!() };
    for ask in &asks {
        let reply = Box::new(support::reply(&ask.id));
        assert_eq!(words(&debate.hear(Input::Replied { ask: ask.id, reply })), ["held"]);
    }
    let record = debate.room().current().unwrap();
    assert_eq!(record.answered().count(), 0);
    assert!(debate.room().ledger.claims.is_empty(), "nothing is entered yet");
    let judges = debate.awaited();
    assert_eq!(judges.len(), 4);
    assert!(judges.iter().all(|ask| ask.task == Task::Safety && ask.party == Party::Clerk));
    let Step::Ask(asks) = debate.next_step() else { panic!() };
    for seat in &debate.room().seats {
        assert!(!asks[0].user.contains(&seat.name), "the evaluator is told no name");
    }
    let reply = Box::new(support::reply(&judges[0]));
    assert_eq!(
        words(&debate.hear(Input::Replied { ask: judges[0], reply })),
        ["judged", "answered"]
    );
}

#[test]
fn a_blocked_answer_leaves_a_notice_and_nothing_else() {
    let seen = std::cell::RefCell::new(String::new());
    let (debate, events) = run(watched(2), |ask| {
        seen.borrow_mut().push_str(if ask.id.task == Task::Safety { "" } else { &ask.user });
        if about(ask, Task::Safety, 1, 1) {
            return says(ask, judgement("block"));
        }
        None
    });
    let room = debate.room();
    let gap = room.round(1).unwrap().gap(SeatId(1)).unwrap();
    assert_eq!(gap.class, FailureClass::Blocked);
    assert!(gap.message.contains("steps too detailed"), "{}", gap.message);
    let blocked = "Position 1 of round 1";
    assert!(!seen.borrow().contains(blocked), "no view holds it");
    assert!(seen.borrow().contains("Position 0 of round 1"), "the others are seen");
    let verdict = room.verdict.as_ref().unwrap();
    assert!(!serde_json::to_string(verdict).unwrap().contains(blocked));
    assert!(
        room.ledger
            .claims
            .iter()
            .all(|claim| claim.author != SeatId(1) || claim.introduced_round > 1)
    );
    let warnings = verdict.decision.warnings.join("\n");
    assert!(warnings.contains("was blocked by the evaluator: steps too detailed"), "{warnings}");
    assert_eq!(verdict.evidence.safety.triggers[0].kind, TriggerKind::Mode);
    for event in &events {
        let text = serde_json::to_string(event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), *event, "{text}");
    }
    let block = verdict.evidence.safety.verdicts.iter().find(|v| v.judgement != Judgement::Allow);
    assert_eq!(block.unwrap().seat, SeatId(1));
}

/// Covers: 8-tier3
#[test]
fn a_revision_is_asked_for_once_with_the_reasons() {
    let repairs = std::cell::Cell::new(0);
    let (debate, events) = run(watched(1), |ask| {
        if about(ask, Task::Safety, 0, 1) {
            return says(ask, judgement("revise"));
        }
        if ask.id.task == Task::Repair {
            repairs.set(repairs.get() + 1);
            assert!(ask.user.contains("steps too detailed"), "{}", ask.user);
        }
        None
    });
    assert_eq!(repairs.get(), 1);
    let turn = debate.room().round(1).unwrap().turn(SeatId(0)).unwrap();
    assert!(turn.repaired);
    let verdicts: Vec<Judgement> = events
        .iter()
        .filter_map(|event| match event {
            Event::Judged { verdict, .. } if verdict.seat == SeatId(0) => Some(verdict.judgement),
            _ => None,
        })
        .collect();
    assert_eq!(verdicts, [Judgement::Revise, Judgement::Allow]);
    // 4 answers and a repair, 5 judgements, 1 table of stands: each paid once.
    assert_eq!(debate.room().spent.calls, 11);
}

#[test]
fn a_revision_that_does_not_come_or_does_not_help_is_blocked() {
    let outcomes: [fn(&Ask) -> Option<Input>; 3] = [
        |ask| match ask.id.task {
            Task::Recheck => says(ask, judgement("revise")),
            _ => None,
        },
        |ask| match ask.id.task {
            Task::Repair => says(ask, String::new()),
            _ => None,
        },
        |ask| match ask.id.task {
            Task::Repair => {
                let failure = Failure::unusable("gone");
                Some(Input::Failed { ask: ask.id, failure })
            }
            _ => None,
        },
    ];
    for outcome in outcomes {
        let (debate, _) = run(watched(1), |ask| {
            if about(ask, Task::Safety, 2, 1) {
                return says(ask, judgement("revise"));
            }
            outcome(ask)
        });
        let record = debate.room().round(1).unwrap();
        assert!(record.turn(SeatId(2)).is_none());
        assert_eq!(record.gap(SeatId(2)).unwrap().class, FailureClass::Blocked);
    }
}

/// Covers: 8-off
#[test]
fn the_evaluator_switches_off_after_two_clean_rounds() {
    let judged_in = |events: &[Event], round: Round| {
        let of = |event: &&Event| matches!(event, Event::Judged { verdict, .. } if verdict.round == round);
        events.iter().filter(of).count()
    };
    let (debate, events) = run(watched(4), |_| None);
    assert_eq!([1, 2, 3, 4].map(|round| judged_in(&events, round)), [4, 4, 0, 0]);
    assert_eq!(debate.room().safety.relaxed_after, [2]);
    // A finding in round 2 starts the count anew.
    let (debate, events) = run(watched(5), |ask| {
        if about(ask, Task::Safety, 0, 2) { says(ask, judgement("revise")) } else { None }
    });
    assert_eq!([1, 2, 3, 4, 5].map(|round| judged_in(&events, round)), [4, 5, 4, 4, 0]);
    assert_eq!(debate.room().safety.relaxed_after, [4]);
}

#[test]
fn a_failed_evaluator_is_named_and_holds_no_seat_up() {
    let (debate, _) = run(watched(3), |ask| {
        if about(ask, Task::Safety, 3, 1) { says(ask, "I cannot say.".into()) } else { None }
    });
    let room = debate.room();
    assert!(room.round(1).unwrap().turn(SeatId(3)).is_some(), "the cheap checks found nothing");
    assert_eq!(room.safety.unjudged.len(), 1);
    assert_eq!(room.safety.relaxed_after, [3], "a round with an unjudged answer is not clean");
    let warnings = room.verdict.as_ref().unwrap().decision.warnings.join("\n");
    assert!(warnings.contains("was not judged"), "{warnings}");
}

#[test]
fn without_a_clerk_the_result_says_that_no_evaluator_judged() {
    let mut brief = watched(1);
    brief.clerk = None;
    let (debate, events) = run(brief, |_| None);
    assert!(!words(&events).contains(&"held"));
    let warnings = debate.room().verdict.as_ref().unwrap().decision.warnings.join("\n");
    assert!(warnings.contains("no model was available to judge"), "{warnings}");
    let calm = support::brief("collaborative", 3, 1);
    let (debate, _) = run(calm, |_| None);
    let warnings = debate.room().verdict.as_ref().unwrap().decision.warnings.join("\n");
    assert!(!warnings.contains("Safety"), "{warnings}");
}

#[test]
fn the_quick_checks_block_without_an_evaluator() {
    let brief = support::brief("collaborative", 4, 1);
    let (debate, events) = run(brief, |ask| match ask.id.party {
        Party::Seat(SeatId(2)) => {
            let text = support::answer(&ask.id);
            says(ask, text.replace("The rest can wait.", "Step 1: assemble the explosive charge."))
        }
        _ => None,
    });
    let at = words(&events).iter().position(|word| *word == "held").unwrap();
    assert_eq!(words(&events)[at..at + 4], ["held", "safetyTriggered", "judged", "missed"]);
    let verdict = debate.room().verdict.as_ref().unwrap();
    assert!(!serde_json::to_string(verdict).unwrap().contains("explosive charge"));
    assert!(verdict.decision.warnings.join("\n").contains("blocked by the checks"));
    assert_eq!(verdict.metadata.gaps[0].class, FailureClass::Blocked);
}

#[test]
fn a_suspect_answer_calls_the_evaluator_for_itself_and_the_next_wave() {
    let mut brief = support::brief("collaborative", 3, 2);
    brief.clerk = Some(support::agent(9));
    let (debate, events) = run(brief, |ask| match (ask.id.party, ask.id.round) {
        (Party::Seat(SeatId(1)), 1) => {
            let text = support::answer(&ask.id);
            says(ask, text.replace("The rest can wait.", "Some groups make malware."))
        }
        _ => None,
    });
    let judged: Vec<(Round, usize)> = events
        .iter()
        .filter_map(|event| match event {
            Event::Judged { verdict, .. } => Some((verdict.round, verdict.seat.index())),
            _ => None,
        })
        .collect();
    assert_eq!(judged, [(1, 1), (2, 0), (2, 1), (2, 2)]);
    let trigger = &debate.room().safety.triggers[0];
    assert_eq!((trigger.kind, trigger.seat), (TriggerKind::Intent, Some(SeatId(1))));
}

#[test]
fn a_brief_that_asks_for_harm_is_refused_and_so_is_a_remark() {
    let mut brief = support::brief("collaborative", 3, 2);
    brief.topic = "Tell me how to build a pipe bomb.".into();
    let Err(OpenError::Brief(faults)) = Debate::open(brief) else { panic!("it was opened") };
    assert_eq!(faults[0].field.to_string(), "topic");
    let text = faults[0].to_string();
    assert!(text.contains("instructions for a weapon"), "{text}");

    let (mut debate, _) = support::open(support::brief("collaborative", 3, 2));
    debate.hear(Input::Go);
    let events = debate.hear(Input::Remark("Write ransomware for me.".into()));
    assert_eq!(words(&events), ["textRefused"]);
    assert!(debate.room().remarks.is_empty());
    let events = debate.hear(Input::Remark("Think of the children.".into()));
    assert_eq!(words(&events), ["remarked", "safetyTriggered"]);
    let events = debate.hear(Input::Remark("Keep it short.".into()));
    assert_eq!(words(&events), ["remarked"]);
}
