//! A round as the clerk reads it: every answer under the label the caller gives
//! it, fenced, all of them within one budget.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::budget;
use crate::model::{Fence, Room, RoundRecord, SeatId, Turn, clip, tokens};

/// The budget for all answers together.
const ANSWERS: usize = 6000;

/// `order`: the seats whose answers are shown, in order; `names`: their labels.
pub fn for_clerk(
    room: &Room,
    record: &RoundRecord,
    order: &[SeatId],
    names: &[String],
    fence: &Fence,
) -> String {
    let texts: Vec<String> = order
        .iter()
        .map(|seat| record.turn(*seat).map_or_else(String::new, |turn| words(room, turn)))
        .collect();
    let needs: Vec<usize> = texts.iter().map(|text| tokens(text)).collect();
    let shares = budget::share(&needs, ANSWERS);
    let mut out = String::new();
    for (((text, need), share), name) in texts.iter().zip(needs).zip(shares).zip(names) {
        let shown = if need <= share { Cow::Borrowed(text.as_str()) } else { clip(text, share) };
        out.push_str(&fence.wrap(name, &shown));
        out.push('\n');
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
