//! A stored debate as text: the whole of it in short, or one round in full.

use std::fmt::Write as _;

use debate::Debate;
use debate::model::*;

use crate::terminal::context::{how, overview};
use crate::terminal::events::{Detail, answer, missed};
use crate::terminal::page::{BOLD, DIM, Page};
use crate::terminal::round::{Figures, Stand, after_round};
use crate::terminal::verdict::searches;
use crate::terminal::events::event;
use crate::terminal::synthesis::synthesis;
use crate::terminal::verdict;

/// `held_up`: what delayed calls on the way.
pub fn session(page: Page, id: &str, debate: &Debate, held_up: &[Event]) -> String {
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
    out.push_str(&delays(page, room, held_up));
    match &room.verdict {
        Some(result) => {
            out.push_str(&verdict(page, result, id));
            if let Some(written) = &room.synthesis {
                out.push_str(&synthesis(page, written));
            }
        }
        None => out.push_str(&not_over(page, id, room)),
    }
    out.push_str(&overview(page, &room.context));
    if room.verdict.is_none() && !room.searches.is_none() {
        page.paragraph(&mut out, "", &searches(&room.searches).join(" · "));
    }
    out
}

/// What held calls up on the way; nothing where nothing did.
fn delays(page: Page, room: &Room, delays: &[Event]) -> String {
    let mut out = String::new();
    if !delays.is_empty() {
        page.heading(&mut out, "Held up on the way");
    }
    for delay in delays {
        out.push_str(&event(page, delay, &room.seats, room.brief.rounds));
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
        out.push_str(&came_to(page, room, record, analysis));
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
        out.push_str(&came_to(page, room, record, analysis));
    }
    out
}

/// What a round came to, set against the round before it.
pub fn came_to(page: Page, room: &Room, record: &RoundRecord, analysis: &RoundAnalysis) -> String {
    let before = room.round(record.number.saturating_sub(1)).and_then(|r| r.analysis.as_ref());
    let stands: Vec<Stand> = record.answered().map(Stand::of).collect();
    after_round(page, analysis, before, &Figures::of(&room.brief), &stands)
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

fn not_over(page: Page, id: &str, room: &Room) -> String {
    let mut out = String::new();
    page.heading(&mut out, "Not over yet");
    let needed: Vec<ContextRequest> = room.required_requests().cloned().collect();
    match &room.status {
        Status::Paused { reason: PauseReason::NeedsContext { .. } } => {
            let text = match needed.is_empty() {
                true => "Everything that was needed of you is settled.",
                false => "It needs something only you can say; see below.",
            };
            page.paragraph(&mut out, "", text);
        }
        Status::Paused { reason } => page.paragraph(&mut out, "", &reason.sentence()),
        Status::Error { cause } => page.paragraph(&mut out, "", cause),
        // Whether somebody runs it stands in no log; whoever shows it says so.
        Status::Active => return out,
        Status::Created | Status::Completed { .. } => {}
    }
    for line in how(id, &needed) {
        let _ = writeln!(out, "{line}");
    }
    let then = if needed.is_empty() { "Go on with" } else { "Then go on with" };
    let _ = writeln!(out, "{then}: roundtable sessions resume {id}");
    out
}
