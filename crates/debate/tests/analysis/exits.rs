//! Early exits: each rule ends a debate when it should and not before.
#![allow(dead_code)]
use debate::model::*;

use super::table::*;

fn rule(found: &RoundAnalysis) -> Option<&str> {
    found.exit.as_ref().map(|exit| exit.rule.as_str())
}

/// Ten seats of which the first `same` hold one position.
fn agreeing(table: &mut Table, same: usize) -> RoundAnalysis {
    let seats = table.room.seats.len();
    table.round((0..seats).map(|at| says(&format!("Way number {at}")).sure(0.5)).collect());
    // The first `same` of ten propositions are accepted by all.
    table.analyse_at(same as f64 / seats as f64, 0.5)
}

/// Covers: 7.3-off
#[test]
fn early_exit_is_off_unless_asked_for() {
    let mut table = Table::seats(3);
    assert_eq!(rule(&agreeing(&mut table, 3)), None);
}

#[test]
fn agreement_at_the_mark_ends_it() {
    let mut table = Table::seats(10).early_exit(Algorithm::Agreement);
    // Agreement in the first two rounds would first have to be tested.
    agreeing(&mut table, 5);
    agreeing(&mut table, 5);
    let found = agreeing(&mut table, 9);
    assert_eq!(rule(&found), Some("consensus"));
    assert!(found.exit.unwrap().details.contains("0.90"));
    assert_eq!(rule(&agreeing(&mut table, 8)), None, "0.8 is too little");
    table.room.brief.flags.exit_criteria.consensus_threshold = 0.8;
    assert_eq!(rule(&agreeing(&mut table, 8)), Some("consensus"));
}

/// Analyses by the words of an embedder that finds everything alike.
fn by_embedder(table: &mut Table) -> RoundAnalysis {
    let alike = |_: SeatId, _: Round, _: SeatId, _: Round| Some(0.95);
    table.analyse_by(debate::analysis::Similarities::by("scripted", &alike))
}

fn two_ways(table: &mut Table, one: &str, other: &str) {
    table.round(vec![says(one).sure(0.5), says(other).sure(0.5)]);
}

#[test]
fn stable_positions_end_it_after_two_rounds() {
    let mut table = Table::seats(2).early_exit(Algorithm::Agreement);
    let mut rules = Vec::new();
    for shift in [0.0, 0.09, 0.09] {
        two_ways(&mut table, "Build it", "Buy the old one from them");
        rules.push(rule(&table.analyse_at(0.3, shift)).map(str::to_owned));
    }
    assert_eq!(rules, [None, None, Some("convergence".to_owned())]);

    let mut table = Table::seats(2).early_exit(Algorithm::Agreement);
    for shift in [0.0, 0.10, 0.09] {
        two_ways(&mut table, "Build it", "Buy the old one from them");
        assert_eq!(rule(&table.analyse_at(0.3, shift)), None, "0.10 is not below 0.10");
    }
}

#[test]
fn a_reversal_in_few_words_is_not_stability() {
    let mut table = Table::seats(2).early_exit(Algorithm::Agreement);
    two_ways(&mut table, "The plant is safe to run", "Paint it");
    table.analyse_at(0.3, 0.0);
    two_ways(&mut table, "The plant is safe to run", "Paint it");
    table.analyse_at(0.3, 0.02);
    two_ways(&mut table, "The plant is not safe to run", "Paint it");
    assert_eq!(rule(&table.analyse_at(0.3, 0.02)), None);
}

#[test]
fn without_an_embedder_the_same_words_are_stable() {
    let mut table = Table::seats(2).early_exit(Algorithm::Agreement);
    for expected in [None, None, Some("convergence")] {
        two_ways(&mut table, "Build it", "Buy it from them");
        assert_eq!(rule(&table.analyse()), expected);
    }
}

#[test]
fn the_debate_ends_when_all_seats_are_sure() {
    let sure = |least: Option<f64>| {
        let mut table = Table::seats(2).early_exit(Algorithm::Agreement);
        table.plan = &UNWATCHED;
        let mut turns = vec![says("Build it").sure(0.9), says("Buy it from them")];
        turns[1].answer.confidence = least;
        table.round(turns);
        rule(&table.analyse()).map(str::to_owned)
    };
    assert_eq!(sure(Some(0.85)).as_deref(), Some("confidence"));
    assert_eq!(sure(Some(0.84)), None);
    assert_eq!(sure(None), None, "a confidence that was not stated is not high");
}

fn voted(ballots: &[Option<Ballot>], confidence: f64) -> RoundAnalysis {
    let mut table = Table::seats(ballots.len()).early_exit(Algorithm::Votes);
    table.plan = &UNWATCHED;
    let turn = |(at, ballot): (usize, &Option<Ballot>)| {
        let said = says(&format!("Way {at}")).sure(confidence);
        match ballot {
            Some(ballot) => said.votes(*ballot),
            None => said,
        }
    };
    table.round(ballots.iter().enumerate().map(turn).collect());
    table.analyse()
}

#[test]
fn votes_carry_at_four_fifths() {
    use Ballot::{Accept, Blocker, Minor};
    let (yes, edits, no) = (Some(Accept), Some(Minor), Some(Blocker));
    assert_eq!(rule(&voted(&[yes, edits, yes, yes, None], 0.70)), Some("votes"));
    assert_eq!(rule(&voted(&[yes, edits, yes, None], 0.70)), None, "three of four");
    assert_eq!(rule(&voted(&[yes, edits, yes, yes, yes], 0.69)), None, "not sure enough");
    let blocked = voted(&[yes, yes, yes, yes, no], 0.9);
    assert_eq!(rule(&blocked), None, "a BLOCKER is not outvoted");
    assert_eq!(blocked.votes.objections[0].text, "the rollback is untested");
}

fn plateau(confidences: &[f64], facts_in_last: usize, last: Ballot) -> Option<String> {
    let mut table = Table::seats(2).early_exit(Algorithm::Votes);
    table.plan = &UNWATCHED;
    let mut found = None;
    for (at, confidence) in confidences.iter().enumerate() {
        let ballot = if at + 1 == confidences.len() { last } else { Ballot::Minor };
        table.round(vec![
            says("Build").sure(*confidence).votes(ballot),
            says("Buy it from them").sure(*confidence).votes(Ballot::Minor),
        ]);
        if at + 1 == confidences.len() {
            for _ in 0..facts_in_last {
                table.claim(Label::Fact, ClaimStatus::Open, &[0]);
            }
        }
        found = Some(table.analyse());
    }
    found.and_then(|found| found.exit).map(|exit| exit.rule)
}

#[test]
fn a_plateau_is_two_rounds_without_change_or_facts() {
    let minor = Ballot::Minor;
    assert_eq!(plateau(&[0.40, 0.49, 0.58], 0, minor).as_deref(), Some("plateau"));
    assert_eq!(plateau(&[0.40, 0.50, 0.58], 0, minor), None, "0.10 is not below 0.10");
    assert_eq!(plateau(&[0.40, 0.49], 0, minor), None, "one round is too few");
    assert_eq!(plateau(&[0.40, 0.49, 0.58], 1, minor), None, "a new FACT claim");
    assert_eq!(plateau(&[0.40, 0.49, 0.58], 0, Ballot::Accept), None, "half the ballots changed");
}

fn converged(rounds: &[(f64, f64)]) -> Option<String> {
    let mut table = Table::seats(2).early_exit(Algorithm::EvidenceBasedDebate);
    let mut found = None;
    for (similarity, shift) in rounds {
        two_ways(&mut table, "Go by rail", "Take the train");
        found = Some(table.analyse_at(*similarity, *shift));
    }
    found.and_then(|found| found.exit).map(|exit| exit.rule)
}

#[test]
fn the_rules_of_convergence_end_it() {
    let start = (0.5, 0.5);
    assert_eq!(converged(&[start, start, (0.80, 0.09)]).as_deref(), Some("consensus_reached"));
    assert_eq!(
        converged(&[start, start, (0.80, 0.2)]).as_deref(),
        Some("consensus_diverse_evidence")
    );
    assert_eq!(
        converged(&[start, (0.5, 0.04), (0.5, 0.04)]).as_deref(),
        Some("diminishing_returns")
    );
    assert_eq!(converged(&[start, start, (0.79, 0.09)]), None);
    assert_eq!(converged(&[start, start, (0.79, 0.04)]), None);
}

#[test]
fn early_likeness_waits_for_objections() {
    let mut table = Table::seats(2).early_exit(Algorithm::EvidenceBasedDebate);
    two_ways(&mut table, "Go by rail", "Take the train");
    let found = table.analyse_at(0.9, 0.0);
    assert_eq!(rule(&found), None);
    assert!(found.held_back.unwrap().contains("too early"));

    two_ways(&mut table, "Go by rail", "Take the train");
    table.room.rounds[1].kind = RoundKind::CriticalObjection;
    assert_eq!(rule(&table.analyse_at(0.9, 0.01)), Some("consensus_reached"));
}

#[test]
fn similar_words_for_opposite_positions_do_not_end_it() {
    let mut table = Table::seats(2).early_exit(Algorithm::EvidenceBasedDebate);
    for _ in 0..3 {
        two_ways(
            &mut table,
            "The vaccine is safe for infants",
            "The vaccine is not safe for infants",
        );
        let found = by_embedder(&mut table);
        assert_eq!((rule(&found), &found.held_back), (None, &None));
    }
}

/// Covers: 7.3-held-back
#[test]
fn a_standing_blocker_holds_back_every_rule() {
    let mut table = Table::seats(3).early_exit(Algorithm::Agreement);
    let keep = || says("Keep it").sure(0.5);
    table.round(vec![keep(), keep(), keep().votes(Ballot::Blocker)]);
    table.analyse();
    // The blocking seat misses the next round: its objection still stands.
    table.round(vec![keep(), keep(), silence()]);
    let held = table.analyse();
    assert_eq!(rule(&held), None);
    assert!(held.held_back.unwrap().contains("BLOCKER by C"));
    // It lifts it.
    table.round(vec![keep(), keep(), keep().votes(Ballot::Accept)]);
    assert_eq!(rule(&table.analyse()), Some("consensus"));
}

/// Covers: 7.3-held-back
#[test]
fn suspected_groupthink_holds_back() {
    let mut table = Table::seats(2).early_exit(Algorithm::Agreement);
    table.round(vec![says("Keep it").sure(0.9), says("Keep it").sure(0.9)]);
    let found = table.analyse();
    assert_eq!(rule(&found), None);
    assert!(found.held_back.unwrap().contains("groupthink"));
    table.plan = &UNWATCHED;
    assert_eq!(rule(&table.analyse()), Some("consensus"));
}
