//! Groups the answers of a round that are the same answer. If the question has a
//! form (options, a number, a probability), only the chosen value decides;
//! otherwise the words of the position do. Similarity is never used.

use crate::model::{Brief, Choice, Question, SeatId, Stance, Tolerance, Turn};
use crate::sorting::SortRows;

use crate::analysis::answers::polarity::{NormalisedPosition, Relation};

/// Estimates this far apart, relative to the larger, are one answer where no
/// tolerance is stated.
const ESTIMATE_SHARE: f64 = 0.10;
/// Probabilities this far apart are one answer where no tolerance is stated.
const PROBABILITY_MARGIN: f64 = 0.05;
/// Estimates this far apart, relative to the larger, lie together where no
/// tolerance is stated; probabilities by this much.
const TOGETHER_SHARE: f64 = 0.25;
const TOGETHER_PROBABILITY: f64 = 0.10;
/// Figures closer than this share differ by the noise of binary fractions only.
const NOISE: f64 = 1e-9;

/// How far apart two figures may lie and still be one answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closeness {
    absolute: f64,
    share: f64,
    /// True if figures further apart contradict each other. Estimates do so only
    /// beyond a tolerance that somebody stated.
    excludes: bool,
}

impl Closeness {
    pub fn of(brief: &Brief) -> Closeness {
        let stated = brief.number.tolerance;
        let (absolute, share) = match (stated, &brief.question) {
            (Some(Tolerance::Absolute(margin)), _) => (margin, 0.0),
            (Some(Tolerance::Share(share)), _) => (0.0, share),
            (None, Question::Probability) => (PROBABILITY_MARGIN, 0.0),
            (None, Question::Number { .. }) if brief.number.estimate => (0.0, ESTIMATE_SHARE),
            (None, _) => (0.0, 0.0),
        };
        Closeness { absolute, share, excludes: stated.is_some() || !brief.combines_figures() }
    }

    /// How far apart two estimates may lie and still support one another: within
    /// the stated tolerance, else within what a person would call close.
    fn together(brief: &Brief) -> Closeness {
        let own = Closeness::of(brief);
        let (absolute, share) = match (brief.number.tolerance, &brief.question) {
            (Some(_), _) => return own,
            (None, Question::Probability) => (TOGETHER_PROBABILITY, 0.0),
            (None, _) => (0.0, TOGETHER_SHARE),
        };
        Closeness { absolute, share, ..own }
    }

    fn joins(&self, one: f64, other: f64) -> bool {
        let larger = one.abs().max(other.abs());
        (one - other).abs() <= self.absolute + self.share * larger + NOISE * larger.max(1.0)
    }
}

/// The key by which two answers are compared.
#[derive(Debug, Clone, PartialEq)]
pub enum PositionKey {
    Option(String),
    Value(f64, Closeness),
    Words(NormalisedPosition, Option<Stance>),
    /// No answer to a question that asks for one; it equals nothing.
    Nothing,
}

impl PositionKey {
    pub fn of(brief: &Brief, turn: &Turn) -> PositionKey {
        match &turn.answer.answer {
            Some(Choice::Option(option)) => PositionKey::Option(option.trim().to_lowercase()),
            Some(Choice::Number(value) | Choice::Probability(value)) => {
                PositionKey::Value(*value, Closeness::of(brief))
            }
            None if brief.question.is_closed() => PositionKey::Nothing,
            None => PositionKey::Words(
                NormalisedPosition::of(&turn.answer.position),
                turn.answer.stance,
            ),
        }
    }

    pub fn relation(&self, other: &PositionKey) -> Relation {
        match (self, other) {
            (PositionKey::Option(one), PositionKey::Option(two)) if one == two => Relation::Same,
            (PositionKey::Option(_), PositionKey::Option(_)) => Relation::Opposed,
            (PositionKey::Value(one, close), PositionKey::Value(two, _))
                if close.joins(*one, *two) =>
            {
                Relation::Same
            }
            (PositionKey::Value(_, close), PositionKey::Value(..)) if close.excludes => {
                Relation::Opposed
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
            PositionKey::Value(value, _) => Some(*value),
            PositionKey::Option(_) | PositionKey::Words(..) | PositionKey::Nothing => None,
        }
    }
}

/// Seats of one answer, with the key of the first of them.
#[derive(Debug, Clone)]
pub struct AnswerGroup {
    pub key: PositionKey,
    /// Each seat once, in seat order.
    pub seats: Vec<SeatId>,
    /// How many of the answers it is.
    pub count: usize,
}

/// The distinct answers among these, in seat order of their first holder.
pub fn groups<'a>(brief: &Brief, turns: impl IntoIterator<Item = &'a Turn>) -> Vec<AnswerGroup> {
    let mut keyed: Vec<(SeatId, PositionKey)> =
        turns.into_iter().map(|turn| (turn.seat, PositionKey::of(brief, turn))).collect();
    // Values are grouped from the lowest, so that who sits where does not
    // decide which values fall together.
    keyed.sort_rows_by(|(_, a), (_, b)| match (a.value(), b.value()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => std::cmp::Ordering::Equal,
    });
    let mut groups: Vec<AnswerGroup> = Vec::with_capacity(keyed.len());
    for (seat, key) in keyed {
        match groups.iter_mut().find(|group| group.key.same(&key)) {
            Some(group) => {
                group.seats.push(seat);
                group.count += 1;
            }
            None => groups.push(AnswerGroup { key, seats: vec![seat], count: 1 }),
        }
    }
    for group in &mut groups {
        group.seats.sort_unstable();
        group.seats.dedup();
    }
    groups.sort_rows_by_key(|group| group.seats.first().copied());
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

/// The share of pairs of estimates that lie together.
pub fn estimates_together(brief: &Brief, votes: &[&Turn]) -> Option<f64> {
    let close = Closeness::together(brief);
    let values: Vec<f64> = votes.iter().filter_map(|turn| figure_of(turn)).collect();
    let (mut together, mut pairs) = (0_u32, 0_u32);
    for (at, one) in values.iter().enumerate() {
        for other in values.iter().skip(at + 1) {
            together += u32::from(close.joins(*one, *other));
            pairs += 1;
        }
    }
    (pairs > 0).then(|| f64::from(together) / f64::from(pairs))
}

/// Returns whether an estimate lies with the combined figure.
pub fn lies_with(brief: &Brief, estimate: f64, combined: f64) -> bool {
    Closeness::together(brief).joins(estimate, combined)
}

fn figure_of(turn: &Turn) -> Option<f64> {
    match turn.answer.answer {
        Some(Choice::Number(value) | Choice::Probability(value)) => Some(value),
        Some(Choice::Option(_)) | None => None,
    }
}

/// Returns whether a seat says now what it said before.
pub fn unchanged(brief: &Brief, before: &Turn, now: &Turn) -> bool {
    PositionKey::of(brief, before).same(&PositionKey::of(brief, now))
}

/// Returns whether a seat now says the opposite of what it said before.
pub fn reversed(brief: &Brief, before: &Turn, now: &Turn) -> bool {
    PositionKey::of(brief, before).relation(&PositionKey::of(brief, now)) == Relation::Opposed
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
