//! Every round with its answers in full, its remarks and its gaps.

use debate::model::*;

use super::{ReportedDebate, numbers, words};
use crate::document::{Block, FoldedPart, Phrase, Section};

pub fn rounds(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("rounds", "Every answer");
    for record in &view.room.rounds {
        round(view, record, &mut section);
    }
    section
}

fn round(view: &ReportedDebate<'_>, record: &RoundRecord, section: &mut Section) {
    section.heading(format!("Round {}{}", record.number, words::round_kind(record.kind)));
    for remark in view.room.remarks.iter().filter(|one| one.round == record.number) {
        section.text(
            Phrase::default().strong("Remark from a person:").plain(format!(" {}", remark.text)),
        );
    }
    for turn in record.answered() {
        section.blocks.push(Block::Folded(answer(view, turn)));
    }
    for gap in &record.gaps {
        section.blocks.push(Block::Gap(Phrase::default().strong(&*gap.agent).plain(format!(
            " gave no answer ({}): {}",
            gap.class.word(),
            gap.message
        ))));
    }
    if let Some(analysis) = &record.analysis {
        let figures: Vec<String> = words::measures(analysis)
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{} {:.2}", name.to_lowercase(), value?)))
            .collect();
        section.text(Phrase::default().soft(format!(
            "After round {}, over {} of {} agents: {}. {}",
            record.number,
            analysis.answered,
            analysis.seats,
            figures.join(", "),
            analysis.consensus.summary
        )));
    }
}

fn answer(view: &ReportedDebate<'_>, turn: &Turn) -> FoldedPart {
    let answer = &turn.answer;
    let mut facts = vec![turn.perspective.clone().unwrap_or_else(|| turn.role.clone())];
    facts.push(turn.model.clone());
    facts.extend(words::of_turn(turn));
    let own = view.numbering.as_ref().map(|numbering| numbering.of(turn)).unwrap_or_default();
    let sources = view.room.ledger.evidence.len();
    let mut inside = Section::default();
    let reasoning = numbers::renumber(&answer.reasoning, &own, sources);
    if !reasoning.trim().is_empty() {
        inside.blocks.push(Block::Prose(reasoning));
    }
    let claims = answer.claims.iter().map(|claim| {
        let marks = numbers::marks(&claim.citations, &own, sources);
        let kind = format!("{}, {}", claim.label.word(), claim.evidence_type.word());
        Phrase::default().plain(format!("{} {marks} ", claim.text)).soft(format!("({kind})"))
    });
    let critiques = answer.critiques.iter().map(|critique| {
        let counter = critique.counter_evidence.as_deref().unwrap_or_default();
        Phrase::from(format!("On {}: {} {counter}", critique.claim, critique.text))
    });
    let objection = answer.vote.as_ref().and_then(|vote| vote.objection.as_deref());
    let notes =
        turn.notes.iter().map(|note| Phrase::from(format!("{}: {}", note.check, note.text)));
    let lists: [(&str, Vec<Phrase>); 6] = [
        ("Key points", answer.key_points.iter().map(Phrase::from).collect()),
        ("Claims", claims.collect()),
        ("Critiques", critiques.collect()),
        ("Objection", objection.map(Phrase::from).into_iter().collect()),
        (
            "Why its confidence changed",
            answer.confidence_reason.as_deref().map(Phrase::from).into_iter().collect(),
        ),
        ("Corrections made while reading", notes.collect()),
    ];
    for (title, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
        inside.text(Phrase::default().strong(title));
        inside.list(items);
    }
    FoldedPart {
        anchor: format!("round-{}-seat-{}", turn.round, turn.seat.index() + 1),
        name: turn.agent.clone(),
        line: answer.position.clone(),
        facts: facts.join(" · "),
        blocks: inside.blocks,
    }
}
