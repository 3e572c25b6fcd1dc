//! Ids of things that are referred to: seats, claims, evidence, asks.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A place at the table, counted from 0 in seat order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeatId(pub usize);

impl SeatId {
    pub fn index(self) -> usize {
        self.0
    }
}

/// A round, counted from 1.
pub type Round = u32;

/// An id made of one letter and a number from 1, written `C1`, `E1`, `D1`.
macro_rules! lettered_id {
    ($name:ident, $letter:literal, $what:literal) => {
        #[doc = $what]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index + 1).unwrap_or(u32::MAX))
            }

            pub fn index(self) -> usize {
                (self.0 as usize).saturating_sub(1)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $letter, self.0)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            /// Reads `C12`, `c12` and `[C12]`; models write all three.
            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
                let digits = bare
                    .strip_prefix($letter)
                    .or_else(|| bare.strip_prefix($letter.to_ascii_lowercase()))
                    .ok_or(NotAnId)?;
                match digits.parse::<u32>() {
                    Ok(number) if number > 0 && digits.bytes().all(|b| b.is_ascii_digit()) => {
                        Ok(Self(number))
                    }
                    _ => Err(NotAnId),
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(from)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

lettered_id!(ClaimId, 'C', "A claim in the ledger.");
lettered_id!(EvidenceId, 'E', "A source in the evidence register.");
lettered_id!(PropositionId, 'P', "A proposition at issue; it keeps its id through the rounds.");
lettered_id!(ContextId, 'c', "Something an agent asks of the caller.");
lettered_id!(DecisionId, 'D', "A decision or constraint that holds for the rest of the debate.");

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id of that kind")]
pub struct NotAnId;

/// The party that is asked: a seat at the table, or the clerk, which never
/// debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Party {
    Seat(SeatId),
    Clerk,
}

impl Party {
    pub fn seat(self) -> Option<SeatId> {
        match self {
            Party::Seat(seat) => Some(seat),
            Party::Clerk => None,
        }
    }
}

/// The purpose of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Task {
    /// A seat takes its turn.
    Speak,
    /// A seat copies the working of its turn into the fields of the record.
    Record,
    /// A seat is asked once more because its answer could not be used as it was.
    Repair,
    /// The clerk names perspectives for the topic before round 1.
    Perspectives,
    /// The clerk rates how hard the topic is before round 1.
    Complexity,
    /// The clerk says which domain the topic belongs to before round 1.
    Domain,
    /// The clerk judges whether an answer may enter the debate.
    Safety,
    /// The clerk judges an answer that was sent a second time.
    Recheck,
    /// The clerk sums up a finished round.
    Summary,
    /// The clerk records which side each seat takes after a round.
    Consensus,
    /// The clerk writes the synthesis of a finished debate.
    Synthesis,
    /// The clerk drafts the outcome of a decision.
    Draft,
}

impl Task {
    const ALL: [(Task, &'static str); 12] = [
        (Task::Speak, "speak"),
        (Task::Record, "record"),
        (Task::Repair, "repair"),
        (Task::Perspectives, "perspectives"),
        (Task::Complexity, "complexity"),
        (Task::Domain, "domain"),
        (Task::Safety, "safety"),
        (Task::Recheck, "recheck"),
        (Task::Summary, "summary"),
        (Task::Consensus, "consensus"),
        (Task::Synthesis, "synthesis"),
        (Task::Draft, "draft"),
    ];

    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(task, _)| *task == self).map_or("speak", |(_, word)| word)
    }
}

/// The name of one ask, the same in every replay of the same log. It is the key
/// under which an answer is stored, so that no answer is ever asked for twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskId {
    pub round: Round,
    pub wave: u32,
    pub party: Party,
    pub task: Task,
    /// For asks about a seat that the clerk answers (safety), that seat.
    pub about: Option<SeatId>,
}

impl fmt::Display for AskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}.w{}.", self.round, self.wave)?;
        match self.party {
            Party::Seat(seat) => write!(f, "s{}", seat.0)?,
            Party::Clerk => f.write_str("clerk")?,
        }
        write!(f, ".{}", self.task.word())?;
        match self.about {
            Some(seat) => write!(f, ".s{}", seat.0),
            None => Ok(()),
        }
    }
}

impl FromStr for AskId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let mut parts = text.split('.');
        let round = numbered(parts.next(), 'r')?;
        let wave = numbered(parts.next(), 'w')?;
        let party = match parts.next() {
            Some("clerk") => Party::Clerk,
            seat => Party::Seat(SeatId(numbered(seat, 's')? as usize)),
        };
        let word = parts.next().ok_or(NotAnId)?;
        let task = Task::ALL.iter().find(|(_, name)| *name == word).ok_or(NotAnId)?.0;
        let about = match parts.next() {
            None => None,
            seat => Some(SeatId(numbered(seat, 's')? as usize)),
        };
        if parts.next().is_some() {
            return Err(NotAnId);
        }
        Ok(AskId { round, wave, party, task, about })
    }
}

fn numbered(part: Option<&str>, letter: char) -> Result<u32, NotAnId> {
    part.and_then(|part| part.strip_prefix(letter))
        .and_then(|digits| digits.parse().ok())
        .ok_or(NotAnId)
}

impl Serialize for AskId {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for AskId {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
