//! What can go wrong with one try, and the words for it. A trouble knows
//! whether trying again can help; it becomes a [`Failure`] only when nothing
//! more is tried. No key ever passes through its words.

use std::time::Duration;

use debate::model::{Bill, Failure, FailureClass, Usage};
use secrecy::ExposeSecret;

use crate::catalogue::providers::Place;
use crate::wire::Target;

#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    pub class: FailureClass,
    /// What happened, without a full stop and without whom it happened to.
    pub what: String,
    pub again: Again,
    /// The least wait the server asked for.
    pub wait: Option<Duration>,
    /// What the failed try used, where the server said.
    pub usage: Box<Usage>,
    /// Replaces the class's usual advice.
    pub advice: Option<&'static str>,
    /// The server's own words on a refused request, for adapting to it.
    pub said: String,
}

/// Whether another try can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    Never,
    /// It may have been chance; a second time it is not.
    Once,
    Yes,
}

struct ClassRow {
    class: FailureClass,
    again: Again,
    advice: &'static str,
}

const fn row(class: FailureClass, again: Again, advice: &'static str) -> ClassRow {
    ClassRow { class, again, advice }
}

const CLASSES: &[ClassRow] = &[
    row(
        FailureClass::RateLimited,
        Again::Yes,
        "Wait a little, or seat fewer agents on this provider",
    ),
    row(
        FailureClass::Overloaded,
        Again::Yes,
        "This usually passes; try again later or seat another model",
    ),
    row(FailureClass::TimedOut, Again::Yes, "Allow more time for an answer or seat a faster model"),
    row(FailureClass::Unreachable, Again::Yes, "Check the network and the base URL"),
    row(FailureClass::Unauthorised, Again::Never, "Check the key and what it is allowed to use"),
    row(
        FailureClass::OutOfCredit,
        Again::Never,
        "Top up the account or raise its limit, then resume",
    ),
    row(FailureClass::BadRequest, Again::Never, "Check the model's name and the base URL"),
    row(
        FailureClass::TooLong,
        Again::Never,
        "Shorten the attachments or seat a model with a larger window",
    ),
    row(FailureClass::Declined, Again::Never, "Rephrase the topic or seat another model"),
    row(FailureClass::Unusable, Again::Once, "Try again or seat another model"),
    row(FailureClass::CutOff, Again::Never, "Raise the output limit"),
    row(FailureClass::Blocked, Again::Never, "Resume to ask again"),
];

fn of(class: FailureClass) -> Option<&'static ClassRow> {
    CLASSES.iter().find(|row| row.class == class)
}

impl Trouble {
    /// A trouble with its class's usual chance of a second try.
    pub fn new(class: FailureClass, what: impl Into<String>) -> Trouble {
        Trouble {
            class,
            what: what.into(),
            again: of(class).map_or(Again::Never, |row| row.again),
            wait: None,
            usage: Box::default(),
            advice: None,
            said: String::new(),
        }
    }

    #[must_use]
    pub fn again(mut self, again: Again) -> Trouble {
        self.again = again;
        self
    }

    #[must_use]
    pub fn advice(mut self, advice: &'static str) -> Trouble {
        self.advice = Some(advice);
        self
    }

    #[must_use]
    pub fn used(mut self, usage: Usage) -> Trouble {
        *self.usage = usage;
        self
    }

    /// The failure to report: what happened, to what, what to do next.
    pub fn into_failure(self, target: &Target, tries: u32, bill: Bill) -> Failure {
        let advice = match self.advice {
            Some(advice) => advice.to_owned(),
            None => advice_for(self.class, target),
        };
        let tried = if tries > 1 { format!(" ({tries} tries)") } else { String::new() };
        let message = format!(
            "{}/{} at {}: {}{tried}. {advice}.",
            target.provider.name, target.model, target.host, self.what
        );
        Failure { class: self.class, message: redact(&message, target), tries, bill }
    }
}

fn advice_for(class: FailureClass, target: &Target) -> String {
    let provider = target.provider;
    match (class, provider.place, provider.key_variable) {
        (FailureClass::Unreachable, Place::Local, _) => {
            format!("Start {} or correct its address", provider.title)
        }
        (FailureClass::Unauthorised, _, Some(variable)) => {
            format!("Set {variable} to a key that may use this model")
        }
        _ => of(class).map_or(String::new(), |row| row.advice.to_owned()),
    }
}

/// How the keys of providers begin.
const KEY_PREFIXES: &[&str] = &["sk-", "sk_", "gsk_", "xai-", "pplx-", "key-", "AIza", "tvly-"];

/// Takes keys out of words that may be shown: the target's own secrets, and
/// whatever looks like a key. Servers like to quote the key they refuse.
pub fn redact(text: &str, target: &Target) -> String {
    let mut clean = text.to_owned();
    let secrets = target.key.iter().chain(target.headers.iter().map(|(_, value)| value));
    for secret in secrets.map(ExposeSecret::expose_secret).filter(|secret| secret.len() >= 4) {
        clean = clean.replace(secret, "[key]");
    }
    // Keys stand alone, in quotes, after a colon or an equals sign.
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_key =
        |part: &str| part.len() >= 10 && KEY_PREFIXES.iter().any(|prefix| part.starts_with(prefix));
    let looks_like_a_key = |word: &str| word.split(|c| !inside(c)).any(is_key);
    let words = clean.split_inclusive(char::is_whitespace);
    words.map(|word| if looks_like_a_key(word) { "[key] " } else { word }).collect()
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
