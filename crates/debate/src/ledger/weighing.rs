//! The strength of each claim: DF-QuAD over the support and attack graph.
//!
//! It tells how well a claim is argued in this debate, never how likely it is to
//! be true. The number of seats that hold a claim does not enter: that is its
//! status.

use crate::model::{Claim, ClaimId, ClaimStatus, Evidence, EvidenceId, EvidenceType, Ledger};

/// The share of its weight that a claim keeps if it refers to a source and names
/// none.
const UNCITED: f64 = 0.6;

/// Evidence that can be looked up, and so must name its source.
const NEEDS_SOURCE: [EvidenceType; 3] =
    [EvidenceType::Documented, EvidenceType::Empirical, EvidenceType::Precedent];

/// Recomputes every claim's strength in one pass. A link always leads from a
/// later claim to an earlier one, so going from the last claim to the first,
/// every strength that is needed is already computed.
pub fn weigh(ledger: &mut Ledger, weights: &dyn Fn(EvidenceType) -> f64) {
    let mut strengths = vec![0.0; ledger.claims.len()];
    // A source that was made up or cannot be read backs nothing.
    let void: Vec<bool> = ledger.evidence.iter().map(Evidence::is_void).collect();
    let real = |id: &EvidenceId| !void.get(id.index()).copied().unwrap_or_default();
    for place in (0..ledger.claims.len()).rev() {
        let Some(claim) = ledger.claims.get_mut(place) else { continue };
        let cited = claim.support.iter().any(real);
        claim.strength = strength(claim, cited, &strengths, weights);
        if let Some(slot) = strengths.get_mut(place) {
            *slot = claim.strength;
        }
    }
}

fn strength(
    claim: &Claim,
    cited: bool,
    strengths: &[f64],
    weights: &dyn Fn(EvidenceType) -> f64,
) -> f64 {
    // What its own author withdrew argues neither for nor against anything.
    if claim.status == ClaimStatus::Retracted {
        return 0.0;
    }
    let base = base(claim, cited, weights);
    let support = together(&claim.supported_by, claim.id, strengths);
    let attack = together(&claim.opposition, claim.id, strengths);
    let moved = if attack >= support {
        base - base * (attack - support)
    } else {
        base + (1.0 - base) * (support - attack)
    };
    moved.clamp(0.0, 1.0)
}

/// The weight of the evidence type, times how far it is backed by a source.
fn base(claim: &Claim, cited: bool, weights: &dyn Fn(EvidenceType) -> f64) -> f64 {
    let weight = weights(claim.evidence_type);
    let weight = if weight.is_nan() { 0.0 } else { weight.clamp(0.0, 1.0) };
    let uncited = NEEDS_SOURCE.contains(&claim.evidence_type) && !cited;
    if uncited { weight * UNCITED } else { weight }
}

/// The joint force of several claims: one minus the product of what each leaves.
fn together(ids: &[ClaimId], target: ClaimId, strengths: &[f64]) -> f64 {
    let left: f64 = ids
        .iter()
        .filter(|id| **id > target)
        .filter_map(|id| strengths.get(id.index()))
        .map(|strength| 1.0 - strength)
        .product();
    1.0 - left
}

#[cfg(test)]
#[path = "weighing_tests.rs"]
mod tests;
