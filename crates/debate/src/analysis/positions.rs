//! Which answers of a round are the same answer. Where the question has a form
//! (options, a number, a probability) the chosen value decides and nothing
//! else; otherwise the words of the position do. Similarity is never asked.

use crate::model::{Brief, Choice, Question, SeatId, Stance, Tolerance, Turn};

use super::polarity::{Normal, Relation};

/// Estimates this far apart, relative to the larger, are one answer where no
/// tolerance is stated.
const ESTIMATE_SHARE: f64 = 0.10;
/// Probabilities this far apart are one answer where no tolerance is stated.
const PROBABILITY_MARGIN: f64 = 0.05;
/// Figures closer than this share differ by the noise of binary fractions only.
const NOISE: f64 = 1e-9;

/// How far apart two figures may lie and still be one answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closeness {
    absolute: f64,
    share: f64,
    /// Whether figures further apart contradict each other. Estimates do so only
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

    fn joins(&self, one: f64, other: f64) -> bool {
        let larger = one.abs().max(other.abs());
        (one - other).abs() <= self.absolute + self.share * larger + NOISE * larger.max(1.0)
    }
}

/// What two answers are compared by.
#[derive(Debug, Clone, PartialEq)]
pub enum Key {
    Option(String),
    Value(f64, Closeness),
    Words(Normal, Option<Stance>),
    /// No answer to a question that asks for one; it equals nothing.
    Nothing,
}

impl Key {
    pub fn of(brief: &Brief, turn: &Turn) -> Key {
        match &turn.answer.answer {
            Some(Choice::Option(option)) => Key::Option(option.trim().to_lowercase()),
            Some(Choice::Number(value) | Choice::Probability(value)) => {
                Key::Value(*value, Closeness::of(brief))
            }
            None if brief.question.is_closed() => Key::Nothing,
            None => Key::Words(Normal::of(&turn.answer.position), turn.answer.stance),
        }
    }

    pub fn relation(&self, other: &Key) -> Relation {
        match (self, other) {
            (Key::Option(one), Key::Option(two)) if one == two => Relation::Same,
            (Key::Option(_), Key::Option(_)) => Relation::Opposed,
            (Key::Value(one, close), Key::Value(two, _)) if close.joins(*one, *two) => {
                Relation::Same
            }
            (Key::Value(_, close), Key::Value(..)) if close.excludes => Relation::Opposed,
            (Key::Words(one, stance), Key::Words(two, other_stance)) => {
                match (one.relation(two), stance, other_stance) {
                    // Whoever says YES and whoever says NO never hold one position.
                    (_, Some(Stance::Yes), Some(Stance::No))
                    | (_, Some(Stance::No), Some(Stance::Yes)) => Relation::Opposed,
                    (Relation::Same, Some(a), Some(b)) if a != b => Relation::Different,
                    (relation, ..) => relation,
                }
            }
            _ => Relation::Different,
        }
    }

    /// Whether both are the same answer, without asking how they differ.
    pub fn same(&self, other: &Key) -> bool {
        match (self, other) {
            (Key::Words(one, stance), Key::Words(two, other_stance)) => {
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
            Key::Value(value, _) => Some(*value),
            Key::Option(_) | Key::Words(..) | Key::Nothing => None,
        }
    }
}

/// Seats of one answer, with the key of the first of them.
#[derive(Debug, Clone)]
pub struct Group {
    pub key: Key,
    /// Each seat once, in seat order.
    pub seats: Vec<SeatId>,
    /// How many of the answers it is.
    pub count: usize,
}

/// The distinct answers among these, in seat order of their first holder.
pub fn groups<'a>(brief: &Brief, turns: impl IntoIterator<Item = &'a Turn>) -> Vec<Group> {
    let mut keyed: Vec<(SeatId, Key)> =
        turns.into_iter().map(|turn| (turn.seat, Key::of(brief, turn))).collect();
    // Values are grouped from the lowest, so that who sits where does not
    // decide which values fall together.
    keyed.sort_by(|(_, a), (_, b)| match (a.value(), b.value()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => std::cmp::Ordering::Equal,
    });
    let mut groups: Vec<Group> = Vec::with_capacity(keyed.len());
    for (seat, key) in keyed {
        match groups.iter_mut().find(|group| group.key.same(&key)) {
            Some(group) => {
                group.seats.push(seat);
                group.count += 1;
            }
            None => groups.push(Group { key, seats: vec![seat], count: 1 }),
        }
    }
    for group in &mut groups {
        group.seats.sort_unstable();
        group.seats.dedup();
    }
    groups.sort_by_key(|group| group.seats.first().copied());
    groups
}

/// Seats whose positions deny each other in the same words, or who chose
/// different values.
pub fn opposed_pairs(groups: &[Group]) -> Vec<(SeatId, SeatId)> {
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

/// Whether a seat says now what it said before.
pub fn unchanged(brief: &Brief, before: &Turn, now: &Turn) -> bool {
    Key::of(brief, before).same(&Key::of(brief, now))
}

/// Whether a seat now says the opposite of what it said before.
pub fn reversed(brief: &Brief, before: &Turn, now: &Turn) -> bool {
    Key::of(brief, before).relation(&Key::of(brief, now)) == Relation::Opposed
}

/// How an answer is named in a vote.
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
