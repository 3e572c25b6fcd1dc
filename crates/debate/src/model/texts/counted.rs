//! Things whose tokens are counted, and that are written, at most once.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};
use std::sync::OnceLock;

use serde::Serialize;
use serde_json::Value;

use super::{TokenUnits, tokens};

/// A text or a schema that knows its tokens once somebody has asked for them, and a schema
/// its JSON text. Everything that shares it shares both; a change forgets them.
#[derive(Clone, Default, Serialize)]
#[serde(transparent)]
pub struct TokenCounted<T> {
    value: T,
    /// What need not be counted again.
    #[serde(skip)]
    known: Vec<KnownLines>,
    #[serde(skip)]
    tokens: OnceLock<usize>,
    /// As JSON text; only of a schema.
    #[serde(skip)]
    written: OnceLock<Box<str>>,
}

impl TokenCounted<String> {
    /// A text with lines in it whose cost is known, in their order.
    pub fn with_known(value: String, known: Vec<KnownLines>) -> TokenCounted<String> {
        TokenCounted { known, ..value.into() }
    }

    pub fn tokens(&self) -> usize {
        let count = || tokens_of_part(&self.value, 0..self.value.len(), &self.known);
        *self.tokens.get_or_init(count)
    }
}

impl TokenCounted<Value> {
    pub fn tokens(&self) -> usize {
        *self.tokens.get_or_init(|| tokens(self.written()))
    }

    /// The value as JSON text. Every request carries it, so it is written once.
    pub fn written(&self) -> &str {
        self.written.get_or_init(|| self.value.to_string().into())
    }
}

impl<T> From<T> for TokenCounted<T> {
    fn from(value: T) -> TokenCounted<T> {
        let (tokens, written) = (OnceLock::new(), OnceLock::new());
        TokenCounted { value, known: Vec::new(), tokens, written }
    }
}

impl From<&str> for TokenCounted<String> {
    fn from(text: &str) -> TokenCounted<String> {
        text.to_owned().into()
    }
}

impl<T> Deref for TokenCounted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for TokenCounted<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.tokens = OnceLock::new();
        self.written = OnceLock::new();
        self.known.clear();
        &mut self.value
    }
}

/// Whole lines of a text, from a line's start to a line break, whose cost is known. They
/// must [stand alone](stands_alone).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownLines {
    pub start: usize,
    pub end: usize,
    pub units: TokenUnits,
}

/// Returns true if the cost of some lines can be added to that of the lines around them: if
/// their first and their last line break are not parts of longer runs.
pub fn stands_alone(lines: &str) -> bool {
    let breaks = ['\n', '\r'];
    let last_line = lines.strip_suffix('\n');
    last_line.is_some_and(|line| !line.is_empty() && !line.ends_with(breaks))
        && !lines.starts_with(breaks)
}

/// Returns the tokens of a part of a text, in which only the lines that are not known are
/// counted.
pub fn tokens_of_part(text: &str, part: Range<usize>, known: &[KnownLines]) -> usize {
    let first = known.partition_point(|lines| lines.start < part.start);
    let inside = known.get(first..).unwrap_or_default();
    let between = |from: usize, to: usize| {
        let between = text.get(from..to).unwrap_or_default();
        let begins = from == part.start;
        if begins { TokenUnits::of(between) } else { TokenUnits::of_next_line(between) }
    };
    let mut units = TokenUnits::default();
    let mut from = part.start;
    for lines in inside.iter().take_while(|lines| lines.end <= part.end) {
        units += between(from, lines.start);
        units += lines.units;
        from = lines.end;
    }
    units += between(from, part.end);
    units.tokens()
}

/// Returns the known lines of a part at their places in the text that the part was put into,
/// where it must begin a line; none if it does not stand there as it was.
pub fn known_inside(whole: &str, part: &str, mut known: Vec<KnownLines>) -> Vec<KnownLines> {
    // The end may have been trimmed.
    let part = part.trim_end_matches('\n');
    let stands = |at: &usize| whole.get(*at..).is_some_and(|rest| rest.starts_with(part));
    let breaks = whole.match_indices('\n').map(|(at, _)| at + 1);
    let place = (!known.is_empty()).then(|| std::iter::once(0).chain(breaks).find(stands));
    let Some(at) = place.flatten() else { return Vec::new() };
    let is_break = |at: usize| whole.as_bytes().get(at) == Some(&b'\n');
    known.retain_mut(|lines| {
        (lines.start, lines.end) = (at + lines.start, at + lines.end);
        (lines.start == 0 || is_break(lines.start - 1)) && is_break(lines.end - 1)
    });
    known
}

// The count follows from the value, so it is no part of what is compared or shown.

impl<T: PartialEq> PartialEq for TokenCounted<T> {
    fn eq(&self, other: &TokenCounted<T>) -> bool {
        self.value == other.value
    }
}

impl<T: fmt::Debug> fmt::Debug for TokenCounted<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(to)
    }
}

impl<T: fmt::Display> fmt::Display for TokenCounted<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(to)
    }
}

#[cfg(test)]
#[path = "counted_tests.rs"]
mod tests;
