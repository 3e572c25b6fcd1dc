//! Names the fields of a brief and the values that were found in them, so that a
//! face can say each in its own words.

use std::fmt::{self, Display};

/// A field of a brief. Its text is the path under which the API knows it, e.g.
/// `limits.temperature`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BriefField {
    Topic,
    Mode,
    Agents,
    Agent {
        place: usize,
        part: &'static str,
    },
    Clerk {
        part: &'static str,
    },
    Rounds,
    Options,
    Option {
        place: usize,
    },
    Perspective {
        place: usize,
    },
    Assignment {
        place: Option<usize>,
    },
    MaxOutputTokens,
    Temperature,
    TimeoutSeconds,
    Flag(&'static str),
    Threshold(&'static str),
    Depth,
    Effort,
    Samples,
    Tolerance,
    Importance,
    Case,
    Perspectives,
    TeamOrder,
    CaseRounds,
    FenceKey,
    /// A text that the safety check reads, by its path.
    Text(String),
}

impl BriefField {
    /// Returns true if the field is about who sits at the table.
    pub fn is_about_agents(&self) -> bool {
        matches!(self, BriefField::Agents | BriefField::Agent { .. })
    }
}

impl Display for BriefField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BriefField::Topic => f.write_str("topic"),
            BriefField::Mode => f.write_str("mode"),
            BriefField::Agents => f.write_str("agents"),
            BriefField::Agent { place, part } => write!(f, "agents[{place}].{part}"),
            BriefField::Clerk { part } => write!(f, "clerk.{part}"),
            BriefField::Rounds => f.write_str("rounds"),
            BriefField::Options => f.write_str("question.options"),
            BriefField::Option { place } => write!(f, "question.options[{place}]"),
            BriefField::Perspective { place } => write!(f, "perspectives.given[{place}].name"),
            BriefField::Assignment { place: None } => f.write_str("perspectives.assignment"),
            BriefField::Assignment { place: Some(place) } => {
                write!(f, "perspectives.assignment[{place}]")
            }
            BriefField::MaxOutputTokens => f.write_str("limits.maxOutputTokens"),
            BriefField::Temperature => f.write_str("limits.temperature"),
            BriefField::TimeoutSeconds => f.write_str("limits.timeoutSeconds"),
            BriefField::Flag(name) => write!(f, "flags.{name}"),
            BriefField::Threshold(name) => write!(f, "thresholds.{name}"),
            BriefField::Depth => f.write_str("depth"),
            BriefField::Effort => f.write_str("effort"),
            BriefField::Importance => f.write_str("importance"),
            BriefField::Case => f.write_str("case"),
            BriefField::Perspectives => f.write_str("perspectives"),
            BriefField::TeamOrder => f.write_str("teamOrder"),
            BriefField::Samples => f.write_str("samples"),
            BriefField::Tolerance => f.write_str("number.tolerance"),
            BriefField::CaseRounds => f.write_str("case.rounds"),
            BriefField::FenceKey => f.write_str("fenceKey"),
            BriefField::Text(path) => f.write_str(path),
        }
    }
}

/// The value of a bad field, short enough for one line; a long text is only
/// measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BriefValue {
    Empty,
    Text(String),
    Number(String),
    /// The length of a text, in characters.
    Characters(usize),
    /// The length of a list.
    List(usize),
    /// A text that asks for something forbidden, with the things it asks for.
    AsksFor(Vec<String>),
}

impl Display for BriefValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BriefValue::Empty => f.write_str("an empty text"),
            BriefValue::Text(text) => write!(f, "\"{text}\""),
            BriefValue::Number(number) => f.write_str(number),
            BriefValue::Characters(count) => write!(f, "a text of {count} characters"),
            BriefValue::List(count) => write!(f, "a list of {count}"),
            BriefValue::AsksFor(reasons) => {
                write!(f, "a text that asks for {}", reasons.join(" and "))
            }
        }
    }
}
