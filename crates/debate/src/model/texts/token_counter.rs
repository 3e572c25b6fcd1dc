//! The estimate of tokens, character by character and many letters at once: both ways
//! give the same. It refuses to know a vocabulary.

#[path = "text_common.rs"]
mod text_common;

#[cfg(test)]
#[path = "token_counter_tests.rs"]
mod tests;

/// Fractions of a token in which the estimate is summed.
pub(super) const UNIT: usize = 8;

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
const ODD_PAIR: u8 = 6;

const LONGEST: usize = 39;

/// The cost of each further letter of a very long word.
const LONG_WORD: usize = 3;

/// What two characters cost more because they stand side by side, by their bytes, in units:
/// unusual pairs of letters of one word. Capitals are charged half; a lower-case letter
/// before a capital ends its word.
static ODD: [u8; 1 << 16] = {
    let mut table = [0; 1 << 16];
    let mut first = 0;
    while first < PAIRS.len() {
        let mut second = 0;
        while second < PAIRS.len() {
            if PAIRS[first] >> second & 1 == 0 {
                let (one, two) = (first + b'a' as usize, second + b'a' as usize);
                let (capital_one, capital_two) = (first + b'A' as usize, second + b'A' as usize);
                table[one | two << 8] = ODD_PAIR;
                table[capital_one | two << 8] = ODD_PAIR;
                table[capital_one | capital_two << 8] = ODD_PAIR / 2;
            }
            second += 1;
        }
        first += 1;
    }
    table
};

#[inline(always)]
fn odd(first: u8, second: u8) -> u8 {
    ODD[usize::from(u16::from_le_bytes([first, second]))]
}

/// A bit for each byte of a window.
type WindowBits = u64;

/// So many bytes are looked at together.
const WINDOW: usize = 64;

/// The same in eight bytes at once.
const STEP: usize = 8;

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
pub(super) struct TokenCounter {
    units: usize,
    kind: CharKind,
    /// The last character; in a word that was counted whole, one before it.
    last: char,
    /// Length of the run so far.
    run: usize,
}

impl TokenCounter {
    /// A counter of what follows a line break.
    pub fn after_line_break() -> TokenCounter {
        TokenCounter { kind: CharKind::Newline, last: '\n', run: 1, ..TokenCounter::default() }
    }

    /// Returns the units of what was counted with a text after it; if that is more than
    /// `enough`, perhaps only those of its beginning.
    ///
    /// The text is taken in windows. What pairs of letters cost depends on these letters
    /// alone and is added up without a look at words; words follow from the bits that say
    /// where small letters stand.
    pub fn measured(self, text: &str, enough: usize) -> usize {
        let mut count = self;
        let bytes = text.as_bytes();
        let (mut at, mut before) = (0, 0);
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let mut padded = [0; WINDOW];
            let window = rest.first_chunk().unwrap_or_else(|| {
                padded.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                &padded
            });
            let length = rest.len().min(WINDOW);
            let (letters, odd) = looked_at(window, length, before);
            count.units += odd;
            let mut place = 0;
            while place < length {
                let word = (!(letters >> place)).trailing_zeros() as usize;
                if word > 0 {
                    count.letters(word);
                    place += word;
                    // Most words stand one blank after another word.
                    while place < WINDOW - 1
                        && window[place] == b' '
                        && letters >> (place + 1) & 1 == 1
                    {
                        count.units = count.closed();
                        count.run = (!(letters >> (place + 1))).trailing_zeros() as usize;
                        place += 1 + count.run;
                    }
                    continue;
                }
                let byte = window[place % WINDOW];
                if byte.is_ascii() {
                    count.add_ascii(byte);
                    place += 1;
                } else {
                    let char = text.get(at + place..).and_then(|rest| rest.chars().next());
                    let char = char.unwrap_or_default();
                    count = count.with_foreign(char);
                    place += char.len_utf8();
                }
            }
            at += place;
            // Units never fall, so what is too much stays too much.
            if count.units > enough {
                break;
            }
            before = bytes.get(at - 1).copied().unwrap_or_default();
        }
        count.closed()
    }

    #[inline]
    pub fn add(&mut self, char: char) {
        let Ok(byte) = u8::try_from(char) else {
            *self = self.with_foreign(char);
            return;
        };
        self.units += u8::try_from(self.last).map_or(0, |last| usize::from(odd(last, byte)));
        match byte {
            b'a'..=b'z' => {
                self.letters(1);
                self.last = char;
            }
            _ if byte.is_ascii() => self.add_ascii(byte),
            _ => *self = self.with_foreign(char),
        }
    }

    /// An ASCII character that is no lower-case letter.
    #[inline(always)]
    fn add_ascii(&mut self, byte: u8) {
        let char = char::from(byte);
        match byte {
            b' ' | b'\t' => self.blank(char),
            b'A'..=b'Z' => self.capital(),
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

    #[inline(always)]
    fn turn(&mut self, kind: CharKind) {
        self.units = self.closed();
        self.kind = kind;
        self.run = 0;
    }

    /// Returns the units so far, as if the text ended here.
    #[inline(always)]
    pub fn closed(&self) -> usize {
        if self.kind != CharKind::Lower {
            return self.units;
        }
        let word = match WORD.get(self.run) {
            Some(cost) => *cost,
            None => LONGEST + (self.run + 1 - WORD.len()) * LONG_WORD,
        };
        self.units + word
    }

    /// So many lower-case letters in a row.
    #[inline(always)]
    fn letters(&mut self, number: usize) {
        match self.kind {
            CharKind::Lower => {}
            // A capital belongs to the word it begins.
            CharKind::Upper => {
                let capitals = self.run;
                self.units = self.units.saturating_sub(UNIT) + usize::from(capitals > 1) * 2;
                self.turn(CharKind::Lower);
                self.run = 1;
            }
            _ => self.turn(CharKind::Lower),
        }
        self.run += number;
    }

    #[inline(always)]
    fn capital(&mut self) {
        if self.kind != CharKind::Upper {
            self.turn(CharKind::Upper);
            self.units += UNIT;
        } else {
            self.units += 4;
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
                if self.kind == CharKind::Upper {
                    let last = u8::try_from(self.last).unwrap_or_default();
                    self.units += usize::from(odd(last, b'a'));
                }
                self.letters(1);
                self.units += 4;
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

/// Returns the cost of a character of a large script: a little more than a token
/// for a common one, one token per byte for any other.
fn written_often(common: &[u64], char: char, first: u32) -> usize {
    let place = (char as u32).saturating_sub(first);
    match common.get(place as usize / 64) {
        Some(bits) if bits >> (place % 64) & 1 == 1 => 10,
        _ => char.len_utf8() * UNIT,
    }
}

/// Returns where small letters stand among the first bytes of a window, and what its pairs of
/// letters cost, the one with the byte before it included.
#[inline(always)]
fn looked_at(window: &[u8; WINDOW], length: usize, before: u8) -> (WindowBits, usize) {
    let (steps, _) = window.as_chunks::<STEP>();
    let (mut letters, mut cost) = (0, 0);
    let mut last = u64::from(before);
    for (place, step) in steps.iter().enumerate().take(length.div_ceil(STEP)) {
        let step = u64::from_le_bytes(*step);
        letters |= small_letters(step) << (place * STEP);
        // The same bytes, one place later, behind the one before them.
        let behind = step << 8 | last;
        last = step >> 56;
        let pair = |bytes: u64| ODD[usize::from(bytes as u16)];
        // Eight pairs cost less than a byte can hold.
        let pairs = pair(behind)
            + pair(behind >> 8)
            + pair(behind >> 16)
            + pair(behind >> 24)
            + pair(behind >> 32)
            + pair(behind >> 40)
            + pair(behind >> 48)
            + pair(step >> 48);
        cost += usize::from(pairs);
    }
    (letters, cost)
}

/// Returns a bit for each byte that is a lower-case letter, the first one lowest.
#[inline(always)]
fn small_letters(word: u64) -> WindowBits {
    const ALL: u64 = 0x0101_0101_0101_0101;
    let low = word & (ALL * 0x7f);
    // No sum reaches the next byte; the highest bit says whether a byte is as large.
    let from_a = low + ALL * (0x80 - b'a' as u64);
    let after_z = low + ALL * (0x7f - b'z' as u64);
    let small = from_a & !after_z & !word & (ALL * 0x80);
    // Gathers the highest bits of all bytes in the highest byte.
    small.wrapping_mul(0x0002_0408_1020_4081) >> 56
}
