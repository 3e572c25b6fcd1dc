//! The record of a finished debate as a document.

use crate::document::Document;
use crate::document::words::count;
use engine::outcomes::record::{DebateRecord, HumanOverride, RoundEntry};

pub fn record(record: &DebateRecord) -> Document {
    let mut document = Document::new("Debate record");
    document.text(&record.topic);
    let mut facts = vec![format!("session {}", record.session_id)];
    facts.extend(record.project_name.as_ref().map(|name| format!("project {name}")));
    facts.extend(record.domain.as_ref().map(|name| format!("domain {name}")));
    facts.push(record.mode.clone());
    document.text(facts.join(" · "));
    document.text(format!("From {} to {}", record.timestamp_start, record.timestamp_end));
    for round in &record.rounds {
        of_round(&mut document, round);
    }
    consensus(&mut document, record);
    let tokens = &record.token_efficiency;
    let number = |count: Option<u64>| count.map_or("unknown".into(), |count| count.to_string());
    document.heading(2, "Token efficiency");
    document.text(format!(
        "{} tokens over {}, {} a round; {}; ${:.4}",
        number(tokens.total_tokens),
        count(tokens.rounds, "round"),
        number(tokens.avg_tokens_per_round),
        if tokens.consensus_reached { "consensus was reached" } else { "no consensus was reached" },
        tokens.cost_usd
    ));
    if let Some(used) = &record.lessons_used {
        document.heading(2, "Lessons it used");
        document.list(used.used.clone());
    }
    if let Some(post) = &record.post_mortem_assessment {
        document.heading(2, "How it turned out");
        document.text(format!("{:.0} % accurate.", post.decision_accuracy * 100.0));
    }
    document
}

fn of_round(document: &mut Document, round: &RoundEntry) {
    document.heading(2, format!("Round {}", round.round_number));
    let share = |value: Option<f64>| value.map_or("–".into(), |share| format!("{share:.2}"));
    document.text(format!(
        "{}, {:.1} s; similarity {}, shared evidence {}, shift {}, agreement {}",
        round.timestamp,
        round.duration_seconds,
        share(round.metrics.semantic_similarity),
        share(round.metrics.evidence_convergence),
        share(round.metrics.position_shift),
        share(round.metrics.agreement)
    ));
    let positions = round.agent_positions.iter().map(|one| {
        let kinds: Vec<&str> = one.evidence_types.iter().map(|kind| kind.word()).collect();
        let confidence = match (one.confidence, one.calibrated_confidence) {
            (Some(stated), Some(read)) => format!("{stated:.2} (calibrated {read:.2})"),
            (stated, _) => share(stated),
        };
        let cited = if one.evidence_citations.is_empty() {
            String::new()
        } else {
            format!(" Cites {}.", one.evidence_citations.join("; "))
        };
        format!(
            "{} ({}, {}): {} [{}] confidence {confidence}.{cited}",
            one.agent,
            one.model,
            one.panel,
            one.position,
            kinds.join(", ")
        )
    });
    document.list(positions.collect());
    document.list(round.missing.iter().map(|gap| format!("no answer from {gap}")).collect());
    if let Some(input) = &round.user_input {
        document.text(format!("Said by a person: {input}"));
    }
}

fn consensus(document: &mut Document, record: &DebateRecord) {
    let last = &record.final_consensus;
    document.heading(2, "Decision");
    document.text(&last.decision);
    document.text(&last.rationale);
    let share = |value: Option<f64>| value.map_or("unknown".into(), |share| format!("{share:.2}"));
    document.text(format!(
        "Probability {}, agreement {}; {}; {}",
        share(last.confidence),
        share(last.agreement),
        if last.escalation { "handed to a person" } else { "not handed to a person" },
        match &last.human_override {
            HumanOverride::No(_) => "not overridden".to_owned(),
            HumanOverride::Decided(other) => format!("a person decided otherwise: {other}"),
        }
    ));
    let rows = last.supporting_evidence.iter().map(|one| {
        vec![
            one.claim.clone(),
            one.evidence_type.word().to_owned(),
            format!("{:.2}", one.weight),
            one.citation.clone(),
        ]
    });
    document.table(&["supported by", "evidence", "weight", "source"], rows.collect());
    let dissent = last.dissenting_opinions.iter();
    document.list(
        dissent
            .map(|one| format!("dissent of {}: {}", one.agents.join(", "), one.position))
            .collect(),
    );
}
