//! Compares where seats stand on the propositions of the clerk's tables, within a
//! round and from one round to another.

use crate::model::{Proposition, PropositionId, SeatId, Side};

/// How alike two stands are: 1 for the same side, 0 for opposite sides, one half
/// where one of them is open. Two open stands say nothing.
fn alike(one: Side, other: Side) -> Option<f64> {
    match (one, other) {
        (Side::Open, Side::Open) => None,
        (Side::Open, _) | (_, Side::Open) => Some(0.5),
        (one, other) => Some(if one == other { 1.0 } else { 0.0 }),
    }
}

pub fn side_of(row: &Proposition, seat: SeatId) -> Option<Side> {
    row.stands.iter().find(|stand| stand.seat == seat).map(|stand| stand.side)
}

/// Mean over every proposition and pair of seats that stand on it. An incomplete
/// row counts over those who stand in it.
pub fn level_of(propositions: &[Proposition]) -> Option<f64> {
    let (mut sum, mut pairs) = (0.0, 0_u32);
    for proposition in propositions {
        for (at, one) in proposition.stands.iter().enumerate() {
            for other in proposition.stands.iter().skip(at + 1) {
                if let Some(score) = alike(one.side, other.side) {
                    sum += score;
                    pairs += 1;
                }
            }
        }
    }
    (pairs > 0).then(|| sum / f64::from(pairs))
}

/// The stands of a seat on the propositions that both tables know.
fn in_both<'a>(
    before: &'a [Proposition],
    now: &'a [Proposition],
    seat: SeatId,
) -> impl Iterator<Item = (Side, Side)> + 'a {
    now.iter().filter_map(move |row| {
        let id: PropositionId = row.id?;
        let earlier = before.iter().find(|other| other.id == Some(id))?;
        Some((side_of(earlier, seat)?, side_of(row, seat)?))
    })
}

/// The share of propositions known in both tables on which a seat's stand changed;
/// to or from open counts half.
pub fn shift(before: &[Proposition], now: &[Proposition], seat: SeatId) -> Option<f64> {
    let changes: Vec<f64> = in_both(before, now, seat)
        .map(|pair| match pair {
            (one, other) if one == other => 0.0,
            (Side::Open, _) | (_, Side::Open) => 0.5,
            _ => 1.0,
        })
        .collect();
    (!changes.is_empty()).then(|| changes.iter().sum::<f64>() / changes.len() as f64)
}

/// Returns whether a seat went over to the other side of a proposition; absent where the
/// tables have none in common.
pub fn changed_sides(before: &[Proposition], now: &[Proposition], seat: SeatId) -> Option<bool> {
    let mut common = in_both(before, now, seat).peekable();
    common.peek()?;
    Some(common.any(|(one, other)| one != other && one != Side::Open && other != Side::Open))
}

/// Where a group of seats stands: the side that most of them take, by proposition.
pub fn stand_of(propositions: &[Proposition], seats: &[SeatId]) -> Vec<(PropositionId, Side)> {
    let side = |row: &Proposition| {
        let count =
            |side: Side| seats.iter().filter(|seat| side_of(row, **seat) == Some(side)).count();
        let (pro, con) = (count(Side::For), count(Side::Against));
        match pro.cmp(&con) {
            std::cmp::Ordering::Greater => Some((row.id?, Side::For)),
            std::cmp::Ordering::Less => Some((row.id?, Side::Against)),
            std::cmp::Ordering::Equal => None,
        }
    };
    propositions.iter().filter_map(side).collect()
}

/// The share of propositions on which two groups take the same side; absent where
/// they have none in common.
pub fn same_stand(one: &[(PropositionId, Side)], other: &[(PropositionId, Side)]) -> Option<f64> {
    let common: Vec<bool> = one
        .iter()
        .filter_map(|(id, side)| Some(other.iter().find(|(known, _)| known == id)?.1 == *side))
        .collect();
    let same = common.iter().filter(|same| **same).count();
    (!common.is_empty()).then(|| same as f64 / common.len() as f64)
}
