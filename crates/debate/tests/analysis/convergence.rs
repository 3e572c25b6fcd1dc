//! Convergence: similarity, shifts and shared sources.
#![allow(dead_code)]
use std::collections::HashMap;

use debate::analysis::Similarities;
use debate::model::*;

use super::near;
use super::table::*;

/// One round per figure pair; returns the analysis of the last.
fn after(rounds: &[(f64, f64)]) -> RoundAnalysis {
    shared(rounds, &[&[], &[]])
}

/// The same, with what each of two seats cites in every round.
fn shared(rounds: &[(f64, f64)], cites: &[&[u32]]) -> RoundAnalysis {
    let mut table = Table::seats(2);
    let mut last = None;
    for (similarity, shift) in rounds {
        table.round(vec![says("one way").cites(cites[0]), says("another way").cites(cites[1])]);
        last = Some(table.analyse_at(*similarity, *shift));
    }
    last.unwrap()
}

fn status(rounds: &[(f64, f64)]) -> Option<ConvergenceStatus> {
    after(rounds).convergence.status
}

#[test]
fn similarity_is_the_mean_over_pairs() {
    let mut table = Table::seats(3);
    table.round(vec![
        says("Use microservices for scalability"),
        says("Use monolith for simplicity"),
        says("Use serverless for cost optimization"),
    ]);
    let pairs = HashMap::from([((0, 1), 0.30), ((0, 2), 0.44), ((1, 2), 0.40)]);
    let of = |one: SeatId, _: Round, other: SeatId, _: Round| pairs.get(&(one.0, other.0)).copied();
    let found = table.analyse_by(Similarities::by("scripted", &of)).convergence;
    near(found.similarity, 0.38);
    assert_eq!(found.similarity_band, Some(SimilarityBand::StrongDisagreement));
    assert_eq!(found.shift, None, "there is nothing to have shifted from");
    assert_eq!(found.status, Some(ConvergenceStatus::Productive));
}

#[test]
fn shifts_are_per_seat_with_their_mean() {
    let rounds: &[([f64; 3], f64, ShiftBand)] = &[
        ([0.42, 0.18, 0.55], 0.383_333_3, ShiftBand::Significant),
        ([0.12, 0.15, 0.10], 0.123_333_3, ShiftBand::Refinement),
        ([0.03, 0.02, 0.04], 0.03, ShiftBand::Stable),
    ];
    let mut table = Table::seats(3);
    let speak = |table: &mut Table| {
        table.round(vec![says("one"), says("two"), says("three")]);
    };
    speak(&mut table);
    table.analyse_at(0.38, 0.0);
    for (shifts, mean, band) in rounds {
        speak(&mut table);
        let of = |one: SeatId, _: Round, other: SeatId, _: Round| {
            Some(if one == other { 1.0 - shifts[one.0] } else { 0.67 })
        };
        let found = table.analyse_by(Similarities::by("scripted", &of)).convergence;
        assert!((found.shift.unwrap() - mean).abs() < 1e-6);
        assert_eq!(found.shift_band, Some(*band));
        for (shift, expected) in found.shifts.iter().zip(shifts) {
            near(shift.shift, *expected);
        }
    }
}

fn evidence(cites: &[&[u32]]) -> (f64, usize, usize) {
    let mut table = Table::seats(cites.len());
    table.round(cites.iter().map(|cites| says("x").cites(cites)).collect());
    let found = table.analyse().convergence;
    (found.evidence.unwrap(), found.sources_shared, found.sources_cited)
}

#[test]
fn shared_sources_of_the_worked_rounds() {
    // Round 1: six sources, none shared.
    assert_eq!(evidence(&[&[1, 2], &[3, 4], &[5, 6]]), (0.0, 0, 6));
    // Round 2 by the formula: one of five is cited by all three.
    assert_eq!(evidence(&[&[1, 2, 3], &[3, 4, 5], &[3, 5]]), (0.2, 1, 5));
    // Rounds 3 and 4: two of four.
    assert_eq!(evidence(&[&[1, 2, 3], &[3, 2, 4], &[3, 2]]), (0.5, 2, 4));
    assert_eq!(evidence(&[&[], &[]]), (0.0, 0, 0));
    assert_eq!(evidence(&[&[1, 2], &[1, 2], &[]]), (1.0, 2, 2), "who cites nothing is not asked");
    assert_eq!(evidence(&[&[1, 2], &[], &[]]).0, 0.0, "one alone shares with nobody");
}

#[test]
fn bands_begin_where_they_are_said_to() {
    use SimilarityBand::*;
    let rows = [
        (0.40, StrongDisagreement),
        (0.41, ModerateDisagreement),
        (0.60, ModerateDisagreement),
        (0.61, Converging),
        (0.795, Converging),
        (0.80, Consensus),
    ];
    for (value, band) in rows {
        assert_eq!(SimilarityBand::of(value), band, "{value}");
    }
    assert_eq!(ShiftBand::of(0.10), ShiftBand::Stable);
    assert_eq!(ShiftBand::of(0.61), ShiftBand::Major);
    assert_eq!(EvidenceBand::of(0.60), EvidenceBand::Strong);
    assert_eq!(EvidenceBand::of(0.599), EvidenceBand::Partial);
}

#[test]
fn the_rules_in_their_order() {
    use ConvergenceStatus::*;
    let settled: &[f64] = &[0.5, 0.5];
    let run = |last: (f64, f64)| {
        let mut rounds: Vec<(f64, f64)> = settled.iter().map(|s| (*s, 0.5)).collect();
        rounds.push(last);
        status(&rounds)
    };
    assert_eq!(run((0.80, 0.09)), Some(ConsensusReached), "little shift");
    assert_eq!(run((0.80, 0.10)), Some(ConsensusDiverseEvidence), "too much shift, no evidence");
    assert_eq!(run((0.79, 0.05)), Some(Productive));
    assert_eq!(run((0.79, 0.04)), Some(Stalled), "idle once is not twice");
    assert_eq!(status(&[(0.5, 0.5), (0.5, 0.04), (0.5, 0.04)]), Some(DiminishingReturns));
    assert_eq!(status(&[(0.5, 0.5), (0.5, 0.05), (0.5, 0.04)]), Some(Stalled));
    assert_eq!(status(&[(0.5, 0.0)]), Some(Productive), "the first round always is");
}

#[test]
fn shared_evidence_alone_makes_consensus() {
    let rounds = [(0.5, 0.5), (0.5, 0.5), (0.80, 0.4)];
    // Three of five shared is 0.60, three of six is not.
    let at = shared(&rounds, &[&[1, 2, 3, 4], &[1, 2, 3, 5]]).convergence;
    near(at.evidence, 0.6);
    assert_eq!(at.status, Some(ConvergenceStatus::ConsensusReached));
    let below = shared(&rounds, &[&[1, 2, 3, 4], &[1, 2, 3, 5, 6]]).convergence;
    assert_eq!(below.status, Some(ConvergenceStatus::ConsensusDiverseEvidence));
}

#[test]
fn premature_only_above_the_mark_and_only_early() {
    let alerts = |rounds: &[(f64, f64)]| after(rounds).convergence.alerts;
    assert_eq!(alerts(&[(0.86, 0.0)]), [Alert::Premature]);
    assert_eq!(alerts(&[(0.85, 0.0)]), []);
    assert_eq!(alerts(&[(0.5, 0.0), (0.86, 0.2)]), [Alert::Premature]);
    assert_eq!(alerts(&[(0.5, 0.0), (0.5, 0.2), (0.86, 0.2)]), []);
}

#[test]
fn divergence_only_past_the_mark() {
    let alerts = |rounds: &[(f64, f64)]| after(rounds).convergence.alerts;
    assert_eq!(alerts(&[(0.61, 0.0), (0.50, 0.2)]), [Alert::Divergence]);
    assert_eq!(alerts(&[(0.60, 0.0), (0.50, 0.2)]), []);
}

#[test]
fn without_similarity_there_is_a_reason_and_no_status() {
    let mut table = Table::seats(2);
    table.round(vec![says("a"), says("b")]);
    let found = table.analyse().convergence;
    assert_eq!((found.similarity, found.status), (None, None));
    assert_eq!(found.missing.as_deref(), Some("no embedder in this test"));
    assert!(found.evidence.is_some(), "sources need no embedder");

    let of = |one: SeatId, _: Round, _: SeatId, _: Round| (one.0 > 0).then_some(0.9);
    let found = table.analyse_by(Similarities::by("scripted", &of)).convergence;
    assert_eq!(found.similarity, None, "one missing pair makes no mean");
    assert!(found.missing.is_some());
}
