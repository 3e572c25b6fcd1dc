//! Phrases about a debate that several sections and formats share, still to be escaped
//! by the document.

use debate::model::*;
use engine::export::Notice;

use crate::document::words;

/// The subject of a notice and its round.
pub fn notice_head(notice: &Notice) -> String {
    match notice.round {
        Some(round) => format!("{}, round {round}", notice.kind.word()),
        None => notice.kind.word().into(),
    }
}

/// Describes an agent's last or single answer in short.
pub fn standing(
    confidence: Option<f64>,
    change: Option<f64>,
    stance: Option<Stance>,
    vote: Option<Ballot>,
    choice: Option<&Choice>,
) -> Vec<String> {
    let mut facts = Vec::new();
    match (confidence, change.filter(|change| change.abs() >= 0.005)) {
        (Some(now), Some(change)) => facts.push(format!("confidence {now:.2} ({change:+.2})")),
        (Some(now), None) => facts.push(format!("confidence {now:.2}")),
        (None, _) => facts.push("no confidence stated".into()),
    }
    facts.extend(stance.map(|stance| format!("stance {}", stance.word())));
    facts.extend(vote.map(|vote| format!("votes {}", vote.word())));
    facts.extend(choice.map(|choice| format!("answers {}", words::choice(choice))));
    facts
}

pub fn of_turn(turn: &Turn) -> Vec<String> {
    let answer = &turn.answer;
    standing(
        answer.confidence,
        turn.confidence_change.as_ref().map(|change| change.delta),
        answer.stance,
        answer.vote.as_ref().map(|vote| vote.ballot),
        answer.answer.as_ref(),
    )
}

/// The measures after a round, each with its figure.
pub fn measures(analysis: &RoundAnalysis) -> Vec<(&'static str, Option<f64>)> {
    let convergence = &analysis.convergence;
    vec![
        ("Agreement", analysis.consensus.agreement_level),
        ("Similarity", convergence.similarity),
        ("Shift", convergence.shift),
        ("Shared evidence", convergence.evidence),
        ("Mean confidence", analysis.confidence.mean),
    ]
}

/// The state of convergence in plain words.
pub fn convergence(status: ConvergenceStatus) -> &'static str {
    match status {
        ConvergenceStatus::ConsensusReached => "consensus reached",
        ConvergenceStatus::ConsensusDiverseEvidence => "consensus, from different evidence",
        ConvergenceStatus::DiminishingReturns => "no longer moving, and not agreed",
        ConvergenceStatus::Productive => "still moving",
        ConvergenceStatus::Stalled => "stalled",
    }
}

/// The kind of a round behind its number.
pub fn round_kind(kind: RoundKind) -> &'static str {
    match kind {
        RoundKind::Planned => "",
        RoundKind::Sample => ": sealed first answers",
        RoundKind::CriticalObjection => ": critical objections",
    }
}
