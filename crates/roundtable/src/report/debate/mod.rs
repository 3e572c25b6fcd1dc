//! A debate as a document. [`whole`] has everything, for files and pages; [`result`] has
//! what a person reads on a terminal when it is over. Both are lists of the same
//! sections, so that a figure has one name and one value everywhere.

mod about;
mod answers;
mod card;
mod course;
mod ledger;
pub mod numbers;
mod outcome;
mod view;
pub mod words;

pub use about::synthesis;
pub use card::totals;
pub use ledger::{contested, references};
pub use outcome::{dissent, why};
pub use view::{DebateLinkLine, ReportedDebate};

use crate::document::words::{day, spent};
use crate::document::{Block, Document, Labels, Phrase, Section, SectionLook};

/// Writes a section from a debate; an empty one is left out.
type SectionWriter = fn(&ReportedDebate<'_>) -> Section;

/// Every section, in the order of reading: the decision, what it rests on, the rest.
const WHOLE: [SectionWriter; 15] = [
    card::card,
    notices,
    outcome::why,
    outcome::moved,
    ledger::contested,
    outcome::dissent,
    outcome::risks,
    outcome::positions,
    outcome::vote,
    ledger::claims,
    ledger::references,
    course::convergence,
    ledger::map,
    about::synthesis_section,
    answers::rounds,
];

/// The sections of a result on a terminal. The rounds were shown while it ran.
const RESULT: [SectionWriter; 11] = [
    card::card,
    notices,
    outcome::why,
    outcome::moved,
    ledger::contested,
    outcome::dissent,
    outcome::risks,
    outcome::positions,
    outcome::vote,
    ledger::strongest,
    ledger::cited,
];

fn collected(document: &mut Document, view: &ReportedDebate<'_>, sections: &[SectionWriter]) {
    sections.iter().for_each(|write| document.add(write(view)));
}

/// The complete debate.
pub fn whole(view: &ReportedDebate<'_>) -> Document {
    let mut document = Document::new(view.room.brief.topic.clone());
    document.facts = view.facts();
    collected(&mut document, view, &WHOLE);
    document.add(about::about(view));
    document.foot = Phrase::default().plain("Debate ").code(view.id).plain(format!(
        ", {}. {}.",
        day(view.created),
        spent(&view.room.spent)
    ));
    document.in_words(Labels::of(&view.room.brief))
}

/// The result of a debate that is over.
pub fn result(view: &ReportedDebate<'_>) -> Document {
    let mut document = Document::default();
    collected(&mut document, view, &RESULT);
    document.add(about::cost(view));
    document.in_words(Labels::of(&view.room.brief))
}

/// Only the card.
pub fn only_card(view: &ReportedDebate<'_>) -> Document {
    let mut document = Document::default();
    document.add(card::card(view));
    document.in_words(Labels::of(&view.room.brief))
}

/// Groupthink, gaps, safety: what stands before anything else is read.
pub fn notices(view: &ReportedDebate<'_>) -> Section {
    let mut section = Section::new("notices", "Read this first");
    section.look = SectionLook::Notices;
    let notice = |one: &engine::export::Notice| {
        Phrase::default()
            .strong(format!("{}:", words::notice_head(one)))
            .plain(format!(" {}", one.text))
    };
    section.list(view.notices.iter().map(notice).collect());
    section
}

/// A part of a section that is not shown while it is empty.
fn if_any(section: Section) -> Section {
    let said = section.blocks.iter().any(|block| !matches!(block, Block::Heading(_)));
    if said { section } else { Section::default() }
}
