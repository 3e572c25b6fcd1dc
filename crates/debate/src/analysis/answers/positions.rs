//! Groups the answers of a round that are the same answer. If the question has a
//! form (options, a number, a probability), only the chosen value decides;
//! otherwise the words of the position do. Similarity is never used.

use crate::model::{Choice, RoundRecord, SeatId, Stance, Turn};

use super::polarity::{NormalisedPosition, Relation};

/// Numbers this far apart, relative to the larger, are one answer.
const NUMBER_TOLERANCE: f64 = 0.01;
/// Probabilities this far apart are one answer.
const PROBABILITY_TOLERANCE: f64 = 0.05;

/// The key by which two answers are compared.
#[derive(Debug, Clone, PartialEq)]
pub enum PositionKey {
    Option(String),
    Number(f64),
    Probability(f64),
    Words(NormalisedPosition, Option<Stance>),
}

impl PositionKey {
    pub fn of(turn: &Turn) -> PositionKey {
        match &turn.answer.answer {
            Some(Choice::Option(option)) => PositionKey::Option(option.trim().to_lowercase()),
            Some(Choice::Number(value)) => PositionKey::Number(*value),
            Some(Choice::Probability(value)) => PositionKey::Probability(*value),
            None => PositionKey::Words(
                NormalisedPosition::of(&turn.answer.position),
                turn.answer.stance,
            ),
        }
    }

    pub fn relation(&self, other: &PositionKey) -> Relation {
        let chosen = |same| if same { Relation::Same } else { Relation::Opposed };
        match (self, other) {
            (PositionKey::Option(one), PositionKey::Option(two)) => chosen(one == two),
            (PositionKey::Number(one), PositionKey::Number(two)) => {
                let margin = NUMBER_TOLERANCE * one.abs().max(two.abs());
                chosen((one - two).abs() <= margin + f64::EPSILON)
            }
            (PositionKey::Probability(one), PositionKey::Probability(two)) => {
                chosen((one - two).abs() <= PROBABILITY_TOLERANCE + 1e-9)
            }
            (PositionKey::Words(one, stance), PositionKey::Words(two, other_stance)) => {
                match (one.relation(two), stance, other_stance) {
                    // A seat that says YES and one that says NO never hold the
                    // same position.
                    (_, Some(Stance::Yes), Some(Stance::No))
                    | (_, Some(Stance::No), Some(Stance::Yes)) => Relation::Opposed,
                    (Relation::Same, Some(a), Some(b)) if a != b => Relation::Different,
                    (relation, ..) => relation,
                }
            }
            _ => Relation::Different,
        }
    }

    /// Returns true if both are the same answer, without asking how they differ.
    pub fn same(&self, other: &PositionKey) -> bool {
        match (self, other) {
            (PositionKey::Words(one, stance), PositionKey::Words(two, other_stance)) => {
                let one_stance = match (stance, other_stance) {
                    (Some(one), Some(two)) => one == two,
                    _ => true,
                };
                one_stance && one == two && !one.is_empty()
            }
            _ => self.relation(other) == Relation::Same,
        }
    }

    fn value(&self) -> Option<f64> {
        match self {
            PositionKey::Number(value) | PositionKey::Probability(value) => Some(*value),
            PositionKey::Option(_) | PositionKey::Words(..) => None,
        }
    }
}

/// Seats of one answer, with the key of the first of them.
#[derive(Debug, Clone)]
pub struct AnswerGroup {
    pub key: PositionKey,
    pub seats: Vec<SeatId>,
}

/// The distinct positions of a round, in seat order of their first holder.
pub fn groups(round: &RoundRecord) -> Vec<AnswerGroup> {
    let mut keyed: Vec<(SeatId, PositionKey)> =
        round.answered().map(|turn| (turn.seat, PositionKey::of(turn))).collect();
    // Values are grouped from the lowest up, so that the seat order does not
    // decide which values fall together.
    keyed.sort_by(|(_, a), (_, b)| match (a.value(), b.value()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => std::cmp::Ordering::Equal,
    });
    let mut groups: Vec<AnswerGroup> = Vec::with_capacity(keyed.len());
    for (seat, key) in keyed {
        match groups.iter_mut().find(|group| group.key.same(&key)) {
            Some(group) => group.seats.push(seat),
            None => groups.push(AnswerGroup { key, seats: vec![seat] }),
        }
    }
    for group in &mut groups {
        group.seats.sort_unstable();
    }
    groups.sort_by_key(|group| group.seats.first().copied());
    groups
}

/// Returns the pairs of seats whose positions negate each other in the same
/// words, or that chose different values.
pub fn opposed_pairs(groups: &[AnswerGroup]) -> Vec<(SeatId, SeatId)> {
    let mut pairs = Vec::new();
    for (at, one) in groups.iter().enumerate() {
        for other in groups.iter().skip(at + 1) {
            if let (Some(a), Some(b)) = (one.seats.first(), other.seats.first())
                && one.key.relation(&other.key) == Relation::Opposed
            {
                pairs.push((*a, *b));
            }
        }
    }
    pairs
}

/// Returns true if a seat says now what it said before.
pub fn unchanged(before: &Turn, now: &Turn) -> bool {
    PositionKey::of(before).same(&PositionKey::of(now))
}

/// Returns true if a seat now says the opposite of what it said before.
pub fn reversed(before: &Turn, now: &Turn) -> bool {
    PositionKey::of(before).relation(&PositionKey::of(now)) == Relation::Opposed
}

/// Returns the name of an answer in a vote.
pub fn label(turn: &Turn) -> String {
    match &turn.answer.answer {
        Some(choice) => choice_label(choice),
        None => turn.answer.position.trim().to_owned(),
    }
}

pub fn choice_label(choice: &Choice) -> String {
    match choice {
        Choice::Option(option) => option.trim().to_owned(),
        Choice::Number(value) => format!("{value}"),
        Choice::Probability(value) => format!("{:.0} %", value * 100.0),
    }
}
