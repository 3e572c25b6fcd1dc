//! The quality of a debate as a debate: the number of themes, the depth of the
//! answers, the replies to each other, and the cost. It does not tell if the
//! decision is right.

use crate::model::{
    AgentEffort, Claim, ClaimId, ClaimStatus, CritiqueOutcome, Label, ModePlan, Quality, Room,
    Round, RoundEffort, RoundRecord, SeatId, Turn,
};

use super::answers::polarity::NormalisedPosition;
use super::answers::positions;
use super::spread::{mean, spread};
use super::voting::weighing::decider;

/// The most themes a debate is expected to cover.
const ALL_THEMES: f64 = 15.0;
const FULL_EVIDENCE: f64 = 5.0;
const FULL_LENGTH: f64 = 1000.0;
const EVIDENCE_PART: f64 = 0.4;
const LENGTH_PART: f64 = 0.3;
const CONFIDENCE_PART: f64 = 0.3;

pub fn quality(room: &Room, plan: &ModePlan) -> Quality {
    let turns = || room.rounds.iter().flat_map(RoundRecord::answered);
    let depths: Vec<f64> = turns().map(depth).collect();
    let last = room.rounds.iter().rev().find_map(|round| round.analysis.as_ref());
    let warned =
        |round: &RoundRecord| round.analysis.as_ref().is_some_and(|found| found.groupthink.warning);
    let themes = themes(room);
    let mut quality = Quality {
        argument_diversity: (themes as f64 / ALL_THEMES).min(1.0),
        themes,
        reasoning_depth: mean(&depths),
        synthesis_quality: synthesis(room),
        decision_confidence: decision_confidence(room, plan),
        cost_efficiency: None,
        cross_references: room
            .rounds
            .iter()
            .flat_map(|round| &round.touched)
            .map(|touched| touched.replies_to.len())
            .sum(),
        rebuttal_depth: rebuttal_depth(room),
        question_answer_pairs: answered_questions(room),
        citations: turns().map(|turn| turn.answer.citations.len()).sum(),
        confidence: spread(turns().filter_map(|turn| turn.answer.confidence)),
        agreement_level: last.and_then(|found| found.consensus.agreement_level),
        convergence_round: convergence_round(room),
        groupthink_warning: room.rounds.iter().any(warned),
        rounds: room.rounds.iter().map(round_effort).collect(),
        agents: (0..room.seats.len()).map(|seat| agent_effort(room, SeatId(seat))).collect(),
    };
    quality.cost_efficiency = cost_efficiency(room, &quality);
    quality
}

/// Returns the depth of the answers of one round, which tells if going on is
/// worth it.
pub fn recent_quality(room: &Room, round: Round) -> Option<f64> {
    let depths: Vec<f64> = room.round(round)?.answered().map(depth).collect();
    mean(&depths)
}

/// 0.4 evidence (five sources are enough), 0.3 length (1,000 characters are
/// enough), 0.3 confidence. A confidence that was not stated adds nothing.
fn depth(turn: &Turn) -> f64 {
    let sources = turn.answer.citations.len() as f64;
    let length = turn.answer.reasoning.chars().count() as f64;
    EVIDENCE_PART * (sources / FULL_EVIDENCE).min(1.0)
        + LENGTH_PART * (length / FULL_LENGTH).min(1.0)
        + CONFIDENCE_PART * turn.answer.confidence.unwrap_or(0.0)
}

/// The claims of the ledger, where the same claim has one entry; without any,
/// the distinct key points.
fn themes(room: &Room) -> usize {
    let standing = |claim: &&Claim| claim.status != ClaimStatus::Retracted;
    let claims = room.ledger.claims.iter().filter(standing).count();
    if claims > 0 {
        return claims;
    }
    let points = room.rounds.iter().flat_map(RoundRecord::answered);
    let mut seen: Vec<NormalisedPosition> = Vec::new();
    for point in points.flat_map(|turn| &turn.answer.key_points) {
        let point = NormalisedPosition::of(point);
        if !point.is_empty() && !seen.contains(&point) {
            seen.push(point);
        }
    }
    seen.len()
}

/// Returns, for the last round, the share of the others that each answer takes
/// up, averaged with the share of its critiques that end in a synthesis or a
/// concession.
fn synthesis(room: &Room) -> Option<f64> {
    let round = room.rounds.iter().rev().find(|round| round.answered().count() >= 2)?;
    let others = round.answered().count().saturating_sub(1) as f64;
    let scores: Vec<f64> = round
        .answered()
        .map(|turn| {
            let touched = round.touched.get(turn.seat.index());
            let met = touched.map_or(0, |touched| touched.replies_to.len()) as f64;
            let taken_up = (met / others).min(1.0);
            let critiques = turn.answer.critiques.len();
            if critiques == 0 {
                return taken_up;
            }
            let joined = turn
                .answer
                .critiques
                .iter()
                .filter(|c| c.outcome != CritiqueOutcome::Alternative)
                .count();
            (taken_up + joined as f64 / critiques as f64) / 2.0
        })
        .collect();
    mean(&scores)
}

fn decision_confidence(room: &Room, plan: &ModePlan) -> Option<f64> {
    let last = room.rounds.iter().rev().find(|round| round.answered().next().is_some())?;
    let decided = decider(room, plan).and_then(|seat| last.turn(seat)?.answer.confidence);
    decided.or_else(|| {
        let stated: Vec<f64> = last.answered().filter_map(|turn| turn.answer.confidence).collect();
        mean(&stated)
    })
}

/// Returns the efficiency; absent if nothing was spent or a call has no known
/// price.
fn cost_efficiency(room: &Room, quality: &Quality) -> Option<f64> {
    let spent = room.spent.cost.usd();
    if spent <= 0.0 || room.spent.unpriced_calls > 0 {
        return None;
    }
    let figures: Vec<f64> = [
        Some(quality.argument_diversity),
        quality.reasoning_depth,
        quality.synthesis_quality,
        quality.decision_confidence,
    ]
    .into_iter()
    .flatten()
    .collect();
    mean(&figures).map(|mean| mean / spent)
}

/// The longest chain in which each claim was made against the one before.
fn rebuttal_depth(room: &Room) -> usize {
    let mut known: Vec<Option<usize>> = vec![None; room.ledger.claims.len()];
    let ids = room.ledger.claims.iter().map(|claim| claim.id);
    ids.map(|id| chain(room, id, &mut known)).max().unwrap_or(0)
}

fn chain(room: &Room, id: ClaimId, known: &mut Vec<Option<usize>>) -> usize {
    match known.get(id.index()) {
        None => return 0,
        Some(Some(depth)) => return *depth,
        Some(None) => {}
    }
    // Entered first, so that claims that attack each other do not run in circles.
    if let Some(slot) = known.get_mut(id.index()) {
        *slot = Some(0);
    }
    let against = room.ledger.claim(id).map(|claim| claim.opposition.clone()).unwrap_or_default();
    let depth = against.into_iter().map(|other| 1 + chain(room, other, known)).max().unwrap_or(0);
    if let Some(slot) = known.get_mut(id.index()) {
        *slot = Some(depth);
    }
    depth
}

/// Returns the number of questions that a claim of another seat answers.
fn answered_questions(room: &Room) -> usize {
    let by_other = |question: &Claim, id: &ClaimId| {
        room.ledger.claim(*id).is_some_and(|claim| claim.author != question.author)
    };
    let questions = room.ledger.claims.iter().filter(|claim| claim.label == Label::Open);
    questions
        .filter(|question| {
            let spoken = question.supported_by.iter().chain(&question.opposition);
            spoken.into_iter().any(|id| by_other(question, id))
        })
        .count()
}

/// Returns the first round after which no position changed any more.
fn convergence_round(room: &Room) -> Option<Round> {
    let still = |round: &&RoundRecord| {
        let mut turns = round.answered().peekable();
        turns.peek().is_some()
            && turns.all(|turn| {
                let before = room.previous_turn(turn.seat, round.number);
                before.is_some_and(|before| positions::unchanged(&room.brief, before, turn))
            })
    };
    room.rounds.iter().rev().take_while(still).last().map(|round| round.number)
}

fn tokens<'a>(turns: impl Iterator<Item = &'a Turn>) -> Option<u64> {
    turns.filter_map(|turn| turn.whole_bill().usage.total()).reduce(|sum, one| sum + one)
}

/// A wave takes as long as its slowest answer.
fn round_effort(round: &RoundRecord) -> RoundEffort {
    let slowest = |wave: &Vec<SeatId>| {
        let turns = wave.iter().filter_map(|seat| round.turn(*seat));
        turns.map(|turn| turn.whole_bill().latency_ms).max().unwrap_or(0)
    };
    RoundEffort {
        round: round.number,
        tokens: tokens(round.answered()),
        latency_ms: round.waves.iter().map(slowest).sum(),
    }
}

fn agent_effort(room: &Room, seat: SeatId) -> AgentEffort {
    let turns = || room.rounds.iter().filter_map(|round| round.turn(seat));
    AgentEffort {
        seat,
        answers: turns().count(),
        tool_calls: turns().map(|turn| turn.tool_calls.len()).sum(),
        tokens: tokens(turns()),
        latency_ms: turns().map(|turn| turn.whole_bill().latency_ms).sum(),
    }
}
