//! The last word of a seat while no verdict has chosen it: made from its turn.

use debate::model::{EvidenceType, FinalWord, Turn};

pub fn last_word(turn: &Turn) -> FinalWord {
    let mut evidence: Vec<EvidenceType> =
        turn.answer.claims.iter().map(|claim| claim.evidence_type).collect();
    evidence.sort();
    evidence.dedup();
    FinalWord {
        seat: turn.seat,
        agent: turn.agent.clone(),
        model: turn.model.clone(),
        role: turn.role.clone(),
        perspective: turn.perspective.clone(),
        round: turn.round,
        position: turn.answer.position.clone(),
        key_points: turn.answer.key_points.clone(),
        confidence: turn.answer.confidence,
        // Known only when the verdict is made.
        calibrated_confidence: None,
        abstained: false,
        confidence_change: turn.confidence_change.as_ref().map(|change| change.delta),
        stance: turn.answer.stance,
        vote: turn.answer.vote.as_ref().map(|vote| vote.ballot),
        answer: turn.answer.answer.clone(),
        ruling: turn.answer.ruling,
        evidence_used: evidence.iter().map(|one| one.word().into()).collect(),
    }
}
