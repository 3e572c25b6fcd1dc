//! The error of one try. It knows whether trying again can help; it becomes a
//! failure only when nothing more is tried (`http/failure.rs`).

use std::time::Duration;

use debate::model::{FailureClass, Usage};

#[derive(Debug, Clone, PartialEq)]
pub struct TryError {
    pub class: FailureClass,
    /// The event, without a full stop and without the name of the model.
    pub what: String,
    pub again: RetryChance,
    /// The least wait the server asked for.
    pub wait: Option<Duration>,
    /// The usage of the failed try, where the server said.
    pub usage: Box<Usage>,
    /// Replaces the class's usual advice.
    pub advice: Option<&'static str>,
    /// The server's own words on a refused request, for adapting to it.
    pub said: String,
    /// True if the server would refuse every request of this account.
    pub is_whole_account: bool,
}

/// The chance that another try helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryChance {
    Never,
    /// It may have been chance; a second time it is not.
    Once,
    Yes,
}

struct ClassRow {
    class: FailureClass,
    again: RetryChance,
    advice: &'static str,
}

const fn row(class: FailureClass, again: RetryChance, advice: &'static str) -> ClassRow {
    ClassRow { class, again, advice }
}

const CLASSES: &[ClassRow] = &[
    row(
        FailureClass::RateLimited,
        RetryChance::Yes,
        "Wait a little, or seat fewer agents on this provider",
    ),
    row(
        FailureClass::Overloaded,
        RetryChance::Yes,
        "This usually passes; try again later or seat another model",
    ),
    row(
        FailureClass::TimedOut,
        RetryChance::Yes,
        "Allow more time for an answer or seat a faster model",
    ),
    row(FailureClass::Unreachable, RetryChance::Yes, "Check the network and the base URL"),
    row(
        FailureClass::Unauthorised,
        RetryChance::Never,
        "Check the key and what it is allowed to use",
    ),
    row(
        FailureClass::OutOfCredit,
        RetryChance::Never,
        "Top up the account or raise its limit, then resume",
    ),
    row(FailureClass::BadRequest, RetryChance::Never, "Check the model's name and the base URL"),
    row(
        FailureClass::TooLong,
        RetryChance::Never,
        "Shorten the attachments or seat a model with a larger window",
    ),
    row(FailureClass::Declined, RetryChance::Never, "Rephrase the topic or seat another model"),
    row(FailureClass::Unusable, RetryChance::Once, "Try again or seat another model"),
    row(FailureClass::CutOff, RetryChance::Never, "Raise the output limit"),
    row(FailureClass::Blocked, RetryChance::Never, "Resume to ask again"),
    row(FailureClass::Cancelled, RetryChance::Never, "Resume to ask again"),
    row(FailureClass::Passed, RetryChance::Never, "Nothing is wrong: a person passed"),
];

fn of(class: FailureClass) -> Option<&'static ClassRow> {
    CLASSES.iter().find(|row| row.class == class)
}

/// The advice for a class of failures where nothing more is known.
pub(crate) fn usual_advice(class: FailureClass) -> &'static str {
    of(class).map_or("", |row| row.advice)
}

impl TryError {
    /// A trouble with its class's usual chance of a second try.
    pub fn new(class: FailureClass, what: impl Into<String>) -> TryError {
        TryError {
            class,
            what: what.into(),
            again: of(class).map_or(RetryChance::Never, |row| row.again),
            wait: None,
            usage: Box::default(),
            advice: None,
            said: String::new(),
            is_whole_account: false,
        }
    }

    #[must_use]
    pub fn again(mut self, again: RetryChance) -> TryError {
        self.again = again;
        self
    }

    #[must_use]
    pub fn advice(mut self, advice: &'static str) -> TryError {
        self.advice = Some(advice);
        self
    }

    #[must_use]
    pub fn used(mut self, usage: Usage) -> TryError {
        *self.usage = usage;
        self
    }
}

/// A server's words made fit to show: one line, no control characters, short.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 240;
    let line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.trim_end_matches('.').to_owned(),
    }
}
