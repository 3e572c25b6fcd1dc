//! Measuring and shortening text. Tokens are estimated, on the safe side: see
//! [`tokens`]. It refuses to count exactly: an exact count costs a vocabulary of
//! megabytes and a thousand times the time, and differs between models anyway.

use std::borrow::Cow;

use super::token_counter::{TokenCounter, UNIT};

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;

/// An upper estimate of the tokens a text costs a modern tokenizer.
///
/// It follows the way such tokenizers cut text before they look anything up:
/// words, numbers in threes, runs of signs, runs of blanks. Prose in the Latin
/// script is met within about a quarter; signs, rare scripts and letter salad
/// are charged nearly by the byte.
pub fn tokens(text: &str) -> usize {
    measured(text, usize::MAX).div_ceil(UNIT)
}

/// Returns true if a text costs at most `max` tokens.
fn fits(text: &str, max: usize) -> bool {
    // A text hardly ever costs more tokens than it has bytes.
    text.len() <= max || measured(text, max * UNIT) <= max * UNIT
}

/// Returns the units a text costs; if that is more than `enough`, perhaps only
/// those of its beginning.
fn measured(text: &str, enough: usize) -> usize {
    TokenCounter::default().measured(text, enough)
}

/// What a text costs, in parts of a token, so that lines can be counted one by one and
/// added up: a line costs the same alone and among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUnits(usize);

impl TokenUnits {
    pub fn of(text: &str) -> TokenUnits {
        TokenUnits(measured(text, usize::MAX))
    }

    /// The cost of a text that follows a line break, with which its own may be counted.
    pub fn of_next_line(text: &str) -> TokenUnits {
        let after = TokenCounter::after_line_break();
        TokenUnits(after.measured(text, usize::MAX))
    }

    /// Returns the cost of the same text with a line break after it, if it ends with a word
    /// or a sign.
    pub fn with_line_break(self) -> TokenUnits {
        TokenUnits(self.0 + UNIT)
    }

    /// Returns the cost of a word with a colon, a blank, a text and a line break behind it,
    /// if it is the sum of their costs: if the text begins and ends with a letter or a sign.
    pub fn and_behind_colon(self, text: &str, units: TokenUnits) -> Option<TokenUnits> {
        let first = text.bytes().next().filter(|first| *first > b' ' && !first.is_ascii_digit());
        let ends = text.bytes().next_back().is_some_and(|last| last > b' ');
        let plain = first.is_some() && ends && !text.ends_with(char::is_whitespace);
        // The colon costs a token, and so does the line break; the blank joins the next word.
        plain.then_some(TokenUnits(self.0 + UNIT + units.0).with_line_break())
    }

    pub fn tokens(self) -> usize {
        self.0.div_ceil(UNIT)
    }
}

impl std::iter::Sum for TokenUnits {
    fn sum<I: Iterator<Item = TokenUnits>>(units: I) -> TokenUnits {
        TokenUnits(units.map(|units| units.0).sum())
    }
}

impl std::ops::AddAssign for TokenUnits {
    fn add_assign(&mut self, other: TokenUnits) {
        self.0 += other.0;
    }
}

/// Returns the text cut at a word so that it costs at most `max` tokens, ending
/// in `…` if something was cut.
pub fn clip(text: &str, max: usize) -> Cow<'_, str> {
    if fits(text, max) { Cow::Borrowed(text) } else { shortened(text, max) }
}

/// The same, with what it costs. A text with no more bytes than `max` is kept whole by `clip`, and
/// here only if it costs no more either.
pub fn clip_and_count(text: &str, max: usize) -> (Cow<'_, str>, TokenUnits) {
    let limit = max.saturating_mul(UNIT);
    let units = measured(text, limit);
    if units <= limit {
        return (Cow::Borrowed(text), TokenUnits(units));
    }
    let text = shortened(text, max);
    let units = TokenUnits::of(&text);
    (text, units)
}

/// A text that does not fit, cut at a word.
fn shortened(text: &str, max: usize) -> Cow<'_, str> {
    let limit = max * UNIT;
    let room = limit.saturating_sub(UNIT);
    let mut count = TokenCounter::default();
    let (mut word_end, mut char_end) = (0, 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        count.add(char);
        let closed = count.closed();
        if closed > limit {
            break;
        }
        let Some((_, next)) = chars.peek() else { return Cow::Borrowed(text) };
        if closed <= room && !joins(*next) {
            let end = at + char.len_utf8();
            char_end = end;
            if next.is_whitespace() || writes_without_blanks(char) {
                word_end = end;
            }
        }
    }
    if max == 0 {
        return Cow::Borrowed("");
    }
    let end = if word_end == 0 { char_end } else { word_end };
    let kept = text.get(..end).unwrap_or_default().trim_end();
    Cow::Owned([kept, "…"].concat())
}

/// Returns true if a character belongs to the one before it: a mark, a joiner, a
/// variant. A cut in front of it would change what the reader sees.
fn joins(char: char) -> bool {
    matches!(char, '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
        || (!char.is_ascii() && unicode_normalization::char::is_combining_mark(char))
}

fn writes_without_blanks(char: char) -> bool {
    matches!(char, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff00}'..='\u{ff5e}')
}

/// `1 round`, `3 rounds`.
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// "A", "A and B", "A, B and C".
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    match names {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [init @ .., last] => {
            let init: Vec<&str> = init.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", init.join(", "), last.as_ref())
        }
    }
}
