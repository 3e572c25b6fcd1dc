//! A stored debate as text: the whole of it in short, or one round in full.

use std::fmt::Write as _;

use debate::Debate;
use debate::model::*;

use super::context::overview;
use super::events::{Detail, answer, missed};
use super::page::{BOLD, DIM, Page};
use super::verdict::searches;
use super::{event, synthesis, verdict};

pub fn session(page: Page, id: &str, debate: &Debate) -> String {
    let room = debate.room();
    let mut out = String::new();
    let opened = Event::Opened {
        version: LOG_VERSION,
        brief: Box::new(room.brief.clone()),
        seats: room.seats.clone(),
    };
    out.push_str(&event(page, &opened, &room.seats, room.brief.rounds));
    let _ = writeln!(out, "{DIM}{id} · {}{DIM:#}", room.status.word());
    for record in &room.rounds {
        out.push_str(&round_short(page, room, record));
    }
    match &room.verdict {
        Some(result) => {
            out.push_str(&verdict(page, result, id));
            if let Some(written) = &room.synthesis {
                out.push_str(&synthesis(page, written));
            }
        }
        None => out.push_str(&not_over(page, id, &room.status)),
    }
    out.push_str(&overview(page, &room.context));
    if room.verdict.is_none() && !room.searches.is_none() {
        page.paragraph(&mut out, "", &searches(&room.searches).join(" · "));
    }
    out
}

/// One round with every answer in full.
pub fn round(page: Page, room: &Room, record: &RoundRecord) -> String {
    let mut out = String::new();
    page.heading(&mut out, &format!("Round {} of {}", record.number, room.rounds.len()));
    for turn in record.answered() {
        answer(page, &mut out, turn, Detail::Full);
    }
    for gap in &record.gaps {
        missed(page, &mut out, gap);
    }
    claims(page, &mut out, room, record);
    if let Some(analysis) = &record.analysis {
        let analysed =
            Event::Analysed { round: record.number, analysis: Box::new(analysis.clone()) };
        out.push_str(&event(page, &analysed, &room.seats, room.brief.rounds));
    }
    out
}

fn round_short(page: Page, room: &Room, record: &RoundRecord) -> String {
    let mut out = String::new();
    page.heading(&mut out, &format!("Round {}", record.number));
    for turn in record.answered() {
        answer(page, &mut out, turn, Detail::Short);
    }
    for gap in &record.gaps {
        missed(page, &mut out, gap);
    }
    if let Some(analysis) = &record.analysis {
        let analysed =
            Event::Analysed { round: record.number, analysis: Box::new(analysis.clone()) };
        out.push_str(&event(page, &analysed, &room.seats, room.brief.rounds));
    }
    out
}

fn claims(page: Page, out: &mut String, room: &Room, record: &RoundRecord) {
    if record.new_claims.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{BOLD}New claims{BOLD:#}");
    for claim in record.new_claims.iter().filter_map(|id| room.ledger.claim(*id)) {
        let text = format!(
            "[{} · {} · {} · strength {:.2}] {}",
            claim.label.word(),
            claim.evidence_type.word(),
            claim.status.word(),
            claim.strength,
            claim.text
        );
        page.item(out, "  ", &claim.id.to_string(), &text);
    }
}

fn not_over(page: Page, id: &str, status: &Status) -> String {
    let mut out = String::new();
    page.heading(&mut out, "Not over yet");
    match status {
        Status::Paused { reason } => page.paragraph(&mut out, "", &reason.sentence()),
        Status::Error { cause } => page.paragraph(&mut out, "", cause),
        Status::Created | Status::Active | Status::Completed { .. } => {}
    }
    let _ = writeln!(out, "Go on with: roundtable sessions resume {id}");
    out
}
