//! The clerk reads a round while the next one is held, where nothing depends on its
//! reading, and the order in which the two answer changes nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod support;

use debate::Debate;
use debate::model::*;

fn with_clerk(mode: &str, rounds: u32) -> Brief {
    Brief { clerk: Some(support::agent(9)), ..support::brief(mode, 3, rounds) }
}

/// A debate that looks for no groupthink, so that agreement changes nothing.
fn unwatched(rounds: u32) -> Brief {
    let mut brief = with_clerk("collaborative", rounds);
    brief.flags.groupthink_detection.enabled = false;
    brief
}

/// Answers all asks of each step at once; returns the asks of every step.
fn stages(brief: Brief) -> Vec<Vec<String>> {
    let (mut debate, _) = support::open(brief);
    debate.hear(Input::Go);
    let mut stages = Vec::new();
    while let Step::Ask(asks) = debate.next_step() {
        stages.push(asks.iter().map(|ask| ask.id.to_string()).collect());
        for ask in asks {
            let reply = Box::new(support::reply(&ask.id));
            debate.hear(Input::Replied { ask: ask.id, reply });
        }
    }
    assert!(debate.room().verdict.is_some());
    assert!(debate.room().rounds.iter().all(|round| round.closed && round.analysis.is_some()));
    stages
}

/// Three rounds and the last reading.
#[test]
fn three_rounds_with_a_clerk_take_four_stages() {
    let stages = stages(unwatched(3));
    assert_eq!(stages.len(), 4, "{stages:#?}");
    assert_eq!(stages[1].len(), 5, "three seats, the reading and the summary: {stages:#?}");
    assert_eq!(stages[2].len(), 4, "no summary of the last two rounds is read: {stages:#?}");
}

#[test]
fn an_exit_a_round_of_objections_and_the_end_wait_for_the_clerk() {
    assert_eq!(stages(unwatched(2)).len(), 3);
    let mut exits = unwatched(2);
    exits.flags.exit_criteria.enabled = true;
    assert_eq!(stages(exits).len(), 4, "agreement could end it");
    assert_eq!(stages(with_clerk("collaborative", 2)).len(), 4, "agreement could lengthen it");
    let mut delphi = with_clerk("delphi", 2);
    delphi.flags.groupthink_detection.enabled = false;
    assert_eq!(stages(delphi).len(), 4, "the next round is shown the groups");
}

/// Votes say if all agree, so a closed question does not wait.
#[test]
fn a_split_vote_does_not_wait_for_the_clerk() {
    let closed = Brief { question: Question::YesNo, ..with_clerk("collaborative", 3) };
    let (mut debate, _) = support::open(closed);
    debate.hear(Input::Go);
    let Step::Ask(asks) = debate.next_step() else { panic!("no ask") };
    for (place, ask) in asks.into_iter().enumerate() {
        let mut reply = support::reply(&ask.id);
        let said = if place == 0 { "yes" } else { "no" };
        reply.text = reply.text.replacen('{', &format!("{{\"answer\": \"{said}\", "), 1);
        debate.hear(Input::Replied { ask: ask.id, reply: Box::new(reply) });
    }
    let waits: Vec<Task> = debate.awaited().iter().map(|ask| ask.task).collect();
    assert!(waits.contains(&Task::Speak) && waits.contains(&Task::Consensus), "{waits:?}");
}

/// Holds a debate in which the clerk is answered last or first, and kills the program
/// after every event.
fn held(clerk_first: bool) -> (Vec<String>, Vec<RoundAnalysis>, Verdict) {
    let (mut debate, opening) = support::open(unwatched(4));
    let mut log = vec![opening];
    log.extend(debate.hear(Input::Go));
    let mut prompts = Vec::new();
    loop {
        let step = debate.next_step();
        for kept in 1..=log.len() {
            let cut = Debate::replay(log[..kept].to_vec()).unwrap();
            if kept == log.len() {
                assert_eq!(cut.next_step(), step);
            }
        }
        let Step::Ask(asks) = step else { break };
        let mut asks: Vec<Ask> = asks;
        asks.sort_by_key(|ask| (ask.id.party == Party::Clerk) != clerk_first);
        let ask = asks.remove(0);
        prompts.push(format!("{}\n{}\n{}", ask.id, ask.system, ask.user));
        let reply = Box::new(support::reply(&ask.id));
        log.extend(debate.hear(Input::Replied { ask: ask.id, reply }));
    }
    prompts.sort_unstable();
    let room = debate.room();
    let found = room.rounds.iter().map(|round| round.analysis.clone().unwrap()).collect();
    (prompts, found, room.verdict.clone().unwrap())
}

#[test]
fn a_late_clerk_and_a_quick_one_lead_to_the_same_debate() {
    let (late, quick) = (held(false), held(true));
    assert_eq!(late.0, quick.0, "every ask is the same, word for word");
    assert_eq!(late.1, quick.1);
    assert_eq!(late.2, quick.2);
}

#[test]
fn a_debate_stopped_while_the_clerk_reads_counts_the_round_it_reads() {
    let (mut debate, _) = support::open(unwatched(3));
    debate.hear(Input::Go);
    while debate.room().rounds.len() < 2 {
        let Step::Ask(asks) = debate.next_step() else { panic!("no ask") };
        let ask = asks.into_iter().next().unwrap();
        let reply = Box::new(support::reply(&ask.id));
        debate.hear(Input::Replied { ask: ask.id, reply });
    }
    assert!(!debate.room().rounds[0].closed);
    debate.hear(Input::Stop);
    let verdict = debate.room().verdict.as_ref().unwrap();
    assert!(!verdict.card.decision.is_empty());
    assert_eq!(verdict.metadata.rounds, 2);
}

/// The caller's files come before everything that differs from seat to seat and from
/// round to round, so that a provider can keep them.
#[test]
fn the_message_begins_with_the_same_bytes_for_all_seats_and_rounds() {
    let file = |name: &str| Attachment { name: name.into(), text: "tenant,share\n".repeat(200) };
    let attachments = vec![file("writes.csv"), file("reads.csv")];
    let brief = Brief { attachments, ..support::brief("collaborative", 3, 3) };
    let mut beginnings = Vec::new();
    support::run(brief, |ask| {
        assert!(ask.shown.same_bytes > 4_000, "{}", ask.shown.same_bytes);
        beginnings.push(ask.user[..ask.shown.same_bytes].to_owned());
        assert!(!ask.user[ask.shown.same_bytes..].contains("tenant,share"));
    });
    beginnings.dedup();
    assert_eq!(beginnings.len(), 1);
}
