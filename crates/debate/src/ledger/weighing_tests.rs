//! Strength by hand-computed cases.

use super::*;
use crate::ledger::tests::{made, turn};
use crate::ledger::{LedgerIndex, weigh};
use crate::model::{ClaimMade, EvidenceId};

/// One claim per row: evidence type, supports, opposes. Each by a seat of its
/// own, in a wave of its own.
fn ledger(rows: &[(EvidenceType, &[u32], &[u32])]) -> Ledger {
    let (mut ledger, mut index) = (Ledger::default(), LedgerIndex::default());
    for (place, (kind, supports, opposes)) in rows.iter().enumerate() {
        let mut turn = turn(place, u32::try_from(place + 1).unwrap());
        let ids = |numbers: &[u32]| numbers.iter().copied().map(ClaimId).collect();
        turn.answer.claims = vec![ClaimMade {
            evidence_type: *kind,
            supports: ids(supports),
            opposes: ids(opposes),
            ..made(&format!("Statement number {place}"))
        }];
        index.enter(&mut ledger, &turn);
    }
    ledger
}

fn strengths(ledger: &mut Ledger) -> Vec<f64> {
    weigh(ledger, &EvidenceType::published_weight);
    ledger.claims.iter().map(|claim| claim.strength).collect()
}

#[track_caller]
fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() < 1e-9, "{found} is not {wanted}");
}

#[test]
fn a_claim_alone_has_its_base_score() {
    let mut alone =
        ledger(&[(EvidenceType::Logical, &[], &[]), (EvidenceType::Documented, &[], &[])]);
    let found = strengths(&mut alone);
    close(found[0], 0.60);
    close(found[1], 0.90 * 0.6);
    alone.claims[1].support.push(EvidenceId(1));
    close(strengths(&mut alone)[1], 0.90);
}

/// Covers: 6-strength
#[test]
fn support_lifts_and_attack_lowers() {
    use EvidenceType::{Logical, Preferential, Speculative};
    close(strengths(&mut ledger(&[(Logical, &[], &[]), (Preferential, &[1], &[])]))[0], 0.76);
    close(strengths(&mut ledger(&[(Logical, &[], &[]), (Preferential, &[], &[1])]))[0], 0.36);
    // Supports 0.4 and 0.2 act as 0.52; the attack of 0.6 is 0.08 stronger.
    let rows: &[(EvidenceType, &[u32], &[u32])] = &[
        (Logical, &[], &[]),
        (Preferential, &[1], &[]),
        (Speculative, &[1], &[]),
        (Logical, &[], &[1]),
    ];
    close(strengths(&mut ledger(rows))[0], 0.6 - 0.6 * 0.08);
}

#[test]
fn an_attacked_attack_weighs_less() {
    use EvidenceType::Logical;
    let rows: &[(EvidenceType, &[u32], &[u32])] =
        &[(Logical, &[], &[]), (Logical, &[], &[1]), (Logical, &[], &[2])];
    let found = strengths(&mut ledger(rows));
    close(found[1], 0.24);
    close(found[0], 0.6 - 0.6 * 0.24);
}

#[test]
fn a_withdrawn_claim_has_no_force() {
    let mut ledger =
        ledger(&[(EvidenceType::Logical, &[], &[]), (EvidenceType::Logical, &[], &[1])]);
    ledger.claims[1].status = ClaimStatus::Retracted;
    let found = strengths(&mut ledger);
    close(found[1], 0.0);
    close(found[0], 0.6);
}

#[test]
fn weights_out_of_range_are_brought_in() {
    let mut ledger = ledger(&[(EvidenceType::Logical, &[], &[])]);
    for (weight, wanted) in [(7.0, 1.0), (-1.0, 0.0), (f64::NAN, 0.0)] {
        weigh(&mut ledger, &|_| weight);
        close(ledger.claims[0].strength, wanted);
    }
}
