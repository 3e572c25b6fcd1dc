//! One pass over a text: words are looked up in the table of cues, sentence by
//! sentence, and only a sentence with a dangerous object is compared with the
//! patterns. Most words are dismissed by the first test, on letter and length.

use std::sync::LazyLock;

use super::cues::{CUES, CueClass, CueMatch, SafetyCue};
use super::patterns::{PATTERNS, PatternEffect};
use crate::sorting::SortRows;

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;

/// The findings in one text.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub found: Vec<(PatternEffect, &'static str)>,
    /// The first cue found of each class.
    met: Vec<(CueClass, &'static SafetyCue)>,
}

/// The possible lengths of the first word of a cue, by its first two letters: bit
/// n for n letters.
static BY_BEGINNING: [u32; 1024] = lengths(false);

/// The same by its first and its last letter. Most words are dismissed by these two lookups.
static BY_ENDS: [u32; 1024] = lengths(true);

const fn lengths(by_ends: bool) -> [u32; 1024] {
    let mut table = [0; 1024];
    let mut place = 0;
    while place < CUES.len() {
        let word = CUES[place].words[0].as_bytes();
        let key = if by_ends { two(word[0], word[word.len() - 1]) } else { letters(word) };
        table[key] |= 1 << capped(word.len());
        place += 1;
    }
    table
}

/// The first two letters as one number; case does not matter.
const fn letters(word: &[u8]) -> usize {
    let first = if word.is_empty() { 0 } else { word[0] };
    two(first, if word.len() < 2 { 0 } else { word[1] })
}

const fn two(one: u8, other: u8) -> usize {
    (one & 31) as usize * 32 + (other & 31) as usize
}

const fn capped(length: usize) -> usize {
    if length > 31 { 31 } else { length }
}

/// A cue with the key of its first word.
#[derive(Clone, Copy)]
struct BucketRow {
    key: u64,
    cue: &'static SafetyCue,
}

/// The cues by their first two letters; longest first, so that a compound wins over the
/// word it begins with.
static BUCKETS: LazyLock<Vec<Vec<BucketRow>>> = LazyLock::new(|| {
    let mut buckets = vec![Vec::new(); BY_BEGINNING.len()];
    for cue in CUES {
        let word = cue.words[0].as_bytes();
        buckets[letters(word)].push(BucketRow { key: key(word), cue });
    }
    for bucket in &mut buckets {
        bucket.sort_rows_by_key(|row| std::cmp::Reverse(row.cue.words.len()));
    }
    buckets
});

/// The last letters of a word as one number; case does not matter. Words with different keys
/// are different words.
fn key(word: &[u8]) -> u64 {
    word.iter().fold(0, |key, letter| key << 8 | u64::from(letter | 0x20))
}

/// The role of a byte in the scan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteKind {
    Letter,
    Other,
    /// Ends a sentence. A colon does not: "Step 1: …" is one thought.
    End,
    /// May begin a label or citation.
    Bracket,
}

static KINDS: [ByteKind; 256] = kinds();

const fn kinds() -> [ByteKind; 256] {
    let mut table = [ByteKind::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'\'' | 0x80..=0xff => ByteKind::Letter,
            b'.' | b'!' | b'?' | b';' | b'\n' => ByteKind::End,
            b'[' => ByteKind::Bracket,
            _ => ByteKind::Other,
        };
        byte += 1;
    }
    table
}

#[inline]
fn kind(byte: u8) -> ByteKind {
    KINDS[usize::from(byte)]
}

impl Scan {
    pub fn of(text: &str) -> Scan {
        let mut scan = Scan::default();
        let mut sentence: Vec<CueMatch> = Vec::new();
        let (mut at, mut skip) = (0_usize, 0_usize);
        let bytes = text.as_bytes();
        let mut place = 0;
        while let Some(byte) = bytes.get(place).copied() {
            match kind(byte) {
                ByteKind::Letter => {}
                ByteKind::Other => {
                    place += 1;
                    continue;
                }
                ByteKind::End => {
                    scan.close(&mut sentence);
                    (at, skip) = (0, 0);
                    place += 1;
                    continue;
                }
                ByteKind::Bracket => {
                    place += tag(bytes.get(place..).unwrap_or_default()).unwrap_or(1);
                    continue;
                }
            }
            let start = place;
            place += 1;
            while bytes.get(place).is_some_and(|byte| is_letter(*byte)) {
                place += 1;
            }
            at += 1;
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let word = bytes.get(start..place).unwrap_or_default();
            if !may_begin_a_cue(word) {
                continue;
            }
            if let Some(cue) = cue_at(word, bytes.get(place..).unwrap_or_default()) {
                skip = cue.words.len() - 1;
                sentence.push(CueMatch { class: cue.class, at, words: cue.words.len() });
                if !scan.met.iter().any(|(class, _)| *class == cue.class) {
                    scan.met.push((cue.class, cue));
                }
            }
        }
        scan.close(&mut sentence);
        scan
    }

    pub fn has(&self, class: CueClass) -> bool {
        self.met.iter().any(|(met, _)| *met == class)
    }

    /// Returns the words of the first cue found of a class.
    pub fn cue(&self, class: CueClass) -> Option<String> {
        let (_, cue) = self.met.iter().find(|(met, _)| *met == class)?;
        Some(cue.words.join(" "))
    }

    fn close(&mut self, sentence: &mut Vec<CueMatch>) {
        if sentence.is_empty() {
            return;
        }
        if sentence.iter().any(|met| met.class.is_dangerous()) {
            let shielded =
                sentence.iter().any(|met| matches!(met.class, CueClass::Shield | CueClass::Legal));
            for pattern in PATTERNS.iter().filter(|pattern| pattern.fits(sentence)) {
                // A sentence that also speaks of protection, law or history is
                // looked at, not blocked.
                let effect = match (pattern.effect, shielded) {
                    (PatternEffect::Suspect, true) => continue,
                    (PatternEffect::Block, true) => PatternEffect::Suspect,
                    (effect, false) => effect,
                };
                if !self.found.contains(&(effect, pattern.name)) {
                    self.found.push((effect, pattern.name));
                }
            }
        }
        sentence.clear();
    }
}

/// The length of a label or citation, `[FACT]` or `[1]`: no part of the sentence.
fn tag(text: &[u8]) -> Option<usize> {
    const LONGEST: usize = 10;
    let inside = text.strip_prefix(b"[")?;
    let end = inside.iter().take(LONGEST).position(|byte| *byte == b']')?;
    Some(end + 2)
}

fn is_letter(byte: u8) -> bool {
    kind(byte) == ByteKind::Letter
}

/// Returns true if a cue may begin with a word; nearly all words are dismissed here.
#[inline(always)]
fn may_begin_a_cue(word: &[u8]) -> bool {
    let (Some(first), Some(last)) = (word.first(), word.last()) else { return false };
    let second = word.get(1).copied().unwrap_or_default();
    let lengths = BY_BEGINNING[two(*first, second)] & BY_ENDS[two(*first, *last)];
    lengths >> capped(word.len()) & 1 == 1
}

/// The longest cue that begins with this word.
fn cue_at(word: &[u8], rest: &[u8]) -> Option<&'static SafetyCue> {
    let key = key(word);
    let mut rows = BUCKETS[letters(word)].iter().filter(|row| row.key == key);
    let fitting = rows.find(|row| {
        row.cue.words.split_first().is_some_and(|(first, others)| {
            first.as_bytes().eq_ignore_ascii_case(word) && follows(rest, others)
        })
    });
    fitting.map(|row| row.cue)
}

/// Returns true if the next words are these, with no end of a sentence between
/// them.
fn follows(mut rest: &[u8], words: &[&str]) -> bool {
    for word in words {
        let gap = rest.iter().take_while(|byte| !is_letter(**byte));
        if gap.clone().any(|byte| kind(*byte) == ByteKind::End) {
            return false;
        }
        let gap = gap.count();
        rest = rest.get(gap..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_letter(**byte)).count();
        let next = rest.get(..length).unwrap_or_default();
        if !next.eq_ignore_ascii_case(word.as_bytes()) {
            return false;
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    true
}
