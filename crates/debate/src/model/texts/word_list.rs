//! Short lists of words, in which many words are looked for and few are found.

/// The beginnings and lengths of some words: enough to tell of most other words that they
/// are none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordMask {
    /// By the five low bits of the first byte, a bit for each length.
    lengths: [u32; 32],
}

impl WordMask {
    const EMPTY: WordMask = WordMask { lengths: [0; 32] };

    /// The words at the beginning of each row.
    pub const fn of_rows(rows: &[(&str, &str)]) -> WordMask {
        let mut mask = WordMask::EMPTY;
        let mut at = 0;
        while at < rows.len() {
            mask = mask.with(rows[at].0);
            at += 1;
        }
        mask
    }

    const fn with(mut self, word: &str) -> WordMask {
        if let Some(first) = word.as_bytes().first() {
            self.lengths[(*first & 31) as usize] |= 1 << (word.len() & 31);
        }
        self
    }

    /// Returns false if a word is surely none of these.
    #[inline]
    pub fn may_have(&self, word: &str) -> bool {
        let first = word.as_bytes().first().copied().unwrap_or_default();
        self.lengths[usize::from(first & 31)] >> (word.len() & 31) & 1 == 1
    }
}

/// The longest list.
const MOST_WORDS: usize = 160;
/// No word has this place.
const NO_WORD: u8 = u8::MAX;
/// By so many shelves the words of a list are told apart before they are compared.
pub(super) const SHELVES: usize = 64;

/// A list of words.
#[derive(Debug, PartialEq, Eq)]
pub struct WordList {
    words: &'static [&'static str],
    /// The place of the first word on each shelf.
    firsts: [u8; SHELVES],
    /// For each word the place of the next one on its shelf.
    nexts: [u8; MOST_WORDS],
}

impl WordList {
    pub const fn of(words: &'static [&'static str]) -> WordList {
        let mut firsts = [NO_WORD; SHELVES];
        let mut nexts = [NO_WORD; MOST_WORDS];
        let mut at = 0;
        while at < words.len() {
            if !words[at].is_empty() {
                let shelf = shelf(words[at]);
                nexts[at] = firsts[shelf];
                firsts[shelf] = at as u8;
            }
            at += 1;
        }
        WordList { words, firsts, nexts }
    }

    pub const fn words(&self) -> &'static [&'static str] {
        self.words
    }

    #[inline]
    pub fn has(&self, word: &str) -> bool {
        self.has_on(shelf(word), word)
    }

    /// Returns whether it has a word that would stand on this shelf.
    #[inline]
    pub(super) fn has_on(&self, shelf: usize, word: &str) -> bool {
        let mut place = self.firsts[shelf % SHELVES];
        while let Some(known) = self.words.get(usize::from(place)) {
            if *known == word {
                return true;
            }
            place = self.nexts[usize::from(place) % MOST_WORDS];
        }
        false
    }
}

/// Words of different beginnings or lengths mostly stand on different shelves.
#[inline]
pub(super) const fn shelf(word: &str) -> usize {
    let first = if word.is_empty() { 0 } else { word.as_bytes()[0] };
    ((first & 31) as usize * 5 + word.len()) % SHELVES
}

#[cfg(test)]
#[path = "word_list_tests.rs"]
mod tests;
