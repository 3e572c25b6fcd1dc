//! A round as the clerk reads it: every answer under the label the caller gives
//! it, fenced, all of them within one budget.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::budget;
use crate::model::{
    Fence, KnownLines, Room, RoundRecord, SeatId, TokenUnits, Turn, clip, stands_alone,
};

/// The budget for all answers together.
const ANSWERS: usize = 6000;
/// About the length of a fence with its label.
const FENCE_BYTES: usize = 128;

/// What the clerk reads of a round.
#[derive(Debug, Default)]
pub struct ClerkMaterial {
    pub text: String,
    /// The lines of the text that were counted for it.
    pub known: Vec<KnownLines>,
}

/// `order`: the seats whose answers are shown, in order; `names`: their labels.
pub fn for_clerk(
    room: &Room,
    record: &RoundRecord,
    order: &[SeatId],
    names: &[String],
    fence: &Fence,
) -> ClerkMaterial {
    let texts: Vec<String> = order
        .iter()
        .map(|seat| record.turn(*seat).map_or_else(String::new, |turn| words(room, turn)))
        .collect();
    let units: Vec<TokenUnits> = texts.iter().map(|text| TokenUnits::of(text)).collect();
    let needs: Vec<usize> = units.iter().map(|units| units.tokens()).collect();
    let shares = budget::share(&needs, ANSWERS);
    let room_for_all: usize = texts.iter().map(|text| text.len() + FENCE_BYTES).sum();
    let mut out = ClerkMaterial { text: String::with_capacity(room_for_all), known: Vec::new() };
    for ((((text, units), need), share), name) in
        texts.iter().zip(units).zip(needs).zip(shares).zip(names)
    {
        let shown = if need <= share { Cow::Borrowed(text.as_str()) } else { clip(text, share) };
        fence.open(&mut out.text, name);
        let start = out.text.len();
        let shown = fence.neutralise(&shown);
        out.text.push_str(&shown);
        if *shown == *text && stands_alone(text) {
            out.known.push(KnownLines { start, end: out.text.len(), units });
        }
        fence.close(&mut out.text);
        out.text.push('\n');
    }
    out
}

fn words(room: &Room, turn: &Turn) -> String {
    let answer = &turn.answer;
    let mut out = format!("Position: {}\n", answer.position);
    if let Some(vote) = &answer.vote {
        let objection = vote.objection.as_deref().unwrap_or_default();
        let _ = writeln!(out, "Vote: {} {objection}", vote.ballot.word());
    }
    for point in &answer.key_points {
        let _ = writeln!(out, "- {point}");
    }
    let touched = room.round(turn.round).and_then(|round| round.touched.get(turn.seat.index()));
    for id in touched.iter().flat_map(|touched| &touched.introduced) {
        if let Some(claim) = room.ledger.claim(*id) {
            let _ = writeln!(out, "{id} [{}] {}", claim.label.word(), claim.text);
        }
    }
    let _ = writeln!(out, "{}", answer.reasoning);
    out
}
