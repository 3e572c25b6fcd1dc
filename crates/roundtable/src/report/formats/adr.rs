//! A decision record: what was decided and how sure the table was, the question, the
//! options, the grounds, what speaks against it and what to check. It stays proposed:
//! a record is accepted by people.

use debate::model::*;
use engine::export::ExportedDebate;

use crate::document::words::{day, percent};
use crate::document::{Document, Phrase, Section};
use crate::report::debate::{
    ReportedDebate, contested, dissent, notices, only_card, references, why,
};

pub fn adr(exported: &ExportedDebate) -> String {
    let mut view = ReportedDebate::of(exported);
    // A record has no rounds that say why an answer is missing.
    view.notices.clone_from(&exported.notices);
    let room = view.room;
    // The title of a record is its decision, where there is one.
    let decided = view.verdict().filter(|verdict| verdict.card.kind.is_decision());
    let title = decided.map_or(&room.brief.topic, |verdict| &verdict.card.decision);
    let mut document = Document::new(title.clone());
    let state = if room.verdict.is_some() { "proposed" } else { "draft; the debate is not over" };
    let names: Vec<&str> = room.seats.iter().map(|seat| seat.name.as_str()).collect();
    document.list(vec![
        Phrase::from(format!("Status: {state}")),
        Phrase::from(format!("Date: {}", day(view.updated))),
        Phrase::from(format!("Debated by: {}", names.join(", "))),
        Phrase::default().plain("Debate: ").code(view.id),
    ]);
    if view.verdict().is_some() {
        only_card(&view).sections.into_iter().for_each(|card| document.add(card));
    }
    document.add(notices(&view));
    document.add(context(room));
    if let Some(verdict) = view.verdict() {
        document.add(why(&view));
        document.add(options(&view, &verdict.evidence.weighing));
        document.add(grounds(&view, verdict));
        document.add(contested(&view));
        document.add(dissent(&view));
        let mut check = Section::new("check", "To check before relying on it");
        check.list(verdict.metadata.verification_hints.clone());
        document.add(check);
        document.add(references(&view));
    }
    document.to_markdown()
}

fn context(room: &Room) -> Section {
    let mut section = Section::new("context", "Context");
    section.text(&room.brief.topic);
    if let Some(focus) = &room.focus {
        section.text(format!("Every answer had to address: {focus}"));
    }
    let decisions = room.ledger.decisions.iter();
    let mut items: Vec<String> =
        decisions.map(|one| format!("{} (since round {})", one.text, one.round)).collect();
    let attached = room.brief.attachments.iter();
    items.extend(attached.map(|attachment| format!("On the table: {}", attachment.name)));
    section.list(items);
    section
}

fn options(view: &ReportedDebate<'_>, weighing: &Weighing) -> Section {
    let mut section = Section::new("options", "Options considered");
    let mut items: Vec<String> = Vec::new();
    for answer in weighing.answers.iter().filter(|answer| !answer.seats.is_empty()) {
        let (weighed, who) = (percent(answer.probability), view.names(&answer.seats));
        items.push(format!("{} ({weighed} weighed; held by {who})", answer.answer));
    }
    // Answers of the first vote that no agent holds now.
    for share in &weighing.first_vote {
        let said = if share.words.is_empty() { &share.answer } else { &share.words };
        let held = |answer: &WeighedAnswer| answer.answer == *said && !answer.seats.is_empty();
        if !weighing.answers.iter().any(held) {
            items.push(format!("{said} (at first {})", view.names(&share.seats)));
        }
    }
    section.list(items);
    section
}

fn grounds(view: &ReportedDebate<'_>, verdict: &Verdict) -> Section {
    let mut section = Section::new("grounds", "Grounds");
    let ground = |strong: &StrongClaim| {
        let claim = view.room.ledger.claim(strong.claim);
        let marks: String = claim
            .map(|claim| claim.support.iter().map(|id| format!("[{}]", id.0)).collect())
            .unwrap_or_default();
        let status = claim.map_or("", |claim| claim.status.word());
        format!(
            "{} {}{marks} ({status}, strength {:.2})",
            strong.claim, strong.text, strong.strength
        )
    };
    section.list(verdict.evidence.strongest.iter().map(ground).collect());
    section
}
