//! How the debate came about: agents, exit, what to check, cost; and the clerk's
//! synthesis where one was written.

use debate::model::*;

use super::ReportedDebate;
use super::view::DebateLinkLine;
use crate::document::words::{count, searches, spent};
use crate::document::{Document, Phrase, Section};

pub fn synthesis_section(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("synthesis", "Synthesis");
    if let Some(written) = &view.room.synthesis {
        points(&mut section, written);
    }
    section
}

/// A synthesis as a document of its own.
pub fn synthesis(written: &Synthesis) -> Document {
    let mut document = Document::new("Synthesis");
    let mut section = Section::default();
    points(&mut section, written);
    document.add(section);
    document
}

fn points(section: &mut Section, synthesis: &Synthesis) {
    let point = |point: &SynthesisPoint| {
        let mut phrase = Phrase::from(&point.text);
        for id in &point.claims {
            phrase = phrase.plain(" ").inside(id.to_string(), id.to_string());
        }
        phrase
    };
    let lists = [
        ("Conclusion", std::slice::from_ref(&synthesis.conclusion)),
        ("Recommendation", std::slice::from_ref(&synthesis.recommendation)),
        ("Common ground", synthesis.common_ground.as_slice()),
        ("Key differences", synthesis.key_differences.as_slice()),
        ("How it evolved", synthesis.evolution.as_slice()),
    ];
    for (title, points) in lists {
        section.titled(title, points.iter().map(point).collect());
    }
    if let Some(confidence) = synthesis.confidence {
        section.text(format!("The clerk's own confidence: {confidence:.2}"));
    }
    let note = |note: &TurnNote| format!("{}: {}", note.check, note.text);
    section.list(synthesis.notes.iter().map(note).collect());
}

pub fn about(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("about", "How this came about");
    let room = view.room;
    let row = |seat: &Seat| {
        let agent = room.brief.agents.get(seat.agent);
        let model = agent.map_or_else(String::new, |one| format!("{}/{}", one.provider, one.model));
        let role = seat.perspective.as_ref().map_or(&seat.role, |one| &one.name);
        let persona = room.brief.persona(seat.agent);
        let role = if persona.is_empty() { role.clone() } else { format!("{role}, {persona}") };
        vec![
            Phrase::from(&seat.name),
            Phrase::from(role),
            Phrase::from(seat.anchor.word()),
            Phrase::from(model),
        ]
    };
    let rows = room.seats.iter().map(row).collect();
    let link = |one: &DebateLinkLine| {
        Phrase::from(format!("{} ", one.how)).code(&one.id).plain(format!(": {}", one.topic))
    };
    section.list(view.links.iter().map(link).collect());
    section.table("The agents", &["Agent", "Role", "Anchor", "Model"], rows);
    let Some(verdict) = view.verdict() else { return section };
    section.text(format!("Ended: {}", verdict.metadata.exit_details));
    section.titled("To check before relying on it", verdict.metadata.verification_hints.clone());
    section
}

/// The end, the searches, the lessons and the cost, for a terminal.
pub fn cost(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("cost", "How it ended and what it cost");
    let Some(verdict) = view.verdict() else { return section };
    let metadata = &verdict.metadata;
    section.list(metadata.verification_hints.clone());
    if let Some(learning) = metadata.learning.as_ref().filter(|one| !one.used.is_empty()) {
        let outcomes = count(learning.outcomes as usize, "earlier outcome");
        section.text(format!("Learned from {outcomes} ({}):", learning.domain));
        section.list(learning.used.clone());
    }
    let mut facts = vec![metadata.exit_details.clone()];
    facts.extend(searches(&metadata.searches));
    facts.push(spent(&metadata.spent));
    section.text(facts.join(" · "));
    section
}
