//! Phrases that several formats share, still to be escaped by each.

use debate::model::*;

use crate::terminal::events::choice_words;
use crate::terminal::page::when;
use crate::terminal::verdict::money;
use engine::export::{ExportedDebate, Notice};

/// The kinds of decision in words for a person.
pub fn action(action: Action) -> &'static str {
    match action {
        Action::Proceed => "Proceed",
        Action::Verify => "Verify before you rely on it",
        Action::QueryDetail => "Look into the details first",
    }
}

pub fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "not known".into(), |value| format!("{value:.2}"))
}

pub fn percent(value: f64) -> String {
    format!("{:.0} %", value * 100.0)
}

/// The day it was held, in UTC.
pub fn day(ms: i64) -> String {
    when(ms).chars().take(10).collect()
}

pub use debate::model::counted as count;

/// Mode, rounds, agents, date and status in one line.
pub fn facts(exported: &ExportedDebate) -> Vec<String> {
    let room = exported.room();
    vec![
        room.brief.mode.clone(),
        count(room.rounds.len(), "round"),
        count(room.seats.len(), "agent"),
        day(exported.created),
        room.status.word().into(),
    ]
}

/// Whom a notice is about and when.
pub fn notice_head(notice: &Notice) -> String {
    match notice.round {
        Some(round) => format!("{}, round {round}", notice.kind.word()),
        None => notice.kind.word().into(),
    }
}

/// The few figures beside a decision, with what each means.
pub fn figures(decision: &DecisionLayer) -> Vec<(&'static str, String, &'static str)> {
    let mut rows = vec![
        ("Consensus", decision.consensus_level.word().to_string(), "how far the table agrees"),
        ("Agreement", share(decision.agreement_score), "0 to 1; says nothing about who is right"),
    ];
    if let Some(probability) = decision.probability {
        rows.push((
            "Weighed vote",
            percent(probability),
            "for this answer, copies of a model discounted",
        ));
    }
    rows
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
    facts.extend(choice.map(|choice| format!("answers {}", choice_words(choice))));
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

/// A change of mind in one sentence.
pub fn change(exported: &ExportedDebate, change: &ChangeOfMind) -> String {
    let ground = match change.basis {
        ChangeBasis::NewEvidence => {
            let marks: String = change.evidence.iter().map(|id| format!("[{}]", id.0)).collect();
            format!("on new evidence {marks}")
        }
        ChangeBasis::PressureOnly => "without new evidence".into(),
    };
    let before = if change.said_before.is_empty() { &change.from } else { &change.said_before };
    format!(
        "{} changed its mind in round {} {ground}: from “{before}” to “{}”",
        exported.name(change.seat),
        change.round,
        change.to
    )
}

/// Calls, tokens and money in one line.
pub fn spent(spent: &Tally) -> String {
    let mut facts = vec![count(spent.calls as usize, "call")];
    facts.extend(spent.usage.total().map(|tokens| format!("{tokens} tokens")));
    facts.extend(money(spent));
    facts.join(", ")
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

/// The links of the argument map: from, to, and how.
pub fn links(ledger: &Ledger) -> Vec<(ClaimId, ClaimId, Link)> {
    let mut links = Vec::new();
    for claim in &ledger.claims {
        links.extend(claim.supported_by.iter().map(|from| (*from, claim.id, Link::Supports)));
        links.extend(claim.opposition.iter().map(|from| (*from, claim.id, Link::Opposes)));
    }
    links.retain(|(from, to, _)| from != to && ledger.claim(*from).is_some());
    links.sort_by_key(|(from, to, _)| (*from, *to));
    links
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    Supports,
    Opposes,
}

impl Link {
    pub fn word(self) -> &'static str {
        match self {
            Link::Supports => "supports",
            Link::Opposes => "opposes",
        }
    }
}
