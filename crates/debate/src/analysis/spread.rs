//! Mean, variance and extremes of stated figures, and the seats that stated more
//! confidence than their evidence supports. It never fills in a figure that was
//! not stated.

use crate::model::{
    Answer, Claim, ClaimMade, ClaimStatus, EvidenceId, EvidenceType, EvidenceWeights, Ground,
    OverconfidentAnswer, Room, RoundRecord, Spread, Turn,
};

/// Population variance, and quartiles by linear interpolation.
pub fn spread(values: impl IntoIterator<Item = f64>) -> Spread {
    let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let Some(mean) = mean(&sorted) else {
        return Spread::default();
    };
    let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
    Spread {
        count: sorted.len(),
        mean: Some(mean),
        median: quantile(&sorted, 0.5),
        variance: Some(squares / sorted.len() as f64),
        min: sorted.first().copied(),
        max: sorted.last().copied(),
        quartiles: quantile(&sorted, 0.25)
            .zip(quantile(&sorted, 0.75))
            .map(|(low, high)| [low, high]),
    }
}

pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Of values in ascending order.
pub fn quantile(sorted: &[f64], at: f64) -> Option<f64> {
    let place = at * (sorted.len().checked_sub(1)?) as f64;
    let low = *sorted.get(place.floor() as usize)?;
    let high = *sorted.get(place.ceil() as usize)?;
    Some(low + (high - low) * place.fract())
}

pub fn confidences(round: &RoundRecord) -> Spread {
    spread(round.answered().filter_map(|turn| turn.answer.confidence))
}

type Band = [f64; 2];

const SEVERAL_DOCUMENTED: Band = [0.85, 0.95];
const ONE_DOCUMENTED: Band = [0.70, 0.84];
const PRECEDENT_WITH_LOGIC: Band = [0.55, 0.69];
const LOGIC_ALONE: Band = [0.40, 0.54];
const PREFERENCE: Band = [0.25, 0.39];
const SPECULATION: Band = [0.10, 0.24];

/// Returns the band in which the confidence of an answer should lie: that of its
/// best-supported claim. An answer without claims has none.
pub fn band(answer: &Answer) -> Option<Band> {
    answer
        .claims
        .iter()
        .map(|claim| claim_band(claim, answer))
        .max_by(|one, other| one[1].total_cmp(&other[1]))
}

/// Returns the band of a claim. A type counts only as far as the answer supports
/// it: DOCUMENTED or EMPIRICAL without a source is no more than an argument, and
/// a precedent needs the reasoning why it applies.
fn claim_band(claim: &ClaimMade, answer: &Answer) -> Band {
    let reasons = || answer.claims.iter().any(|one| one.evidence_type == EvidenceType::Logical);
    let invented = |number: &u32| {
        answer.citations.iter().any(|cited| cited.number == *number && cited.is_invented())
    };
    let mut sources = claim.citations.clone();
    sources.retain(|number| !invented(number));
    sources.sort_unstable();
    sources.dedup();
    band_of(claim.evidence_type, sources.len(), reasons())
}

/// The band of one claim by its type and the sources for it; `reasons`: whether a
/// LOGICAL claim stands beside it.
fn band_of(evidence_type: EvidenceType, sources: usize, reasons: bool) -> Band {
    match (evidence_type, sources) {
        (EvidenceType::Documented, 2..) => SEVERAL_DOCUMENTED,
        (EvidenceType::Documented | EvidenceType::Empirical, 1..) => ONE_DOCUMENTED,
        (EvidenceType::Precedent, _) if reasons => PRECEDENT_WITH_LOGIC,
        (
            EvidenceType::Documented
            | EvidenceType::Empirical
            | EvidenceType::Precedent
            | EvidenceType::Logical,
            _,
        ) => LOGIC_ALONE,
        (EvidenceType::Preferential, _) => PREFERENCE,
        (EvidenceType::Speculative, _) => SPECULATION,
    }
}

/// Returns the band of the best-supported claim that a seat still holds, those of
/// its earlier answers included.
fn held_band(room: &Room, turn: &Turn) -> Option<Band> {
    let held = |claim: &&Claim| {
        claim.status != ClaimStatus::Retracted && claim.holders.contains(&turn.seat)
    };
    let claims: Vec<&Claim> = room.ledger.claims.iter().filter(held).collect();
    let reasons = claims.iter().any(|claim| claim.evidence_type == EvidenceType::Logical);
    let real = |id: &&EvidenceId| room.ledger.source(**id).is_some_and(|source| !source.is_void());
    let of_ledger = claims.iter().map(|claim| {
        band_of(claim.evidence_type, claim.support.iter().filter(real).count(), reasons)
    });
    let own = band(&turn.answer);
    of_ledger.chain(own).max_by(|one, other| one[1].total_cmp(&other[1]))
}

pub fn overconfident(room: &Room, round: &RoundRecord) -> Vec<OverconfidentAnswer> {
    round
        .answered()
        .filter_map(|turn| {
            let stated = turn.answer.confidence?;
            let band = held_band(room, turn)?;
            (stated > band[1] + 1e-9).then_some(OverconfidentAnswer {
                seat: turn.seat,
                stated,
                band,
            })
        })
        .collect()
}

/// The heaviest type of evidence each answer brings for any of its claims.
pub fn grounds(round: &RoundRecord, weights: &EvidenceWeights) -> Vec<Ground> {
    round
        .answered()
        .filter_map(|turn| {
            let types = turn.answer.claims.iter().map(|claim| claim.evidence_type);
            let best = types.max_by(|a, b| weights.of(*a).total_cmp(&weights.of(*b)))?;
            Some(Ground { seat: turn.seat, evidence_type: best, weight: weights.of(best) })
        })
        .collect()
}
