//! Convergence: similarity, shifts and shared sources.
#![allow(dead_code)]
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

/// Covers: 7.2-similarity
#[test]
fn similarity_is_the_mean_over_pairs() {
    let mut table = Table::seats(3);
    table.round(vec![
        says("Use microservices for scalability"),
        says("Use monolith for simplicity"),
        says("Use serverless for cost optimization"),
    ]);
    let found = table.analyse_at(0.38, 0.0).convergence;
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
        let found = table.analyse_table(0.67, shifts).convergence;
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

/// Covers: 7.2-evidence
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

/// Covers: 7.2-similarity
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

/// Covers: 7.2-rules
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
    let missing = found.missing.unwrap();
    assert!(missing.starts_with("no clerk read where the agents stand"), "{missing}");
    assert!(found.evidence.is_some(), "sources need no clerk");

    let of = |one: SeatId, _: Round, _: SeatId, _: Round| (one.0 > 0).then_some(0.9);
    let found = table.analyse_by(Similarities::by("scripted", &of)).convergence;
    assert_eq!(found.wording, None, "one missing pair makes no mean");
}

/// Covers: 7.2-wording
#[test]
fn an_embedder_measures_wording_and_fires_nothing() {
    let mut table = Table::seats(2).early_exit(Algorithm::EvidenceBasedDebate);
    let alike = |_: SeatId, _: Round, _: SeatId, _: Round| Some(0.98);
    for _ in 0..2 {
        table.round(vec![says("The bridge is safe"), says("The bridge is not safe")]);
        let found = table.analyse_by(Similarities::by("scripted", &alike));
        let convergence = found.convergence;
        let wording = convergence.wording.unwrap();
        near(wording.alike, 0.98);
        assert_eq!((convergence.similarity, convergence.shift), (None, None));
        assert_eq!((convergence.status, convergence.alerts.len()), (None, 0));
        assert_eq!(found.groupthink.critical_objection, None, "no paid round is forced");
        assert_eq!((found.exit, found.held_back), (None, None));
    }
}

/// Covers: 7.2-rules
#[test]
fn the_worked_example_rises_to_consensus() {
    use Side::{Against as A, For as F, Open as O};
    // Stands of three seats on four propositions, round by round.
    let rounds: [[[Side; 3]; 4]; 4] = [
        [[F, A, A], [A, F, O], [A, A, F], [F, O, A]],
        [[F, A, F], [A, F, F], [O, A, F], [F, F, O]],
        [[F, F, F], [A, F, F], [F, O, F], [F, F, F]],
        [[F, F, F], [F, F, F], [F, F, F], [F, F, F]],
    ];
    let mut table = Table::seats(3);
    let (mut similarities, mut shifts) = (Vec::new(), Vec::new());
    for (at, rows) in rounds.iter().enumerate() {
        table.round(vec![
            says(&format!("microservices, wording {at}")),
            says(&format!("monolith, wording {at}")),
            says(&format!("serverless, wording {at}")),
        ]);
        let propositions =
            rows.iter().zip(1..).map(|(sides, id)| proposition(id, *sides)).collect();
        table.clerk = Some(Ok(ClerkConsensus { propositions, ..ClerkConsensus::default() }));
        let found = table.analyse();
        similarities.push(found.convergence.similarity.unwrap());
        shifts.push(found.convergence.shift);
        near(found.consensus.agreement_level, *similarities.last().unwrap());
    }
    assert!(similarities.windows(2).all(|pair| pair[0] < pair[1]), "{similarities:?}");
    assert_eq!(SimilarityBand::of(similarities[0]), SimilarityBand::StrongDisagreement);
    near(similarities[3], 1.0);
    assert_eq!(shifts[0], None);
    // Round 2: nine of twelve stands stay, two move from open and one from a side.
    assert!(shifts[1].unwrap() > shifts[3].unwrap(), "{shifts:?}");
}
