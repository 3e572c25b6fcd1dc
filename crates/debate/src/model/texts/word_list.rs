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

/// A list of words.
#[derive(Debug, PartialEq, Eq)]
pub struct WordList {
    words: &'static [&'static str],
    mask: WordMask,
}

impl WordList {
    pub const fn of(words: &'static [&'static str]) -> WordList {
        let mut mask = WordMask::EMPTY;
        let mut at = 0;
        while at < words.len() {
            mask = mask.with(words[at]);
            at += 1;
        }
        WordList { words, mask }
    }

    pub fn words(&self) -> &'static [&'static str] {
        self.words
    }

    #[inline]
    pub fn has(&self, word: &str) -> bool {
        self.mask.may_have(word) && self.words.contains(&word)
    }
}

#[cfg(test)]
#[path = "word_list_tests.rs"]
mod tests;
