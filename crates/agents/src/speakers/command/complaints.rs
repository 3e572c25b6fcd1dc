//! Classifies a program's last words and makes them fit to show. It guesses nothing
//! from silence: a message that no row matches is unusable.

use debate::model::FailureClass;

use crate::redaction;
use crate::wire::try_error::quoted;

/// Words of programs that failed, the most telling first: an account without
/// money often speaks of limits too.
const TELLING: &[(FailureClass, &[&str])] = &[
    (
        FailureClass::OutOfCredit,
        &[
            "credit balance",
            "insufficient_quota",
            "insufficient quota",
            "out of credit",
            "billing",
            "usage limit",
            "quota exceeded",
            "exceeded your current quota",
        ],
    ),
    (FailureClass::RateLimited, &["rate limit", "rate_limit", "too many requests", "429"]),
    (FailureClass::Overloaded, &["overloaded", "service unavailable", "503", "529"]),
    (
        FailureClass::Unauthorised,
        &[
            "unauthorized",
            "unauthorised",
            "authentication",
            "not authenticated",
            "api key",
            "api_key",
            "not logged in",
            "please log in",
            "/login",
            "no key found",
            "401",
            "403",
        ],
    ),
    (
        FailureClass::TooLong,
        &["prompt is too long", "context length", "context window", "maximum context"],
    ),
    (
        FailureClass::BadRequest,
        &[
            "model not found",
            "unknown model",
            "no such model",
            "unknown option",
            "unrecognized",
            "unexpected argument",
            "pull model manifest",
        ],
    ),
    (
        FailureClass::Unreachable,
        &["connection refused", "could not connect", "enotfound", "econnrefused", "network error"],
    ),
];

/// Characters of a program's words that a message quotes.
const SHOWN_BYTES: usize = 2048;

pub(super) fn class_of(words: &str) -> FailureClass {
    let words = words.to_lowercase();
    let told = |marks: &[&str]| marks.iter().any(|mark| holds(&words, mark));
    TELLING
        .iter()
        .find(|(_, marks)| told(marks))
        .map_or(FailureClass::Unusable, |(class, _)| *class)
}

/// Numbers count only as whole numbers: a port 14290 is no status 429.
fn holds(words: &str, mark: &str) -> bool {
    if !mark.bytes().all(|byte| byte.is_ascii_digit()) {
        return words.contains(mark);
    }
    words.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == mark)
}

pub(super) fn advice(class: FailureClass, program: &str) -> String {
    match class {
        FailureClass::Unauthorised => format!("Run `{program}` once by hand and log in"),
        FailureClass::OutOfCredit => "Top up the account or wait for its limit to reset".into(),
        FailureClass::RateLimited => "Wait a little, or seat fewer agents on this program".into(),
        FailureClass::Overloaded => "This usually passes; try again later".into(),
        FailureClass::TimedOut => "Allow more time for an answer or seat a faster model".into(),
        FailureClass::BadRequest => "Check the model's name and the command's arguments".into(),
        FailureClass::TooLong => {
            "Shorten the attachments or seat a model with a larger window".into()
        }
        FailureClass::Unreachable => "Check the network, or start the server it talks to".into(),
        _ => format!("Run `{program}` by hand to see what it wants"),
    }
}

/// The end of what was said on standard error, or else on standard output: some
/// programs complain there.
pub(super) fn last_words(stderr: &[u8], stdout: &[u8]) -> String {
    let tail = |bytes: &[u8]| {
        let from = bytes.len().saturating_sub(SHOWN_BYTES);
        plain(&String::from_utf8_lossy(bytes.get(from..).unwrap_or_default()))
    };
    let words = tail(stderr);
    if words.trim().is_empty() { quoted_end(&tail(stdout)) } else { quoted_end(&words) }
}

/// Programs say what is wrong last; the beginning is banners and progress.
fn quoted_end(words: &str) -> String {
    const LONGEST: usize = 220;
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = line.chars().count();
    let cut: String = line.chars().skip(length.saturating_sub(LONGEST)).collect();
    let shown = quoted(&cut);
    if length > LONGEST { format!("…{shown}") } else { shown }
}

/// The text of an answer, or nothing where it is not text.
pub(super) fn legible(stdout: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stdout);
    let bad = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    // One broken character spoils no answer; a tenth of them means it is none.
    if bad * 10 > text.chars().count() {
        return None;
    }
    Some(plain(&text).trim().to_owned())
}

/// Without colours, cursor movements and other control characters.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => match chars.next() {
                Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
                Some(']') => while chars.next().is_some_and(|c| c != '\u{7}' && c != '\u{1b}') {},
                _ => {}
            },
            '\n' | '\t' => out.push(char),
            // A bare carriage return rewrites a line on a terminal; here it ends one.
            '\r' if chars.peek() != Some(&'\n') => out.push('\n'),
            _ if char.is_control() => {}
            _ => out.push(char),
        }
    }
    out
}

/// Takes out the values of variables that are keys, and what looks like one.
pub(super) fn without_keys(text: &str, environment: &[(String, String)]) -> String {
    let is_secret = |name: &str| {
        ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|mark| name.to_uppercase().contains(mark))
    };
    let mut clean = text.to_owned();
    for (name, value) in environment {
        if is_secret(name) && value.len() >= 4 {
            clean = clean.replace(value, redaction::REMOVED_KEY);
        }
    }
    redaction::without_keys(&clean)
}
