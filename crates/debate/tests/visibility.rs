//! Who sees what.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "support/rooms.rs"]
mod rooms;

use debate::briefing::{SharedParts, View, ViewReader, view};
use debate::model::*;
use rooms::{ANONYMOUS, EVERYTHING, Shape};

fn shape(rounds: u32) -> Shape {
    Shape { seed: 2, agents: 4, rounds, words: 20, claims: 1, contested: 50, window: None, gaps: 0 }
}

/// A room whose answers say who gave them in which round.
fn voices(rounds: u32, spoken: usize) -> Room {
    let mut room = rooms::room(&shape(rounds));
    rooms::open_round(&mut room, &shape(rounds), spoken);
    for turn in room.rounds.iter_mut().flat_map(|record| record.turns.iter_mut().flatten()) {
        turn.answer.position = format!("voice-{}-{}", turn.round, turn.seat.0);
    }
    room
}

fn look(room: &Room, plan: ViewPlan, seat: usize, wave: usize) -> View {
    let round = room.rounds.len() as Round;
    let fence = rooms::fence(room, round, SeatId(seat));
    let plan = rooms::plan(plan);
    view(&ViewReader {
        room,
        plan: &plan,
        seat: SeatId(seat),
        round,
        wave,
        fence: &fence,
        shared: &SharedParts::default(),
    })
}

fn heard(view: &View) -> Vec<&str> {
    let voices = view.text.split(|char: char| !char.is_ascii_alphanumeric() && char != '-');
    voices.filter(|word| word.starts_with("voice-")).collect()
}

#[test]
fn only_earlier_waves_of_this_round_are_heard() {
    let room = voices(1, 4);
    let seen = look(&room, EVERYTHING, 2, 2);
    let all = ["voice-1-0", "voice-1-1", "voice-1-2", "voice-1-3", "voice-2-0", "voice-2-1"];
    assert_eq!(heard(&seen), all);
    let nothing = ViewPlan { this_round: ThisRound::Nothing, ..EVERYTHING };
    assert_eq!(heard(&look(&room, nothing, 2, 2)), all[..4]);
}

#[test]
fn teams_hear_their_own_now_and_the_others_before() {
    let room = voices(1, 4);
    let plan = ViewPlan {
        earlier: EarlierRounds::OtherTeams,
        this_round: ThisRound::OwnTeamSoFar,
        ..EVERYTHING
    };
    let seen = look(&room, plan, 2, 2);
    assert_eq!(heard(&seen), ["voice-1-1", "voice-1-2", "voice-1-3", "voice-2-0"]);
}

#[test]
fn the_answer_just_before_is_the_one_to_rebut() {
    let room = voices(1, 2);
    let seen = look(&room, EVERYTHING, 2, 2);
    assert_eq!(seen.text.matches("the answer to rebut").count(), 1);
    assert!(seen.text.contains("## Agent1 (role1): the answer to rebut"));
    let first = look(&voices(1, 0), EVERYTHING, 0, 0);
    assert!(first.text.contains("## Agent3 (role3): the answer to rebut"));
    let last = look(&voices(1, 0), EVERYTHING, 3, 0);
    assert!(!last.text.contains("the answer to rebut"), "nobody rebuts their own answer");
}

#[test]
fn named_views_tell_who_is_who_and_who_you_are() {
    let seen = look(&voices(1, 0), EVERYTHING, 1, 0);
    assert!(seen.text.contains("- Agent1 (role1, you): vote "));
    assert!(seen.text.contains("## Agent1 (role1, you)"));
    assert!(seen.text.contains("## Agent2 (role2)\n"));
}

#[test]
fn a_missing_answer_is_named_or_counted() {
    let mut room = voices(1, 0);
    room.rounds[0].turns[2] = None;
    room.rounds[0].gaps.push(Gap {
        seat: SeatId(2),
        agent: "Agent2".into(),
        round: 1,
        wave: 0,
        class: FailureClass::TimedOut,
        message: String::new(),
        tries: 3,
        bill: Bill::default(),
    });
    let named = look(&room, EVERYTHING, 0, 0).text;
    assert!(named.contains("Missing answers: Agent2 in round 1 (timed out)\n"));
    let anonymous = look(&room, ANONYMOUS, 0, 0).text;
    assert!(anonymous.contains("Missing answers: 1 in round 1\n"));
}

#[test]
fn older_rounds_are_in_short_and_the_oldest_only_in_the_state() {
    let seen = look(&voices(6, 0), EVERYTHING, 0, 0);
    assert_eq!(seen.shown.summaries, [4, 5]);
    assert!(seen.text.contains("# Round 6, the one before"));
    assert!(seen.text.contains("rounds 1 to 3 stand only in the state"));
    assert!(heard(&seen).iter().all(|voice| voice.starts_with("voice-6-")));
}

#[test]
fn claims_of_this_round_are_hidden_with_their_authors() {
    let mut room = voices(1, 2);
    let mut claim = room.ledger.claims[0].clone();
    claim.id = ClaimId::from_index(room.ledger.claims.len());
    (claim.introduced_round, claim.author, claim.text) = (2, SeatId(1), "brand-new".into());
    room.ledger.claims.push(claim);
    assert!(look(&room, EVERYTHING, 2, 2).text.contains("brand-new"));
    let nothing = ViewPlan { this_round: ThisRound::Nothing, ..EVERYTHING };
    assert!(!look(&room, nothing, 2, 2).text.contains("brand-new"));
}

#[test]
fn open_questions_are_listed_until_answered() {
    let mut room = voices(1, 0);
    for claim in &mut room.ledger.claims {
        claim.label = Label::Fact;
    }
    let mut ask = |status, answered: &[ClaimId]| {
        let id = ClaimId::from_index(room.ledger.claims.len());
        let mut claim = room.ledger.claims[0].clone();
        (claim.id, claim.label, claim.status) = (id, Label::Open, status);
        claim.supported_by = answered.to_vec();
        room.ledger.claims.push(claim);
        id
    };
    let open = ask(ClaimStatus::Open, &[]);
    ask(ClaimStatus::Retracted, &[]);
    ask(ClaimStatus::Open, &[ClaimId(1)]);
    let listed = look(&room, EVERYTHING, 0, 0).text;
    assert!(listed.contains(&format!("Open questions, not yet answered: {open}\n")));
    let silent = ViewPlan { open_questions: false, ..EVERYTHING };
    assert!(!look(&room, silent, 0, 0).text.contains("Open questions"));
}

#[test]
fn the_group_is_told_in_figures() {
    let mut room = voices(1, 0);
    let answers =
        [(0.2, Ballot::Accept), (0.4, Ballot::Minor), (0.6, Ballot::Minor), (0.8, Ballot::Blocker)];
    for (turn, (confidence, ballot)) in room.rounds[0].turns.iter_mut().flatten().zip(answers) {
        turn.answer.confidence = Some(confidence);
        turn.answer.vote = Some(Vote { ballot, objection: None });
    }
    let seen = look(&room, ANONYMOUS, 0, 0).text;
    assert!(seen.contains(
        "The group: 4 of 4 answered; confidence mean 0.50, median 0.50, interquartile range \
         0.35 to 0.65; votes: 1 ACCEPT, 2 MINOR, 1 BLOCKER.\n"
    ));
}

#[test]
fn the_users_words_hold_and_stand_outside_the_fence() {
    let mut room = voices(1, 0);
    room.remarks = vec![Remark { round: 1, text: "No new\nvendors.".into() }];
    let seen = look(&room, EVERYTHING, 0, 0).text;
    assert!(seen.contains("The user said, and it holds:\n- In round 1: No new vendors.\n"));
}

#[test]
fn tools_are_counted() {
    let mut room = voices(1, 0);
    let call = |tool: &str| ToolCall {
        tool: tool.into(),
        arguments: serde_json::Value::Null,
        result: String::new(),
        duration_ms: 1,
        shared: false,
    };
    let turn = room.rounds[0].turns[0].as_mut().expect("answered");
    turn.tool_calls = vec![call("web_search"), call("fetch"), call("web_search")];
    assert!(look(&room, EVERYTHING, 0, 0).text.contains("; tools web_search x2, fetch x1"));
}

#[test]
fn a_tiny_window_still_tells_votes_confidence_and_claims() {
    let mut big = shape(2);
    (big.agents, big.words, big.window) = (8, 800, Some(4_096));
    let mut room = rooms::room(&big);
    rooms::open_round(&mut room, &big, 0);
    let seen = look(&room, EVERYTHING, 0, 0);
    assert!(seen.text.contains("answers in short"));
    for number in 0..8 {
        let line = format!("Agent{number}: vote ");
        assert!(seen.text.contains(&line), "{line} in {}", seen.text);
    }
    assert!(seen.shown.left_out.contains(&"the reasoning of round 2".to_owned()));
}
