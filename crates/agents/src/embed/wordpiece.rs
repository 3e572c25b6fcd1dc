//! Cuts a text into the word pieces the table has rows for, the way BERT's
//! uncased vocabulary is meant to be read: cleaned, lower case, without
//! accents, punctuation on its own, then the longest known piece first.
//!
//! A word of which any part is unknown has no pieces at all and is left out;
//! nothing stands in for it. A piece the vocabulary knows but the table has no
//! row for (the sign in "€50", the index in "CO₂") is left out by itself. Markers such as `[UNK]` in a text are plain text.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::punctuation::is_punctuation;

/// A longer run without a space is no word.
const LONGEST_WORD: usize = 100;

/// Pieces and their rows, where they have one.
type Pieces = HashMap<&'static str, Option<usize>>;

#[derive(Debug)]
pub(super) struct WordPieces {
    starts: Pieces,
    continuations: Pieces,
    /// Bytes of the longest piece: nothing longer need be looked up.
    longest: usize,
}

impl WordPieces {
    /// Line `i` of `kept` is the piece of row `i`; the pieces of `dropped` have
    /// no row. A line in square brackets is a marker, not a piece.
    pub(super) fn new(kept: &'static str, dropped: &'static str) -> WordPieces {
        let lines = kept.lines().count();
        let mut pieces = WordPieces {
            starts: HashMap::with_capacity(lines),
            continuations: HashMap::with_capacity(lines / 4),
            longest: 0,
        };
        let with_row = kept.lines().enumerate().map(|(row, piece)| (piece, Some(row)));
        for (piece, row) in with_row.chain(dropped.lines().map(|piece| (piece, None))) {
            if piece.len() > 2 && piece.starts_with('[') && piece.ends_with(']') {
                continue;
            }
            match piece.strip_prefix("##").filter(|rest| !rest.is_empty()) {
                Some(rest) => pieces.continuations.insert(rest, row),
                None => pieces.starts.insert(piece, row),
            };
            pieces.longest = pieces.longest.max(piece.len());
        }
        pieces
    }

    /// The rows of a text's pieces, in order.
    pub(super) fn rows(&self, text: &str) -> Vec<usize> {
        let mut rows = Vec::with_capacity(text.len() / 4);
        for word in normal(text).split(char::is_whitespace) {
            for token in apart(word) {
                self.push_word(token, &mut rows);
            }
        }
        rows
    }

    fn push_word(&self, word: &str, rows: &mut Vec<usize>) {
        if word.is_empty() || word.chars().count() > LONGEST_WORD {
            return;
        }
        let before = rows.len();
        let mut rest = word;
        while !rest.is_empty() {
            let known = if rest.len() == word.len() { &self.starts } else { &self.continuations };
            match self.longest_piece(rest, known) {
                Some((row, length)) => {
                    rows.extend(row);
                    rest = rest.get(length..).unwrap_or_default();
                }
                None => {
                    rows.truncate(before);
                    return;
                }
            }
        }
    }

    /// The longest piece a text begins with: its row and its bytes.
    fn longest_piece(&self, text: &str, known: &Pieces) -> Option<(Option<usize>, usize)> {
        (1..=text.len().min(self.longest)).rev().find_map(|length| {
            let row = known.get(text.get(..length)?)?;
            Some((*row, length))
        })
    }
}

/// Cleaned, Chinese characters set apart, accents and capitals removed.
fn normal(text: &str) -> String {
    let cleaned = text.chars().filter(|&c| !is_control(c)).flat_map(|c| {
        let gap = is_chinese(c).then_some(' ');
        gap.into_iter().chain([c]).chain(gap)
    });
    cleaned.nfd().filter(|&c| !is_combining_mark(c)).flat_map(char::to_lowercase).collect()
}

/// A word with each punctuation mark as a token of its own.
fn apart(word: &str) -> impl Iterator<Item = &str> {
    word.split_inclusive(is_punctuation).flat_map(|part| {
        match part.char_indices().next_back().filter(|&(_, last)| is_punctuation(last)) {
            Some((at, _)) => {
                let (word, mark) = part.split_at(at);
                [word, mark]
            }
            None => [part, ""],
        }
    })
}

/// Characters without a shape, and the mark of a broken encoding.
fn is_control(c: char) -> bool {
    if matches!(c, '\t' | '\n' | '\r') {
        return false;
    }
    c.is_control() || c == '\u{fffd}' || within(c, FORMATTING)
}

fn is_chinese(c: char) -> bool {
    within(c, CHINESE)
}

fn within(c: char, ranges: &[(u32, u32)]) -> bool {
    let code = u32::from(c);
    ranges.iter().any(|&(first, last)| (first..=last).contains(&code))
}

/// Invisible marks (Unicode category Cf) and private use (Co).
const FORMATTING: &[(u32, u32)] = &[
    (0xad, 0xad),
    (0x600, 0x605),
    (0x61c, 0x61c),
    (0x6dd, 0x6dd),
    (0x70f, 0x70f),
    (0x890, 0x891),
    (0x8e2, 0x8e2),
    (0x180e, 0x180e),
    (0x200b, 0x200f),
    (0x202a, 0x202e),
    (0x2060, 0x2064),
    (0x2066, 0x206f),
    (0xe000, 0xf8ff),
    (0xfeff, 0xfeff),
    (0xfff9, 0xfffb),
    (0xe0001, 0xe007f),
    (0xf0000, 0x10ffff),
];

/// The blocks of Chinese characters, which are written without spaces.
const CHINESE: &[(u32, u32)] = &[
    (0x4e00, 0x9fff),
    (0x3400, 0x4dbf),
    (0x20000, 0x2a6df),
    (0x2a700, 0x2b73f),
    (0x2b740, 0x2b81f),
    (0x2b820, 0x2ceaf),
    (0xf900, 0xfaff),
    (0x2f800, 0x2fa1f),
];

#[cfg(test)]
mod tests;
