//! Measuring and shortening text. Tokens are estimated, on the safe side: see
//! [`tokens`]. It refuses to count exactly: an exact count costs a vocabulary of
//! megabytes and a thousand times the time, and differs between models anyway.

use std::borrow::Cow;

#[path = "text_common.rs"]
mod text_common;

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;

/// Fractions of a token in which the estimate is summed.
const UNIT: usize = 8;

/// The cost of a run of lower-case Latin letters by its length, in units. Short
/// words are one token each; longer ones are sometimes two.
const WORD: [usize; 20] = [0, 8, 8, 8, 8, 9, 9, 10, 11, 12, 14, 16, 18, 21, 24, 27, 30, 33, 36, 39];

/// The pairs of letters that words in Latin scripts are made of: for each first
/// letter, a bit for each second one. Letter salad is full of other pairs, and a
/// tokenizer finds no long pieces in it.
#[rustfmt::skip]
const PAIRS: [u32; 26] = [
    0x13eb9ee, // a
    0x1124911, // b
    0x11a4d95, // c
    0x0144151, // d
    0x0ffb9ff, // e
    0x00a4931, // f
    0x0160991, // g
    0x01a5911, // h
    0x02ef87f, // i
    0x0100010, // j
    0x0000010, // k
    0x11c5919, // l
    0x014d911, // m
    0x23c6d7d, // n
    0x07ef96c, // o
    0x01ec991, // p
    0x0100000, // q
    0x17e755d, // r
    0x05cc195, // s
    0x35ec995, // t
    0x00eb93d, // u
    0x0004111, // v
    0x0006191, // w
    0x0088100, // x
    0x0000000, // y
    0x0100010, // z
];

/// The extra cost of an unusual pair of letters, in units.
const ODD_PAIR: usize = 6;

const LONGEST: usize = 39;

/// The cost of each further letter of a very long word.
const LONG_WORD: usize = 3;

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
        let after =
            TokenCounter { kind: CharKind::Newline, last: '\n', run: 1, ..TokenCounter::default() };
        TokenUnits(after.measured(text, usize::MAX))
    }

    /// Returns the cost of the same text with a line break after it, if it ends with a word
    /// or a sign.
    pub fn with_line_break(self) -> TokenUnits {
        TokenUnits(self.0 + UNIT)
    }

    pub fn tokens(self) -> usize {
        self.0.div_ceil(UNIT)
    }
}

impl std::ops::AddAssign for TokenUnits {
    fn add_assign(&mut self, other: TokenUnits) {
        self.0 += other.0;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum CharKind {
    #[default]
    Start,
    Lower,
    Upper,
    Digit,
    Sign,
    Blank,
    Newline,
    /// Letters of other scripts.
    Other,
}

#[derive(Clone, Copy, Default)]
struct TokenCounter {
    units: usize,
    kind: CharKind,
    last: char,
    /// Length of the run so far.
    run: usize,
    /// The units added by unusual pairs in the current word.
    odd: usize,
}

impl TokenCounter {
    /// Returns the units of what was counted with a text after it; if that is more than
    /// `enough`, perhaps only those of its beginning.
    #[inline(always)]
    fn measured(self, text: &str, enough: usize) -> usize {
        let mut count = self;
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            match byte {
                b'a'..=b'z' => {
                    count.letter(char::from(byte));
                    at += 1 + count.rest_of_word(byte, bytes.get(at + 1..).unwrap_or_default());
                    // Most words stand one blank after another word.
                    while let Some([b' ', first @ b'a'..=b'z', rest @ ..]) = bytes.get(at..) {
                        count.next_word(*first);
                        at += 2 + count.rest_of_word(*first, rest);
                        if count.units > enough {
                            break;
                        }
                    }
                }
                0..=0x7f => {
                    count.add_ascii(byte);
                    at += 1;
                }
                _ => {
                    let Some(char) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                        break;
                    };
                    count = count.with_foreign(char);
                    at += char.len_utf8();
                }
            }
            // Units never fall, so what is too much stays too much.
            if count.units > enough {
                break;
            }
        }
        count.closed()
    }

    #[inline]
    fn add(&mut self, char: char) {
        match u8::try_from(char) {
            Ok(byte @ b'a'..=b'z') => self.letter(char::from(byte)),
            Ok(byte) if byte.is_ascii() => self.add_ascii(byte),
            _ => *self = self.with_foreign(char),
        }
    }

    /// An ASCII character that is no lower-case letter.
    #[inline(always)]
    fn add_ascii(&mut self, byte: u8) {
        let char = char::from(byte);
        match byte {
            b' ' | b'\t' => self.blank(char),
            b'A'..=b'Z' => self.capital(char),
            b'0'..=b'9' => self.digit(),
            b'\n' | b'\r' => self.newline(char),
            b'!'..=b'~' => self.sign(char),
            _ => *self = self.with_foreign(char),
        }
        self.last = char;
    }

    /// By value, so that the counting of plain text stays in registers.
    fn with_foreign(mut self, char: char) -> TokenCounter {
        self.foreign(char);
        self.last = char;
        self
    }

    /// Takes the lower-case letters that follow one, all at once: most of all
    /// text is made of them.
    #[inline(always)]
    fn rest_of_word(&mut self, mut last: u8, rest: &[u8]) -> usize {
        let (mut length, mut odd) = (0, 0);
        for letter in rest.iter().take_while(|byte| byte.is_ascii_lowercase()) {
            odd += usize::from(is_odd(last, *letter));
            last = *letter;
            length += 1;
        }
        self.odd += ODD_PAIR * odd;
        self.run += length;
        self.last = char::from(last);
        length
    }

    /// Ends a word, and begins the one after a single blank.
    #[inline(always)]
    fn next_word(&mut self, first: u8) {
        self.units = self.closed();
        self.odd = 0;
        self.run = 1;
        self.last = char::from(first);
    }

    #[inline(always)]
    fn turn(&mut self, kind: CharKind) {
        self.end_word();
        self.kind = kind;
        self.run = 0;
    }

    #[inline(always)]
    fn end_word(&mut self) {
        self.units = self.closed();
        self.odd = 0;
        self.kind = CharKind::Start;
    }

    /// Returns the units so far, as if the text ended here.
    #[inline(always)]
    fn closed(&self) -> usize {
        if self.kind != CharKind::Lower {
            return self.units;
        }
        let word = match WORD.get(self.run) {
            Some(cost) => *cost,
            None => LONGEST + (self.run + 1 - WORD.len()) * LONG_WORD,
        };
        self.units + self.odd + word
    }

    #[inline(always)]
    fn letter(&mut self, char: char) {
        match self.kind {
            CharKind::Lower => {}
            // A capital belongs to the word it begins.
            CharKind::Upper => {
                let capitals = self.run;
                self.units = self.units.saturating_sub(UNIT);
                self.turn(CharKind::Lower);
                self.run = 1;
                self.odd = usize::from(capitals > 1) * 2;
            }
            _ => self.turn(CharKind::Lower),
        }
        self.run += 1;
        self.odd += odd_pair(self.last, char);
        self.last = char;
    }

    #[inline(always)]
    fn capital(&mut self, char: char) {
        if self.kind != CharKind::Upper {
            self.turn(CharKind::Upper);
            self.units += UNIT;
        } else {
            self.units += 4 + odd_pair(self.last, char) / 2;
        }
        self.run += 1;
    }

    #[inline(always)]
    fn digit(&mut self) {
        if self.kind != CharKind::Digit {
            // A blank before a number is a token of its own.
            if matches!(self.kind, CharKind::Blank) && self.run == 1 {
                self.units += UNIT;
            }
            self.turn(CharKind::Digit);
        }
        if self.run.is_multiple_of(3) {
            self.units += UNIT;
        }
        self.run += 1;
    }

    #[inline(always)]
    fn sign(&mut self, char: char) {
        if self.kind != CharKind::Sign {
            self.turn(CharKind::Sign);
            self.units += UNIT;
        } else if char == self.last {
            self.units += 2;
        } else {
            self.units += 7;
        }
        self.run += 1;
    }

    #[inline(always)]
    fn blank(&mut self, char: char) {
        if self.kind != CharKind::Blank {
            self.turn(CharKind::Blank);
        } else if char != self.last || self.run == 1 {
            // One blank joins the word after it; two no longer do.
            self.units += UNIT;
        } else if self.run.is_multiple_of(8) {
            self.units += UNIT;
        }
        if char == '\t' && self.run == 0 {
            self.units += UNIT;
        }
        self.run += 1;
    }

    #[inline(always)]
    fn newline(&mut self, char: char) {
        if self.kind != CharKind::Newline {
            let lone_blank = self.kind == CharKind::Blank && self.run == 1;
            self.turn(CharKind::Newline);
            self.units += UNIT + usize::from(lone_blank) * UNIT;
        } else if char != self.last || self.run.is_multiple_of(4) {
            self.units += UNIT;
        }
        self.run += 1;
    }

    fn foreign(&mut self, char: char) {
        let cost = match char {
            // Latin letters with marks live inside words.
            '\u{c0}'..='\u{17f}' => {
                if !matches!(self.kind, CharKind::Lower) {
                    self.letter('a');
                } else {
                    self.run += 1;
                }
                self.odd += 4;
                return;
            }
            '\u{400}'..='\u{45f}' => 5,
            '\u{370}'..='\u{3ff}' | '\u{590}'..='\u{6ff}' => 7,
            '\u{3040}'..='\u{30ff}' => 12,
            '\u{4e00}'..='\u{9fff}' => written_often(&text_common::HAN, char, 0x4e00),
            '\u{ac00}'..='\u{d7a3}' => written_often(&text_common::HANGUL, char, 0xac00),
            '\u{3001}'..='\u{3002}' | '\u{ff00}'..='\u{ff5e}' => UNIT,
            '\u{2010}'..='\u{2026}' | '«' | '»' => UNIT,
            _ => char.len_utf8() * UNIT,
        };
        if self.kind != CharKind::Other {
            self.turn(CharKind::Other);
        }
        self.run += 1;
        self.units += cost;
    }
}

/// [`PAIRS`] by the five low bits of a letter, regardless of case.
const BY_LOW_BITS: [u32; 32] = {
    let mut rows = [0; 32];
    let mut letter = 0;
    while letter < PAIRS.len() {
        rows[letter + 1] = PAIRS[letter] << 1;
        letter += 1;
    }
    rows
};

/// Returns true if words in Latin scripts seldom have the second letter after the
/// first.
#[inline(always)]
fn is_odd(first: u8, second: u8) -> bool {
    BY_LOW_BITS[usize::from(first & 31)] >> (second & 31) & 1 == 0
}

#[inline]
fn odd_pair(first: char, second: char) -> usize {
    let place = |letter: char| (letter as u32 | 0x20).wrapping_sub(u32::from(b'a'));
    match PAIRS.get(place(first) as usize) {
        Some(seconds) if seconds >> place(second).min(31) & 1 == 0 => ODD_PAIR,
        _ => 0,
    }
}

/// Returns the cost of a character of a large script: a little more than a token
/// for a common one, one token per byte for any other.
fn written_often(common: &[u64], char: char, first: u32) -> usize {
    let place = (char as u32).saturating_sub(first);
    match common.get(place as usize / 64) {
        Some(bits) if bits >> (place % 64) & 1 == 1 => 10,
        _ => char.len_utf8() * UNIT,
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
