//! Verdicts: levels, recommendations, and their reasons.
#![allow(dead_code)]
use debate::analysis::{quality, recent_quality, verdict};
use debate::model::*;

use super::near;
use super::table::*;

fn cap() -> Exit {
    Exit { rule: "rounds".into(), details: "3 of 3 rounds".into() }
}

fn judge(table: &Table) -> Verdict {
    verdict(&table.room, table.plan, &cap())
}

/// Positions that have no words in common.
const APART: [&str; 10] = [
    "Close it",
    "Lease lorries",
    "Hire drivers",
    "Merge both sites",
    "Ask customers",
    "Wait longer",
    "Outsource everything",
    "Cut fares",
    "Build northwards",
    "Share premises",
];

/// One round of solid, calm answers; the first `same` hold one position, and a
/// clerk finds that the seats stand alike on that share of the points.
fn calm(seats: usize, same: usize) -> Table {
    let mut table = Table::seats(seats);
    table.plan = &UNWATCHED;
    let said = |at: usize| says(APART[at]).sure(0.5 + at as f64 / 100.0).cites(&[1]);
    table.round((0..seats).map(said).collect());
    table.analyse_groups(same as f64 / seats as f64, same);
    table
}

/// Covers: 7.5-level
#[test]
fn levels_and_actions() {
    let decide = |seats, same| {
        let decision = judge(&calm(seats, same)).decision;
        (decision.consensus_level, decision.action_recommendation)
    };
    assert_eq!(decide(10, 7), (ConsensusLevel::High, Action::Proceed), "0.7");
    assert_eq!(decide(10, 6), (ConsensusLevel::Medium, Action::Verify), "0.6");
    assert_eq!(decide(5, 3), (ConsensusLevel::Medium, Action::Verify), "0.6");
    assert_eq!(decide(3, 1), (ConsensusLevel::Low, Action::QueryDetail), "0.33");
    assert_eq!(decide(1, 1), (ConsensusLevel::Unknown, Action::QueryDetail));
}

#[test]
fn a_seat_that_stands_apart_is_named_in_whole_sentences() {
    for (seats, same, sentence) in [
        (3, 2, "Read what C says differently."),
        (5, 3, "Read what D and E say differently."),
        (7, 4, "Read what E, F and G say differently."),
    ] {
        let decision = judge(&calm(seats, same)).decision;
        assert!(decision.reason.contains(sentence), "{seats}/{same}: {}", decision.reason);
    }
}

/// Covers: 7.6-tie
#[test]
fn an_even_split_is_no_decision() {
    let mut table = Table::seats(4);
    let (one, other) = (says("Keep the depot"), says("Sell the fleet"));
    table.round(vec![one.clone(), other.clone(), one, other]);
    table.analyse();
    let decision = judge(&table).decision;
    assert_eq!(decision.consensus_level, ConsensusLevel::Unknown);
    assert_eq!(decision.action_recommendation, Action::QueryDetail);
    assert!(decision.answer.contains("split between"), "{}", decision.answer);
    assert!(
        decision.answer.contains("Keep the depot") && decision.answer.contains("Sell the fleet")
    );
}

#[test]
fn other_words_alone_are_no_conflict() {
    let decide = |one: &str, other: &str| {
        let mut table = Table::seats(2);
        table.round(vec![says(one), says(other)]);
        table.analyse();
        judge(&table).decision
    };
    let reworded = decide("Keep the depot", "The yard should stay where it stands");
    assert_eq!(reworded.action_recommendation, Action::QueryDetail);
    assert!(reworded.answer.starts_with("No two answers are worded alike"), "{}", reworded.answer);
    assert!(reworded.reason.contains("side by side"), "{}", reworded.reason);
    let denied = decide("Keep the depot", "Do not keep the depot");
    assert_eq!(denied.action_recommendation, Action::QueryDetail);
    assert!(denied.answer.starts_with("The table is split"), "{}", denied.answer);
}

#[test]
fn doubts_turn_proceed_into_verify_and_are_named() {
    let mut contested = calm(3, 3);
    let id = contested.claim(Label::Fact, ClaimStatus::Contested, &[0]);
    let mut blocked = calm(3, 3);
    blocked.round(vec![
        says("Keep the depot").votes(Ballot::Accept).cites(&[1]),
        says("Keep the depot").votes(Ballot::Accept).cites(&[1]),
        says("Keep the depot").votes(Ballot::Blocker).cites(&[1]),
    ]);
    blocked.analyse();
    let mut eager = Table::seats(2);
    eager.round(vec![says("Keep the depot").sure(0.9), says("Keep the depot").sure(0.9)]);
    eager.analyse();
    let rows = [
        (contested, id.to_string()),
        (blocked, "C holds a BLOCKER: “the rollback is untested”".to_owned()),
        (eager, "Groupthink".to_owned()),
    ];
    for (table, named) in rows {
        let decision = judge(&table).decision;
        assert_eq!(decision.action_recommendation, Action::Verify, "{named}");
        assert!(decision.reason.contains(&named), "{}", decision.reason);
    }
    assert_eq!(judge(&calm(3, 3)).decision.action_recommendation, Action::Proceed);
}

#[test]
fn failed_objections_end_in_verify_at_best() {
    let mut table = Table::seats(2);
    let keep = || vec![says("Keep the depot").sure(0.84), says("Keep the depot").sure(0.84)];
    table.round(keep());
    table.analyse();
    table.round(keep()).kind = RoundKind::CriticalObjection;
    table.analyse();
    let decision = judge(&table).decision;
    assert_eq!(decision.action_recommendation, Action::Verify);
    assert!(decision.reason.contains("a person"), "{}", decision.reason);
    // A calm round after it does not undo that.
    table.round(vec![says("Keep the depot").sure(0.3), says("Keep the depot").sure(0.3)]);
    table.analyse();
    assert_eq!(judge(&table).decision.action_recommendation, Action::Verify);
}

#[test]
fn the_answer_is_in_the_words_of_the_most_confident_holder() {
    let mut table = Table::seats(3).asks(Question::YesNo);
    let say = |text: &str, word: &str, sure| says(text).chooses(option(word)).sure(sure);
    table.round(vec![
        say("Yes, in stages", "yes", 0.6),
        say("Yes, this spring", "yes", 0.8),
        say("No, not ever", "no", 0.99),
    ]);
    table.analyse();
    let verdict = judge(&table);
    assert_eq!(verdict.decision.answer, "yes: “Yes, this spring”");
    let probability = verdict.decision.probability.unwrap();
    assert!(probability > 0.5 && probability < 1.0);
    assert!((probability - verdict.decision.agreement_score.unwrap()).abs() > 1e-3);
}

#[test]
fn equal_confidence_goes_to_the_stronger_evidence() {
    let mut table = Table::seats(2).asks(Question::YesNo);
    let say = |text: &str, kind| says(text).chooses(option("yes")).sure(0.5).claims(&[(kind, &[])]);
    table.round(vec![
        say("A hunch says yes", EvidenceType::Speculative),
        say("The record says yes", EvidenceType::Precedent),
    ]);
    table.analyse();
    assert_eq!(judge(&table).decision.answer, "yes: “The record says yes”");
}

/// Covers: 7.6-moderator
#[test]
fn a_decision_against_the_vote_is_the_first_warning() {
    let mut table = Table::seats(3).asks(Question::YesNo);
    table.plan = &DECIDED;
    table.room.seats[2].role = "judge".into();
    let say = |word: &str| says(&format!("I say {word}")).chooses(option(word)).sure(0.5);
    table.round(vec![say("yes"), say("yes"), say("no")]).waves =
        vec![vec![SeatId(0), SeatId(1)], vec![SeatId(2)]];
    table.analyse();
    let decision = judge(&table).decision;
    assert!(decision.answer.starts_with("C decided “no”"), "{}", decision.answer);
    assert!(decision.warnings[0].starts_with("C decided “no”"));
}

/// Covers: 3-gap
#[test]
fn a_gap_is_named_and_counted() {
    let mut table = Table::seats(3);
    let round = table.round(vec![says("Keep the depot"), says("Keep the depot"), silence()]);
    round.gaps.push(Gap {
        seat: SeatId(2),
        agent: "C".into(),
        round: 1,
        wave: 0,
        class: FailureClass::TimedOut,
        message: String::new(),
        tries: 3,
        bill: Bill::default(),
    });
    table.analyse();
    let verdict = judge(&table);
    assert_eq!((verdict.metadata.answered, verdict.metadata.seats), (2, 3));
    assert_eq!(verdict.metadata.gaps.len(), 1);
    let warnings = verdict.decision.warnings.join("\n");
    assert!(warnings.contains("2 of 3 agents"), "{warnings}");
    assert!(warnings.contains("C gave no answer in round 1 (timed out)"), "{warnings}");
}

#[test]
fn sources_stand_by_how_many_cite_them() {
    let mut table = Table::seats(3);
    table.round(vec![says("a").cites(&[1, 2]), says("b").cites(&[2, 3]), says("c").cites(&[2, 3])]);
    table.analyse();
    let cited: Vec<(EvidenceId, usize)> = judge(&table)
        .evidence
        .citations
        .iter()
        .map(|source| (source.id, source.cited_by.len()))
        .collect();
    assert_eq!(cited, [(EvidenceId(2), 3), (EvidenceId(3), 2), (EvidenceId(1), 1)]);
}

#[test]
fn the_strongest_claims_stand_without_the_withdrawn() {
    let mut table = calm(2, 2);
    for (strength, status) in [
        (0.2, ClaimStatus::Open),
        (0.9, ClaimStatus::Retracted),
        (0.7, ClaimStatus::Accepted),
        (0.7, ClaimStatus::Accepted),
    ] {
        let id = table.claim(Label::Infer, status, &[0]);
        table.room.ledger.claims[id.index()].strength = strength;
    }
    let ids: Vec<u32> = judge(&table).evidence.strongest.iter().map(|c| c.claim.0).collect();
    assert_eq!(ids, [3, 4, 1]);
}

#[test]
fn a_fact_without_a_source_is_a_hint() {
    let mut table = calm(2, 2);
    let bare = table.claim(Label::Fact, ClaimStatus::Open, &[0]);
    let sourced = table.claim(Label::Fact, ClaimStatus::Open, &[0]);
    table.room.ledger.claims[sourced.index()].support.push(EvidenceId(1));
    let hints = judge(&table).metadata.verification_hints.join("\n");
    assert!(hints.contains(&format!("source for {bare}")), "{hints}");
    assert!(!hints.contains(&format!("source for {sourced}")), "{hints}");
}

/// Covers: 7.6-estimates
#[test]
fn a_number_is_pooled_and_its_range_told() {
    let mut table = Table::seats(2).asks(Question::Number { unit: Some("euros".into()) });
    table.round(vec![
        says("x").chooses(Choice::Number(10.0)),
        says("y").chooses(Choice::Number(20.5)),
    ]);
    table.analyse();
    let split = judge(&table).decision;
    assert!(split.answer.contains("split between “10” (A) and “20.5” (B)"), "{}", split.answer);
    table.room.brief.number.estimate = true;
    table.analyse();
    let combined = judge(&table).decision;
    assert_eq!(combined.probability, None, "a combined figure has a range instead");
    let answer = combined.answer;
    assert!(answer.starts_with("15.25 euros"), "{answer}");
    assert!(answer.contains("10 euros") && answer.contains("20.5 euros"), "{answer}");
}

#[test]
fn a_round_without_answers_is_reported_and_nothing_breaks() {
    let table = Table::seats(2);
    let verdict = judge(&table);
    assert_eq!(verdict.decision.answer, "No agent gave an answer.");
    assert_eq!(verdict.decision.action_recommendation, Action::QueryDetail);
    assert_eq!(verdict.decision.probability, None);
    let text = serde_json::to_string(&verdict).unwrap();
    assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
}

#[test]
fn a_final_word_tells_how_confidence_moved() {
    let mut table = Table::seats(2);
    table.round(vec![says("a").sure(0.4), says("b").sure(0.4)]);
    table.round(vec![says("a").sure(0.9), silence()]);
    table.analyse();
    let words = judge(&table).agent_responses;
    near(words[0].confidence_change, 0.5);
    assert_eq!((words[1].round, words[1].confidence_change), (1, None));
}

/// Covers: 7.7-quality
#[test]
fn reasoning_depth_by_its_three_parts() {
    let mut table = Table::seats(2);
    let mut deep = says("x").sure(1.0);
    deep.answer.reasoning = "é".repeat(2000);
    deep.answer.citations = vec![Citation::default(); 10];
    let mut slight = says("y");
    slight.answer.reasoning = "é".repeat(500);
    slight.answer.citations = vec![Citation::default(); 1];
    table.round(vec![deep, slight]);
    // 1.0 and 0.4·0.2 + 0.3·0.5 + 0
    near(recent_quality(&table.room, 1), (1.0 + 0.23) / 2.0);
    let found = quality(&table.room, &PLAN);
    near(found.reasoning_depth, (1.0 + 0.23) / 2.0);
    assert_eq!(found.citations, 11);
}

#[test]
fn chains_of_rebuttals_are_followed_and_circles_are_not() {
    let mut table = calm(2, 2);
    let ids: Vec<ClaimId> =
        (0..4).map(|_| table.claim(Label::Infer, ClaimStatus::Open, &[0])).collect();
    let claims = &mut table.room.ledger.claims;
    claims[0].opposition = vec![ids[1]];
    claims[1].opposition = vec![ids[2]];
    claims[3].opposition = vec![ids[3]];
    assert_eq!(quality(&table.room, &PLAN).rebuttal_depth, 2);
}

/// Covers: 7.7-quality
#[test]
fn questions_count_when_another_answers_them() {
    let mut table = calm(2, 2);
    let asked = table.claim(Label::Open, ClaimStatus::Open, &[0]);
    let own = table.claim(Label::Infer, ClaimStatus::Open, &[0]);
    table.room.ledger.claims[asked.index()].supported_by = vec![own];
    assert_eq!(quality(&table.room, &PLAN).question_answer_pairs, 0);
    let other = table.claim(Label::Infer, ClaimStatus::Open, &[1]);
    table.room.ledger.claims[asked.index()].supported_by.push(other);
    assert_eq!(quality(&table.room, &PLAN).question_answer_pairs, 1);
}

#[test]
fn cost_efficiency_needs_every_price() {
    let mut table = calm(2, 2);
    assert_eq!(quality(&table.room, &PLAN).cost_efficiency, None);
    table.room.spent.add(&Bill { cost: Some(MicroUsd::from_usd(0.5)), ..Bill::default() });
    assert!(quality(&table.room, &PLAN).cost_efficiency.is_some());
    table.room.spent.add(&Bill::default());
    assert_eq!(quality(&table.room, &PLAN).cost_efficiency, None);
}

#[test]
fn the_first_round_after_which_no_seat_moved() {
    let mut table = Table::seats(2);
    for words in ["one", "two", "two", "two"] {
        table.round(vec![says(words), says("other")]);
    }
    assert_eq!(quality(&table.room, &PLAN).convergence_round, Some(3));
}
