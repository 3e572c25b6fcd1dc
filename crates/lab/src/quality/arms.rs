//! The ways of coming to an answer that are set against one another, and how
//! each reads its answer from a debate that was held.

use debate::Debate;
use debate::analysis::{WeighingRules, weigh, weigh_by};
use debate::model::{Choice, Reliability, Room, RoundKind, RoundRecord, SeatId, Weighing};
use serde::{Deserialize, Serialize};

use crate::statistics::Dice;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Arm {
    Plain,
    PlainVote,
    PlainNine,
    Single,
    SelfConsistency,
    FirstMajority,
    FirstWeighed,
    Adaptive,
    PlainDebate,
    Roundtable,
    WithoutDiscount,
    WithoutTempering,
    WithoutNewEvidence,
    WithoutFirstVotes,
    WithoutObjections,
}

impl Arm {
    pub const ALL: [Arm; 15] = [
        Arm::Plain,
        Arm::PlainVote,
        Arm::PlainNine,
        Arm::Single,
        Arm::SelfConsistency,
        Arm::FirstMajority,
        Arm::FirstWeighed,
        Arm::Adaptive,
        Arm::PlainDebate,
        Arm::Roundtable,
        Arm::WithoutDiscount,
        Arm::WithoutTempering,
        Arm::WithoutNewEvidence,
        Arm::WithoutFirstVotes,
        Arm::WithoutObjections,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Arm::Plain => "one plain answer",
            Arm::PlainVote => "plain answers, same cost",
            Arm::PlainNine => "nine plain answers",
            Arm::Single => "one seat's first answer",
            Arm::SelfConsistency => "first answers, same cost",
            Arm::FirstMajority => "first vote, majority",
            Arm::FirstWeighed => "first vote, weighed",
            Arm::Adaptive => "adaptive",
            Arm::PlainDebate => "debate, last majority",
            Arm::Roundtable => "debate",
            Arm::WithoutDiscount => "… copies not discounted",
            Arm::WithoutTempering => "… not tempered",
            Arm::WithoutNewEvidence => "… new evidence ignored",
            Arm::WithoutFirstVotes => "… first votes forgotten",
            Arm::WithoutObjections => "… no objection round",
        }
    }

    /// The word that `--arms` takes.
    pub fn word(self) -> &'static str {
        match self {
            Arm::Plain => "plain",
            Arm::PlainVote => "plain-vote",
            Arm::PlainNine => "plain-nine",
            Arm::Single => "seat",
            Arm::SelfConsistency => "seat-vote",
            Arm::FirstMajority => "first",
            Arm::FirstWeighed => "first-weighed",
            Arm::Adaptive => "adaptive",
            Arm::PlainDebate => "last",
            Arm::Roundtable => "debate",
            Arm::WithoutDiscount => "without-discount",
            Arm::WithoutTempering => "without-tempering",
            Arm::WithoutNewEvidence => "without-new-evidence",
            Arm::WithoutFirstVotes => "without-first-votes",
            Arm::WithoutObjections => "without-objections",
        }
    }

    /// True where the arm is read from a whole debate.
    pub fn needs_debate(self) -> bool {
        matches!(self, Arm::PlainDebate | Arm::Roundtable | Arm::SelfConsistency)
            || self.is_without()
    }

    /// True where the seats' sealed first answers are enough.
    pub fn needs_first(self) -> bool {
        matches!(self, Arm::Single | Arm::FirstMajority | Arm::FirstWeighed)
    }

    /// True for Roundtable with one thing left out.
    pub fn is_without(self) -> bool {
        self.rules().is_some() || self == Arm::WithoutObjections
    }

    /// The rules of the weighing it goes by, where it leaves one out.
    fn rules(self) -> Option<WeighingRules> {
        let all = WeighingRules::ALL_ON;
        match self {
            Arm::WithoutDiscount => Some(WeighingRules { discount_copies: false, ..all }),
            Arm::WithoutTempering => Some(WeighingRules { temper: false, ..all }),
            Arm::WithoutNewEvidence => Some(WeighingRules { new_evidence: false, ..all }),
            Arm::WithoutFirstVotes => {
                Some(WeighingRules { keep_first: false, hold_first: false, ..all })
            }
            _ => None,
        }
    }
}

/// An answer and how probable it is said to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ArmBelief {
    pub choice: Option<Choice>,
    pub probability: f64,
}

/// Reads the answer of an arm from a debate; `None` for arms that ask for themselves.
pub fn read(arm: Arm, debate: &Debate, dice: &mut Dice) -> Option<ArmBelief> {
    let (room, plan) = (debate.room(), debate.plan());
    let none = Reliability::default();
    match arm {
        Arm::Single => Some(alone(room)),
        Arm::FirstMajority => Some(majority(&votes(room.round(1)), dice)),
        Arm::FirstWeighed => {
            let mut first = room.clone();
            first.rounds.truncate(1);
            Some(leading(&weigh(&first, plan, &none)))
        }
        Arm::PlainDebate => Some(majority(&votes(room.rounds.last()), dice)),
        Arm::Roundtable => {
            Some(room.verdict.as_ref().map(|v| leading(&v.evidence.weighing)).unwrap_or_default())
        }
        Arm::Plain
        | Arm::PlainVote
        | Arm::PlainNine
        | Arm::Adaptive
        | Arm::SelfConsistency
        | Arm::WithoutObjections => None,
        arm => Some(leading(&weigh_by(room, plan, &none, arm.rules()?))),
    }
}

/// Returns true if suspected groupthink forced a round.
pub fn had_objections(debate: &Debate) -> bool {
    debate.room().rounds.iter().any(|round| round.kind == RoundKind::CriticalObjection)
}

/// The first agent's answer before it has seen any other.
fn alone(room: &Room) -> ArmBelief {
    let first = room.seats.iter().find(|seat| seat.agent == 0).map_or(SeatId(0), |seat| seat.id);
    let turn = room.round(1).and_then(|round| round.turn(first));
    let Some(turn) = turn else { return ArmBelief::default() };
    let choice = turn.answer.answer.clone();
    // An agent that states no confidence is taken at its word.
    let stated = turn.answer.confidence.unwrap_or(1.0);
    let probability = if choice.is_some() { stated } else { 0.0 };
    ArmBelief { choice, probability }
}

fn votes(round: Option<&RoundRecord>) -> Vec<Option<Choice>> {
    round
        .into_iter()
        .flat_map(RoundRecord::answered)
        .map(|turn| turn.answer.answer.clone())
        .collect()
}

/// The answer of most voters. Equal ones are drawn among, so that no place at
/// the table is favoured; a vote that could not be read counts for no answer.
pub fn majority(votes: &[Option<Choice>], dice: &mut Dice) -> ArmBelief {
    let mut counts: Vec<(&Choice, usize)> = Vec::new();
    for vote in votes.iter().flatten() {
        match counts.iter_mut().find(|(other, _)| same(other, vote)) {
            Some((_, count)) => *count += 1,
            None => counts.push((vote, 1)),
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let tied: Vec<&Choice> =
        counts.iter().filter(|(_, count)| *count == most).map(|(choice, _)| *choice).collect();
    // One draw whether it is needed or not: the next item's must not depend on it.
    let drawn = dice.below(tied.len().max(1));
    ArmBelief {
        choice: tied.get(drawn).map(|choice| (*choice).clone()),
        probability: most as f64 / votes.len().max(1) as f64,
    }
}

pub fn same(one: &Choice, other: &Choice) -> bool {
    match (one, other) {
        (Choice::Option(one), Choice::Option(other)) => one.eq_ignore_ascii_case(other),
        (Choice::Number(one), Choice::Number(other))
        | (Choice::Probability(one), Choice::Probability(other)) => {
            (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
        }
        _ => false,
    }
}

/// The most probable answer of a weighing.
fn leading(weighing: &Weighing) -> ArmBelief {
    let Some(first) = weighing.answers.first() else { return ArmBelief::default() };
    let choice = first.choice.clone().or_else(|| Some(Choice::Option(first.answer.clone())));
    ArmBelief { choice, probability: first.probability }
}

/// The answer of every seat in the first and in the last round.
pub fn ways(room: &Room) -> Vec<(Option<Choice>, Option<Choice>)> {
    let said = |round: Option<&RoundRecord>, seat: SeatId| {
        round.and_then(|round| round.turn(seat)).and_then(|turn| turn.answer.answer.clone())
    };
    let seats = (0..room.seats.len()).map(SeatId);
    seats.map(|seat| (said(room.round(1), seat), said(room.rounds.last(), seat))).collect()
}
