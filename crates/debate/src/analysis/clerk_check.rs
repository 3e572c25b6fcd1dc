//! Tests the clerk's table against what is known without it. A table that fails
//! is not used: a clerk that contradicts given answers carries no information
//! about the rest either.

use crate::model::{Brief, Proposition, SeatId, Side, Turn};

use crate::analysis::answers::polarity::NormalisedPosition;
use crate::analysis::answers::positions::{PositionKey, choice_label};

/// Why a table cannot be used, if so. `turns`: the votes of the round;
/// `propositions`: the stands of these seats.
pub fn fault(brief: &Brief, turns: &[&Turn], propositions: &[Proposition]) -> Option<String> {
    if propositions.is_empty() {
        return None;
    }
    for (at, one) in turns.iter().enumerate() {
        for other in turns.iter().skip(at + 1) {
            let apart = propositions.iter().any(|row| stand_apart(row, one.seat, other.seat));
            if apart && equal_positions(brief, one, other) {
                return Some("it put seats with the same position on opposite sides".into());
            }
            if brief.question.is_closed() && !apart && !same_answer(brief, one, other) {
                return Some(
                    "it saw no difference between seats that gave different answers".into(),
                );
            }
        }
    }
    let contradicts = |row: &Proposition| names_and_contradicts(brief, turns, row);
    let closed = brief.question.is_closed();
    (closed && propositions.iter().any(contradicts))
        .then(|| "it put seats on the other side of the answer they gave".into())
}

/// Gives seats with one position one stand: where the clerk left one of them
/// open, the other's stand holds for both.
pub fn align(brief: &Brief, turns: &[&Turn], propositions: &mut [Proposition]) {
    for row in propositions {
        for (at, one) in turns.iter().enumerate() {
            for other in turns.iter().skip(at + 1) {
                if !equal_positions(brief, one, other) {
                    continue;
                }
                match (side(row, one.seat), side(row, other.seat)) {
                    (Some(Side::Open), Some(known)) => set(row, one.seat, known),
                    (Some(known), Some(Side::Open)) => set(row, other.seat, known),
                    _ => {}
                }
            }
        }
    }
}

pub fn equal_positions(brief: &Brief, one: &Turn, other: &Turn) -> bool {
    let words = |turn: &Turn| NormalisedPosition::of(&turn.answer.position);
    let alike = words(one) == words(other) && !words(one).is_empty();
    let stances = one.answer.stance == other.answer.stance;
    alike && stances && (!brief.question.is_closed() || same_answer(brief, one, other))
}

fn same_answer(brief: &Brief, one: &Turn, other: &Turn) -> bool {
    PositionKey::of(brief, one).same(&PositionKey::of(brief, other))
}

fn side(row: &Proposition, seat: SeatId) -> Option<Side> {
    row.stands.iter().find(|stand| stand.seat == seat).map(|stand| stand.side)
}

fn set(row: &mut Proposition, seat: SeatId, side: Side) {
    if let Some(stand) = row.stands.iter_mut().find(|stand| stand.seat == seat) {
        stand.side = side;
    }
}

fn stand_apart(row: &Proposition, one: SeatId, other: SeatId) -> bool {
    matches!(
        (side(row, one), side(row, other)),
        (Some(Side::For), Some(Side::Against)) | (Some(Side::Against), Some(Side::For))
    )
}

/// Returns whether a proposition that says nothing but "the answer is x" has a seat that
/// gave x against it, or one that gave another answer for it.
fn names_and_contradicts(brief: &Brief, turns: &[&Turn], row: &Proposition) -> bool {
    let said = NormalisedPosition::of(&row.text);
    let mut named: Option<&Turn> = None;
    for turn in turns {
        let Some(choice) = &turn.answer.answer else { continue };
        let label = NormalisedPosition::of(&choice_label(choice));
        let plain = [format!("answer {}", joined(&label)), joined(&label)];
        if !label.is_empty() && plain.contains(&joined(&said)) {
            named = Some(turn);
            break;
        }
    }
    let Some(named) = named else { return false };
    turns.iter().any(|turn| match side(row, turn.seat) {
        Some(Side::For) => !same_answer(brief, turn, named),
        Some(Side::Against) => same_answer(brief, turn, named),
        Some(Side::Open) | None => false,
    })
}

fn joined(normal: &NormalisedPosition) -> String {
    normal.words().collect::<Vec<_>>().join(" ")
}
