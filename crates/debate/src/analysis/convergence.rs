//! Measures if the agents still move and if they use the same sources: three
//! figures and the rules over them. A figure that cannot be computed stays absent
//! with the reason; no rule is applied to a guess.

use crate::model::{
    Alert, AnalysedBy, Consensus, Convergence, ConvergenceStatus, DebateEffort, EvidenceBand,
    EvidenceId, Proposition, Room, Round, RoundKind, RoundRecord, SeatId, Shift, ShiftBand,
    SimilarityBand, Thresholds, Turn, WordingLikeness,
};

use super::Similarities;
use super::spread::mean;
use crate::analysis::answers::{positions, stands};

/// Absorbs rounding errors of binary fractions at a boundary.
const SLACK: f64 = 1e-9;
/// Agreement this early gets a second look.
const EARLY_ROUNDS: Round = 2;

/// `consensus`: what this round was found to agree on, with the table of stands
/// where there is one.
pub fn convergence(
    room: &Room,
    round: &RoundRecord,
    consensus: &Consensus,
    similarities: &Similarities<'_>,
) -> Convergence {
    let before = round.number.checked_sub(1).and_then(|number| room.round(number));
    let before = before.and_then(|record| record.analysis.as_ref()).map(|found| &found.convergence);
    let sources = SourceOverlap::of(room, round);
    let mut found = Convergence {
        evidence: Some(sources.convergence()),
        evidence_band: Some(EvidenceBand::of(sources.convergence())),
        sources_shared: sources.shared,
        sources_by_several: sources.by_several,
        sources_cited: sources.cited,
        seats_citing: sources.seats_citing,
        previous_similarity: before.and_then(|before| before.similarity),
        ..Convergence::default()
    };
    let similarity = match consensus.by {
        AnalysedBy::Votes => {
            let few = || "fewer than two votes to compare".to_owned();
            found.shifts = vote_shifts(room, round);
            consensus.agreement_level.ok_or_else(few)
        }
        AnalysedBy::Clerk => {
            let few = || "fewer than two answers to compare".to_owned();
            found.shifts = stand_shifts(room, round, &consensus.propositions);
            stands::level_of(&consensus.propositions).ok_or_else(few)
        }
        AnalysedBy::Basic => {
            let (alike, missing) = wording(room, round, similarities);
            found.wording = alike;
            found.embedder = similarities.embedder.map(str::to_owned);
            Err(missing)
        }
    };
    match similarity {
        Ok(similarity) => {
            found.similarity = Some(similarity);
            found.similarity_band = Some(SimilarityBand::of(similarity));
        }
        Err(why) => found.missing = Some(why),
    }
    let values: Vec<f64> = found.shifts.iter().map(|shift| shift.shift).collect();
    found.shift = mean(&values);
    found.shift_band = found.shift.map(ShiftBand::of);
    if round.kind != RoundKind::Sample {
        let talks = room.brief.effort == DebateEffort::Debate;
        found.alerts = alerts(&found, (round.number, talks), &room.brief.thresholds);
        found.status = status(&found, before, round.number, &room.brief.thresholds);
    }
    found
}

/// How alike the texts read, and why that is no similarity.
fn wording(
    room: &Room,
    round: &RoundRecord,
    similarities: &Similarities<'_>,
) -> (Option<WordingLikeness>, String) {
    let unread = "no clerk read where the agents stand".to_owned();
    if round.answered().count() < 2 {
        return (None, "fewer than two answers to compare".into());
    }
    match mean_similarity(round, similarities) {
        Ok(alike) => {
            let moved: Vec<f64> = texts_moved(room, round, similarities);
            (Some(WordingLikeness { alike: Some(alike), moved: mean(&moved) }), unread)
        }
        Err(why) => (None, format!("{unread}, and their texts were not compared: {why}")),
    }
}

/// The share of propositions, judged in this round and in the seat's last one, on
/// which its stand changed; to or from open counts half.
fn stand_shifts(room: &Room, round: &RoundRecord, now: &[Proposition]) -> Vec<Shift> {
    let shift = |turn: &Turn| {
        let before = room.previous_turn(turn.seat, round.number)?;
        let table = room.round(before.round)?.analysis.as_ref()?;
        let shift = stands::shift(&table.consensus.propositions, now, turn.seat)?;
        Some(Shift { seat: turn.seat, shift, band: ShiftBand::of(shift) })
    };
    round.answered().filter_map(shift).collect()
}

/// 1 for a seat that votes otherwise than before, 0 for one that does not.
fn vote_shifts(room: &Room, round: &RoundRecord) -> Vec<Shift> {
    if round.kind == RoundKind::Sample {
        return Vec::new();
    }
    let shift = |turn: &Turn| {
        let before = room.previous_turn(turn.seat, round.number)?;
        let same = positions::unchanged(&room.brief, before, turn);
        let shift = if same { 0.0 } else { 1.0 };
        Some(Shift { seat: turn.seat, shift, band: ShiftBand::of(shift) })
    };
    round.answered().filter_map(shift).collect()
}

/// Over every pair of answers. One pair without a figure leaves the mean
/// absent: a mean over the others would be about another table.
fn mean_similarity(round: &RoundRecord, similarities: &Similarities<'_>) -> Result<f64, String> {
    let seats: Vec<SeatId> = round.answered().map(|turn| turn.seat).collect();
    if seats.len() < 2 {
        return Err("fewer than two answers to compare".into());
    }
    let (mut sum, mut pairs) = (0.0, 0_u32);
    for (at, one) in seats.iter().enumerate() {
        for other in seats.iter().skip(at + 1) {
            let value = similarities
                .between(*one, round.number, *other, round.number)
                .ok_or_else(|| similarities.why_missing())?;
            sum += value.clamp(0.0, 1.0);
            pairs += 1;
        }
    }
    Ok(sum / f64::from(pairs))
}

/// 1 − similarity to the seat's own last text, for seats that have one.
fn texts_moved(room: &Room, round: &RoundRecord, similarities: &Similarities<'_>) -> Vec<f64> {
    let moved = |turn: &Turn| {
        let before = room.previous_turn(turn.seat, round.number)?;
        let alike = similarities.between(turn.seat, before.round, turn.seat, round.number)?;
        Some((1.0 - alike).clamp(0.0, 1.0))
    };
    round.answered().filter_map(moved).collect()
}

/// The sources one seat cites in one round, each once, in register order.
pub fn cited(room: &Room, round: &RoundRecord, seat: SeatId) -> Vec<EvidenceId> {
    let touched = round.touched.get(seat.index());
    let mut ids: Vec<EvidenceId> =
        touched.map(|touched| touched.citations_used.clone()).unwrap_or_default();
    for source in &room.ledger.evidence {
        let here =
            |cited: &crate::model::CitedBy| cited.seat == seat && cited.round == round.number;
        // The newest come last.
        if source.cited_by.iter().rev().any(here) {
            ids.push(source.id);
        }
    }
    ids.sort_unstable();
    ids.dedup();
    // A source that was made up or cannot be read is no evidence.
    ids.retain(|id| !room.ledger.source(*id).is_some_and(crate::model::Evidence::is_void));
    ids
}

struct SourceOverlap {
    /// Cited by all seats that cite at all.
    shared: usize,
    by_several: usize,
    cited: usize,
    seats_citing: usize,
}

impl SourceOverlap {
    fn of(room: &Room, round: &RoundRecord) -> SourceOverlap {
        let mut all: Vec<EvidenceId> = Vec::new();
        let mut seats_citing = 0;
        for turn in round.answered() {
            let cited = cited(room, round, turn.seat);
            seats_citing += usize::from(!cited.is_empty());
            all.extend(cited);
        }
        all.sort_unstable();
        let by_source = all.chunk_by(|one, other| one == other);
        let (mut shared, mut by_several, mut cited) = (0, 0, 0);
        for source in by_source {
            cited += 1;
            shared += usize::from(source.len() == seats_citing);
            by_several += usize::from(source.len() > 1);
        }
        SourceOverlap { shared, by_several, cited, seats_citing }
    }

    /// Returns 0 if fewer than two agents cite anything.
    fn convergence(&self) -> f64 {
        if self.seats_citing < 2 || self.cited == 0 {
            return 0.0;
        }
        self.shared as f64 / self.cited as f64
    }
}

/// `round`: its number, and whether the effort is a debate; sealed answers that
/// agree are what the other efforts look for.
fn alerts(found: &Convergence, (round, talks): (Round, bool), limits: &Thresholds) -> Vec<Alert> {
    let Some(similarity) = found.similarity else {
        return Vec::new();
    };
    let mut alerts = Vec::new();
    if similarity > limits.premature_similarity + SLACK && round <= EARLY_ROUNDS && talks {
        alerts.push(Alert::Premature);
    }
    if found
        .previous_similarity
        .is_some_and(|before| before - similarity > limits.divergence + SLACK)
    {
        alerts.push(Alert::Divergence);
    }
    alerts
}

/// The first rule that applies.
fn status(
    found: &Convergence,
    before: Option<&Convergence>,
    round: Round,
    limits: &Thresholds,
) -> Option<ConvergenceStatus> {
    let similarity = found.similarity?;
    let alike = similarity >= limits.similarity - SLACK;
    let strong = found.evidence.is_some_and(|evidence| evidence >= limits.evidence - SLACK);
    let shift_below = |limit: f64| found.shift.is_some_and(|shift| shift < limit - SLACK);
    let idle_before = before
        .and_then(|before| before.shift)
        .is_some_and(|shift| shift < limits.idle_shift - SLACK);
    Some(if alike && (strong || shift_below(limits.stable_shift)) {
        ConvergenceStatus::ConsensusReached
    } else if alike {
        ConvergenceStatus::ConsensusDiverseEvidence
    } else if shift_below(limits.idle_shift) && idle_before {
        ConvergenceStatus::DiminishingReturns
    } else if round == 1 || found.shift.is_some_and(|shift| shift >= limits.idle_shift - SLACK) {
        ConvergenceStatus::Productive
    } else {
        ConvergenceStatus::Stalled
    })
}
