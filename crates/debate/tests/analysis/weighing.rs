//! Weighing: votes, copies, and track records.
#![allow(dead_code)]
use debate::analysis::{WeighingRules, weigh, weigh_by};
use debate::model::*;

use super::near;
use super::table::*;

fn weighed(table: &Table) -> Weighing {
    weigh(&table.room, table.plan, &Reliability::default())
}

fn yes_no(seats: usize) -> Table {
    Table::seats(seats).asks(Question::YesNo)
}

fn picks(words: &[&str]) -> Vec<Said> {
    words
        .iter()
        .map(|word| says(&format!("I say {word}")).chooses(option(word)).sure(0.6))
        .collect()
}

fn same_model(table: &mut Table, seats: &[usize]) {
    for seat in seats {
        table.room.brief.agents[*seat].model = "copy".into();
        table.room.brief.agents[*seat].family = Some("copies".into());
    }
}

#[test]
fn three_strangers_two_to_one() {
    let mut table = yes_no(3);
    table.round(picks(&["yes", "yes", "no"]));
    let found = weighed(&table);
    let w = (0.7_f64 / 0.3).ln();
    let lambda = 1.0 / (1.0 + 2.0 * 0.21);
    near(found.voices[0].weight, w);
    near(found.tempering.lambda, lambda);
    near(found.tempering.effective_voices, 3.0);
    let (yes, no) = ((lambda * 2.0 * w).exp(), (lambda * w).exp());
    assert_eq!(found.answers[0].answer, "yes");
    near(found.answers[0].probability, yes / (yes + no));
    near(found.answers[1].share, 1.0 / 3.0);
    assert_eq!(found.something_else, None, "a closed question has no other answer");
}

/// Covers: 7.6-weights
#[test]
fn copies_are_discounted() {
    let mut table = yes_no(3);
    same_model(&mut table, &[0, 1]);
    table.round(picks(&["yes", "yes", "no"]));
    let found = weighed(&table);
    near(found.voices[0].discount, 1.0 / 1.7);
    near(found.voices[2].discount, 1.0);
    near(found.tempering.effective_voices, 2.0 / 1.7 + 1.0);

    table.room.brief.agents[1].model = "cousin".into();
    near(weighed(&table).voices[0].discount, 1.0 / 1.5);
}

/// Covers: 7.6-weights
#[test]
fn a_track_record_weighs_and_is_clipped() {
    let mut table = yes_no(2);
    table.round(picks(&["yes", "no"]));
    let mut known = Reliability::default();
    known.by_agent.insert("A".into(), TrackRecord { reliability: 0.999, outcomes: 12 });
    let found = weigh(&table.room, table.plan, &known);
    near(found.voices[0].weight, (0.98_f64 / 0.02).ln());
    assert_eq!(found.voices[0].outcomes, 12);
    near(found.voices[1].weight, (0.7_f64 / 0.3).ln());
}

#[test]
fn an_unmoved_vote_counts_in_full_and_a_pressed_one_in_parts() {
    let mut table = yes_no(3);
    table.round(picks(&["yes", "no", "no"]));
    table.round(picks(&["yes", "no", "yes"]));
    table.round(picks(&["yes", "yes", "no"]));
    let loose = WeighingRules { hold_first: false, ..WeighingRules::ALL_ON };
    let found = weigh_by(&table.room, table.plan, &Reliability::default(), loose);
    let parts = |seat: usize| -> Vec<(String, f64)> {
        found.voices[seat].votes.iter().map(|v| (v.answer.clone(), v.part)).collect()
    };
    assert_eq!(parts(0), [("yes".to_owned(), 1.0)]);
    assert_eq!(parts(1), [("yes".to_owned(), 0.3), ("no".to_owned(), 0.7)]);
    assert_eq!(parts(2), [("yes".to_owned(), 0.2), ("no".to_owned(), 0.8)]);
    assert!(found.changes.iter().all(|change| change.basis == ChangeBasis::PressureOnly));
    assert_eq!(found.changes.len(), 3);
    // Votes that only pressure moved stay where they were.
    let held = weighed(&table);
    assert!(held.voices.iter().all(|voice| voice.votes.len() == 1));
    assert_eq!(held.answers[0].answer, "no");
}

#[test]
fn two_rounds_share_the_vote_five_to_three() {
    let mut table = yes_no(2);
    table.round(picks(&["yes", "no"]));
    table.round(picks(&["yes", "yes"]));
    let found = weighed(&table);
    near(found.voices[1].votes[0].part, 0.375);
    near(found.voices[1].votes[1].part, 0.625);
}

#[test]
fn a_switch_with_new_evidence_counts_in_full() {
    let mut table = yes_no(2);
    table.round(picks(&["yes", "no"]));
    let mut turns = picks(&["yes", "yes"]);
    turns[1].cites = vec![1];
    table.round(turns);
    let found = weighed(&table);
    assert_eq!(found.changes[0].basis, ChangeBasis::NewEvidence);
    assert_eq!(found.changes[0].evidence, [EvidenceId(1)]);
    assert_eq!((found.changes[0].seat, found.changes[0].round), (SeatId(1), 2));
    near(found.voices[1].votes[0].part, 1.0);
}

#[test]
fn old_evidence_is_not_new() {
    // Its own source of round 1, cited again.
    let mut table = yes_no(2);
    let mut first = picks(&["yes", "no"]);
    first[1].cites = vec![1];
    table.round(first);
    let mut second = picks(&["yes", "yes"]);
    second[1].cites = vec![1];
    table.round(second);
    assert_eq!(weighed(&table).changes[0].basis, ChangeBasis::PressureOnly);

    // The other's source of round 1, which it had before it when it answered
    // round 2 unmoved.
    let mut table = yes_no(2);
    let mut first = picks(&["yes", "no"]);
    first[0].cites = vec![1];
    table.round(first);
    table.round(picks(&["yes", "no"]));
    let mut third = picks(&["yes", "yes"]);
    third[1].cites = vec![1];
    table.round(third);
    assert_eq!(weighed(&table).changes[0].basis, ChangeBasis::PressureOnly);

    // The same source taken up at once is new to it.
    let mut table = yes_no(2);
    let mut first = picks(&["yes", "no"]);
    first[0].cites = vec![1];
    table.round(first);
    let mut second = picks(&["yes", "yes"]);
    second[1].cites = vec![1];
    table.round(second);
    assert_eq!(weighed(&table).changes[0].basis, ChangeBasis::NewEvidence);
}

/// Covers: 7.6-first-vote
#[test]
fn first_and_final_vote_are_both_kept() {
    let mut table = yes_no(3);
    table.round(picks(&["yes", "no", "no"]));
    table.round(picks(&["yes", "yes", "no"]));
    let found = weighed(&table);
    let count = |vote: &[VoteShare]| -> Vec<(String, usize)> {
        vote.iter().map(|share| (share.answer.clone(), share.seats.len())).collect()
    };
    assert_eq!(count(&found.first_vote), [("no".into(), 2), ("yes".into(), 1)]);
    assert_eq!(count(&found.final_vote), [("yes".into(), 2), ("no".into(), 1)]);
}

/// Covers: 7.6-moved
#[test]
fn new_wording_is_no_change_of_mind() {
    let mut table = Table::seats(3);
    table.round(vec![says("Use a monolith"), says("Use services"), says("Use functions")]);
    table.analyse();
    table.round(vec![says("A monolith, well cut"), says("Services, few"), says("Functions only")]);
    table.analyse();
    assert_eq!(weighed(&table).changes, []);
}

#[test]
fn taking_over_the_others_words_is_a_change_of_mind() {
    let mut table = Table::seats(2);
    table.round(vec![says("Use a monolith"), says("Use services")]);
    table.analyse();
    table.round(vec![says("Use services"), says("Use a monolith")]);
    table.analyse();
    let found = weighed(&table);
    assert_eq!(found.changes.len(), 2);
    assert_eq!(found.changes[0].from, "Use a monolith");
    assert_eq!(found.changes[0].to, "Use services");
}

#[test]
fn an_open_question_leaves_room_for_something_else() {
    let mut table = Table::seats(2);
    table.round(vec![says("Use a monolith"), says("Use a monolith")]);
    table.analyse();
    let found = weighed(&table);
    assert_eq!(found.tempering.possible_answers, 2);
    let total = found.answers[0].probability + found.something_else.unwrap();
    near(total, 1.0);
    assert!(found.answers[0].probability < 1.0);
}

#[test]
fn probabilities_of_all_answers_sum_to_one() {
    let question = Question::Options { options: vec!["a".into(), "b".into(), "c".into()] };
    let mut table = Table::seats(4).asks(question);
    table.round(picks(&["a", "b", "a", "b"]));
    table.round(picks(&["a", "a", "a", "b"]));
    let found = weighed(&table);
    near(found.answers.iter().map(|answer| answer.probability).sum::<f64>(), 1.0);
    assert_eq!(found.answers.len(), 3, "an option nobody chose is possible all the same");
    near(found.answers.iter().map(|answer| answer.share).sum::<f64>(), 1.0);
}

/// Covers: 7.6-flags
#[test]
fn unanimity_of_one_family_or_without_sources_is_a_risk() {
    let flagged = |family: bool, cites: &[u32], last: &str| {
        let mut table = yes_no(2);
        if family {
            same_model(&mut table, &[0, 1]);
        }
        let mut turns = picks(&["yes", last]);
        turns[0].cites = cites.to_vec();
        table.round(turns);
        weighed(&table).flags.contains(&WeighingFlag::SharedErrorRisk)
    };
    assert!(flagged(true, &[1], "yes"));
    assert!(flagged(false, &[], "yes"));
    assert!(!flagged(false, &[1], "yes"));
    assert!(!flagged(true, &[], "no"), "they differ");
}

/// Covers: 7.6-flags
#[test]
fn disagreement_that_vanishes_without_evidence_is_a_collapse() {
    let collapsed = |cites: &[u32], last: &str| {
        let mut table = yes_no(2);
        table.round(picks(&["yes", "no"]));
        let mut turns = picks(&["yes", last]);
        turns[1].cites = cites.to_vec();
        table.round(turns);
        weighed(&table).flags.contains(&WeighingFlag::Collapse)
    };
    assert!(collapsed(&[], "yes"));
    assert!(!collapsed(&[1], "yes"));
    assert!(!collapsed(&[], "no"));
}

/// Covers: 7.6-flags
#[test]
fn a_fifth_of_the_weight_makes_a_minority_report() {
    let report = |seats: usize| {
        let mut table = yes_no(seats);
        let mut words = vec!["yes"; seats];
        words[seats - 1] = "no";
        table.round(picks(&words));
        weighed(&table).minority
    };
    let minority = report(5);
    near(minority[0].share, 0.2);
    assert_eq!(minority[0].words, "I say no");
    assert_eq!(minority[0].seat, SeatId(4));
    assert_eq!(report(6), []);
}

#[test]
fn probabilities_are_pooled_in_log_odds_with_copies_discounted() {
    let mut table = Table::seats(3).asks(Question::Probability);
    same_model(&mut table, &[0, 1]);
    let say = |p: f64| says("so").chooses(Choice::Probability(p));
    table.round(vec![say(0.9), say(0.9), say(0.5)]);
    let pooled = weighed(&table).pooled.unwrap();
    let share = 2.0 / 1.7;
    let logit = (0.9_f64 / 0.1).ln() * share / (share + 1.0);
    near(pooled.last, 1.0 / (1.0 + (-logit).exp()));
    assert_eq!(pooled.method, PoolMethod::MeanLogOdds);
}

#[test]
fn numbers_are_pooled_by_family_median_then_mean() {
    let mut table = Table::seats(4).asks(Question::Number { unit: None });
    same_model(&mut table, &[0, 1, 2]);
    let say = |v: f64| says("so").chooses(Choice::Number(v));
    table.round(vec![say(10.0), say(12.0), say(900.0), say(20.0)]);
    table.room.brief.number.estimate = true;
    let pooled = weighed(&table).pooled.unwrap();
    near(pooled.last, 16.0);
    assert_eq!(pooled.families.len(), 2);
    assert_eq!((pooled.lowest, pooled.highest), (10.0, 900.0));
}

fn judged(decision: &str) -> Weighing {
    let mut table = yes_no(3);
    table.plan = &DECIDED;
    table.room.seats[2].role = "judge".into();
    table.round(picks(&["yes", "yes", decision])).waves =
        vec![vec![SeatId(0), SeatId(1)], vec![SeatId(2)]];
    weighed(&table)
}

/// Covers: 4-voters
#[test]
fn the_deciding_seat_has_no_vote_and_cannot_overturn_it_silently() {
    let found = judged("no");
    assert_eq!(found.voices.len(), 2);
    let differs = found.decider.unwrap();
    assert_eq!((differs.decided.as_str(), differs.weighed.as_str()), ("no", "yes"));
    assert_eq!(judged("yes").decider, None);
}

/// Covers: 4-voters
#[test]
fn a_seat_with_an_assigned_side_has_no_vote() {
    let mut table = yes_no(4);
    table.room.seats[0].stance = Some(Stance::Yes);
    table.room.seats[1].stance = Some(Stance::No);
    table.room.seats[2].stance = Some(Stance::Neutral);
    table.room.seats[3].stance = Some(Stance::Neutral);
    table.round(picks(&["yes", "no", "no", "no"]));
    let found = weighed(&table);
    let seats: Vec<SeatId> = found.voices.iter().map(|voice| voice.seat).collect();
    assert_eq!(seats, [SeatId(2), SeatId(3)]);

    table.room.seats[2].stance = Some(Stance::Yes);
    table.room.seats[3].stance = Some(Stance::No);
    assert_eq!(weighed(&table).voices.len(), 0, "where nobody is free, no vote is taken");
}

#[test]
fn a_first_vote_is_sealed_only_where_all_spoke_at_once() {
    let mut table = yes_no(2);
    table.round(picks(&["yes", "no"]));
    assert!(weighed(&table).first_vote_sealed);
    table.room.rounds[0].waves = vec![vec![SeatId(0)], vec![SeatId(1)]];
    assert!(!weighed(&table).first_vote_sealed);
}
