//! The end of the sheet: how the debate came about and ended, what to check, and the
//! clerk's synthesis where one was written.

use askama::Template;
use debate::model::{Seat, Synthesis, SynthesisPoint, TurnNote};

use super::Sheet;
use super::signs::{LinkedText, SeatSign};
use crate::document::words::share;
use crate::report::debate::DebateLinkLine;

#[derive(Template)]
#[template(path = "sheet_about.html", whitespace = "preserve")]
pub struct AboutSheet {
    lines: Vec<String>,
    links: Vec<DebateLinkLine>,
    /// True on the page, where the linked debates can be opened.
    linked: bool,
    seats: Vec<SeatLine>,
    hints: Vec<LinkedText>,
    /// Headings with their points.
    synthesis: Vec<(&'static str, Vec<LinkedText>)>,
}

/// A seat and the part it was given.
struct SeatLine {
    sign: SeatSign,
    part: String,
}

impl AboutSheet {
    pub fn of(sheet: &Sheet<'_>) -> AboutSheet {
        let room = sheet.view.room;
        let seat = |seat: &Seat| SeatLine {
            sign: sheet.signs.seat(seat.id).small(),
            part: {
                let part = seat.perspective.as_ref().map_or(&seat.role, |one| &one.name);
                match room.brief.persona(seat.agent) {
                    "" => part.clone(),
                    persona => format!("{part}, {persona}"),
                }
            },
        };
        let verdict = sheet.view.verdict();
        let mut lines = Vec::new();
        lines.extend(verdict.map(|verdict| format!("Ended: {}.", verdict.metadata.exit_details)));
        lines.extend(verdict.map(|verdict| {
            let figures = &verdict.card.figures;
            format!("Agreement: {} ({}).", share(figures.agreement), figures.level.word())
        }));
        let hints = verdict.map(|verdict| verdict.metadata.verification_hints.as_slice());
        let linked = |text: &String| LinkedText::of(text, &room.ledger);
        AboutSheet {
            lines,
            links: sheet.view.links.clone(),
            linked: sheet.on_the_page,
            seats: room.seats.iter().map(seat).collect(),
            hints: hints.unwrap_or_default().iter().map(linked).collect(),
            synthesis: room.synthesis.as_ref().map(|one| points(sheet, one)).unwrap_or_default(),
        }
    }
}

fn points(sheet: &Sheet<'_>, written: &Synthesis) -> Vec<(&'static str, Vec<LinkedText>)> {
    let point = |point: &SynthesisPoint| {
        let ids: Vec<String> = point.claims.iter().map(ToString::to_string).collect();
        let text = format!("{} {}", point.text, ids.join(" "));
        LinkedText::of(text.trim_end(), &sheet.view.room.ledger)
    };
    let note = |note: &TurnNote| {
        LinkedText::of(&format!("{}: {}", note.check, note.text), &sheet.view.room.ledger)
    };
    let lists = [
        ("Conclusion", std::slice::from_ref(&written.conclusion)),
        ("Recommendation", std::slice::from_ref(&written.recommendation)),
        ("Common ground", written.common_ground.as_slice()),
        ("Key differences", written.key_differences.as_slice()),
        ("How it evolved", written.evolution.as_slice()),
    ];
    let mut found: Vec<(&'static str, Vec<LinkedText>)> = lists
        .into_iter()
        .filter(|(_, all)| !all.is_empty())
        .map(|(title, all)| (title, all.iter().map(point).collect()))
        .collect();
    if !written.notes.is_empty() {
        found.push(("Notes", written.notes.iter().map(note).collect()));
    }
    found
}
