//! Decides if two claims say the same. A wording is a claim's words in order,
//! brought to one spelling, and the keys under which a near-identical one is
//! found.
//!
//! Two claims are near-identical when their words are the same in the same order,
//! or when one has a single word more and at least four words are shared (so that
//! four fifths of all words agree). The extra word may not be weighty: a
//! negation, a number, a condition, a quantifier and the like make another claim.
//! A word is never exchanged for another: that refuses "rises" for "falls", and
//! also many honest paraphrases. A claim listed twice is a smaller harm than an
//! agreement that no seat expressed.

use std::borrow::Cow;
use std::hash::Hasher as _;

use siphasher::sip::SipHasher13;
use unicode_normalization::UnicodeNormalization as _;

use crate::model::WordList;

/// Words that must be shared before one more word is overlooked: 4 of 5 is 0.8.
const SHARED_AT_LEAST: usize = 4;

/// Above this many words only the very same wording is matched; a claim has at
/// most 30 tokens, so longer texts are not claims but essays.
const WORDS_AT_MOST: usize = 64;

/// Words shorter than this may not be the one that differs. Negations are short
/// in most languages, and the table below only knows some of them.
const OVERLOOKED_FROM_CHARS: usize = 4;

/// The end of the Latin letters. Other scripts need the very same wording: the
/// table does not know their negations, and some write a whole clause as one
/// word.
const LATIN_ENDS: char = '\u{250}';

/// Words that carry no content in a claim.
#[rustfmt::skip] // a table of words, not of lines
static EMPTY: WordList = WordList::of(&[
    "a", "an", "the", "is", "are", "am", "be", "do", "does", "that", "this", "these", "those",
    "it", "its", "there", "very", "really", "quite", "indeed", "also", "clearly", "basically",
    "simply", "just",
]);

/// Words whose presence makes another claim, in the form [`stem`] leaves.
#[rustfmt::skip] // a table of words, not of lines
static WEIGHTY: WordList = WordList::of(&[
    // negation and denial
    "never", "none", "nobody", "nothing", "nowhere", "neither", "without", "hardly", "barely",
    "scarcely", "seldom", "rarely", "false", "falsely", "wrong", "wrongly", "incorrect",
    "incorrectly", "invalid", "impossible", "doubtful", "doubt", "myth", "deny", "denied",
    "refuse", "refused", "fail", "failed", "failing", "lack", "lacking", "lacked", "stop",
    "stopped", "avoid", "avoided", "prevent", "prevented", "against", "longer", "instead",
    "rather", "except", "despite", "opposite", "reverse", "former", "formerly", "allegedly",
    "supposedly", "illegal", "illogical", "irrelevant", "impractical", "inadequate",
    "insufficient", "zero",
    // quantity and degree
    "every", "each", "some", "most", "mostly", "many", "only", "alway", "sometime", "often",
    "usually", "almost", "nearly", "partly", "partially", "fully", "entirely", "more", "less",
    "least", "fewer", "half", "double", "twice", "both", "either", "once", "three", "four",
    "five", "seven", "eight", "nine", "hundred", "thousand", "million", "billion",
    // condition, time and possibility
    "unless", "when", "while", "until", "before", "after", "than", "could", "might", "must",
    "should", "would", "will", "were", "been", "have", "likely", "probably", "possibly",
    "perhap", "maybe", "currently", "previously",
    // negation in other languages
    "nicht", "kein", "keine", "keinen", "niemal", "ohne", "jamai", "aucun", "aucune", "nunca",
    "jamás", "senza", "niet", "geen", "nooit",
]);

/// Prefixes that turn a word into its opposite.
const OPPOSING: &[&str] = &["un", "non", "dis", "anti", "mis"];

/// Words that only express agreement with, or withdrawal of, a claim named by id,
/// in the form [`stem`] leaves.
#[rustfmt::skip] // a table of words, not of lines
static SPEECH: WordList = WordList::of(&[
    "i", "we", "my", "our", "agree", "agreed", "with", "support", "supported", "hold", "still",
    "stand", "by", "as", "before", "withdraw", "withdrawn", "retract", "retracted", "concede",
    "conceded", "oppose", "opposed", "disagree", "reject", "claim", "to", "see", "per", "on",
    "right", "correct", "true", "valid", "wrong", "false", "not", "no", "longer",
]);

/// One spelling for words that models write in several ways. Each ends in `t`, as
/// few words do, so most words are not looked up.
const SAME: &[(&str, &str)] = &[
    ("percent", "%"),
    ("can't", "can not"),
    ("cannot", "can not"),
    ("cant", "can not"),
    ("won't", "will not"),
    ("wont", "will not"),
    ("isnt", "is not"),
    ("arent", "are not"),
    ("wasnt", "was not"),
    ("werent", "were not"),
    ("doesnt", "does not"),
    ("dont", "do not"),
    ("didnt", "did not"),
    ("shouldnt", "should not"),
    ("couldnt", "could not"),
    ("wouldnt", "would not"),
    ("hasnt", "has not"),
    ("havent", "have not"),
];

/// The mood of a claim: it asserts or asks. A question is never the same as its
/// answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimMood {
    Asserted,
    Asked,
}

/// A claim's wording as the keys under which it is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClaimWording {
    whole: u64,
    /// The wording with one word left out, for each word that may be left out.
    shortened: Vec<u64>,
    says_nothing: bool,
}

impl ClaimWording {
    pub(super) fn of(text: &str, mood: ClaimMood) -> ClaimWording {
        let asked = text.trim_end().ends_with('?') || mood == ClaimMood::Asked;
        let mut hashes = Vec::with_capacity(16);
        let mut spare = Vec::new();
        let mut says_nothing = true;
        for_each_word(text, |word| {
            if !is_weighty(word) {
                spare.push(hashes.len());
            }
            says_nothing = says_nothing && (SPEECH.has(word) || is_claim_id(word));
            hashes.push(hash(word));
        });
        let key = |left_out| key_without(asked, &hashes, left_out);
        let long_enough = hashes.len() > SHARED_AT_LEAST && hashes.len() <= WORDS_AT_MOST;
        let shortened = if long_enough {
            spare.into_iter().map(|place| key(Some(place))).collect()
        } else {
            Vec::new()
        };
        ClaimWording { whole: key(None), shortened, says_nothing }
    }

    /// Returns true if it holds nothing but a claim's id and a word of agreement
    /// or withdrawal.
    pub(super) fn says_nothing(&self) -> bool {
        self.says_nothing
    }

    /// The key of the whole wording.
    pub(super) fn whole(&self) -> u64 {
        self.whole
    }

    /// The keys of this wording with one word left out, for each word that may
    /// be left out.
    pub(super) fn shortened(&self) -> &[u64] {
        &self.shortened
    }

    /// Returns true if the two are near-identical and of the same polarity.
    pub(super) fn repeats(&self, other: &ClaimWording) -> bool {
        self.whole == other.whole
            || self.shortened.contains(&other.whole)
            || other.shortened.contains(&self.whole)
    }
}

fn hash(word: &str) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(0, 0);
    hasher.write(word.as_bytes());
    hasher.finish()
}

/// One key for words in order. Every word is hashed once; a key for each word
/// left out would else cost the square of the words.
fn key_without(asked: bool, hashes: &[u64], left_out: Option<usize>) -> u64 {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let kept = hashes.iter().enumerate().filter(|(place, _)| Some(*place) != left_out);
    kept.fold(u64::from(asked), |key, (_, word)| (key.rotate_left(23) ^ word).wrapping_mul(SPREAD))
}

fn is_weighty(word: &str) -> bool {
    let plain = if word.is_ascii() {
        word.len() >= OVERLOOKED_FROM_CHARS && !word.bytes().any(|byte| byte.is_ascii_digit())
    } else {
        word.chars().take(OVERLOOKED_FROM_CHARS).count() == OVERLOOKED_FROM_CHARS
            && !word.chars().any(|c| c.is_numeric() || c >= LATIN_ENDS)
    };
    !plain || OPPOSING.iter().any(|start| word.starts_with(start)) || WEIGHTY.has(word)
}

fn is_claim_id(word: &str) -> bool {
    word.strip_prefix('c')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Hands over the words of a text in order, one spelling each, without the
/// empty ones.
fn for_each_word(text: &str, mut take: impl FnMut(&str)) {
    let text: String = if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        let lower = text.nfkc().flat_map(char::to_lowercase);
        lower.map(|c| if c == '’' { '\'' } else { c }).collect()
    };
    split(&text, |raw| {
        let word = spelled(raw);
        for part in word.split(' ') {
            if !part.is_empty() && !EMPTY.has(part) {
                take(&stem(part));
            }
        }
    });
}

fn spelled(raw: &str) -> Cow<'_, str> {
    if raw.ends_with('t') {
        if let Some((_, to)) = SAME.iter().find(|(from, _)| *from == raw) {
            return Cow::Borrowed(to);
        }
        if let Some(start) = raw.strip_suffix("n't") {
            return Cow::Owned(format!("{start} not"));
        }
    }
    let raw = raw.strip_suffix("'s").unwrap_or(raw);
    if raw.contains('\'') { Cow::Owned(raw.replace('\'', "")) } else { Cow::Borrowed(raw) }
}

/// Cuts a text into words, numbers and the signs that change what is said.
fn split(text: &str, mut take: impl FnMut(&str)) {
    let at = |place: usize| match text.as_bytes().get(place) {
        Some(byte) if byte.is_ascii() => char::from(*byte),
        Some(_) => text.get(place..).and_then(|rest| rest.chars().next()).unwrap_or(' '),
        None => ' ',
    };
    let mut place = 0;
    let mut before = ' ';
    while place < text.len() {
        let c = at(place);
        let next = place + c.len_utf8();
        let signed = c == '-' && !before.is_alphanumeric() && at(next).is_numeric();
        let end = if c.is_numeric() || signed {
            let end = number_end(next, &at);
            match text.get(place..end).unwrap_or_default() {
                plain if !plain.contains(',') => take(plain),
                grouped => take(&grouped.replace(',', "")),
            }
            end
        } else if c.is_alphabetic() {
            let end = word_end(next, &at);
            take(text.get(place..end).unwrap_or_default());
            end
        } else {
            if says_much(c) && (c != '!' || at(next) == '=') {
                take(text.get(place..next).unwrap_or_default());
            }
            next
        };
        before = text.get(..end).and_then(|done| done.chars().next_back()).unwrap_or(' ');
        place = end;
    }
}

fn number_end(mut place: usize, at: &impl Fn(usize) -> char) -> usize {
    while at(place).is_numeric() || (matches!(at(place), '.' | ',') && at(place + 1).is_numeric()) {
        place += at(place).len_utf8();
    }
    place
}

fn word_end(mut place: usize, at: &impl Fn(usize) -> char) -> usize {
    while at(place).is_alphanumeric()
        || matches!(at(place), '+' | '#')
        || (at(place) == '\'' && at(place + 1).is_alphabetic())
    {
        place += at(place).len_utf8();
    }
    place
}

/// Returns true if a sign changes what is said.
fn says_much(sign: char) -> bool {
    matches!(sign, '%' | '$' | '€' | '£' | '<' | '>' | '=' | '≤' | '≥' | '≠' | '~' | '¬' | '!')
}

/// Brings a plural, a third person and a British ending to one form. Tense is
/// kept: what was true need not be true now.
fn stem(word: &str) -> Cow<'_, str> {
    if word.len() <= 3 || !word.is_ascii() || word.bytes().any(|b| b.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    const KEPT: &[&str] = &["ss", "us", "is"];
    const ENDINGS: &[(&str, &str)] = &[
        ("isations", "ization"),
        ("isation", "ization"),
        ("izations", "ization"),
        ("ised", "ized"),
        ("ising", "izing"),
        ("ises", "ize"),
        ("ise", "ize"),
        ("ours", "or"),
        ("our", "or"),
        ("ies", "y"),
        ("xes", "x"),
        ("sses", "ss"),
    ];
    // The last two letters of these endings, which few words have.
    let last = word.get(word.len() - 2..).unwrap_or_default();
    let may_end = matches!(last, "ns" | "on" | "ed" | "ng" | "es" | "se" | "rs" | "ur");
    for (ending, form) in ENDINGS.iter().filter(|_| may_end) {
        match word.strip_suffix(ending) {
            Some(start) if start.len() >= 2 => return Cow::Owned([start, form].concat()),
            _ => {}
        }
    }
    let single = match word.strip_suffix('s') {
        Some(start) if !KEPT.iter().any(|ending| word.ends_with(ending)) => start,
        _ => word,
    };
    // "caches" and "cache", "matches" and "match" meet only without the last e.
    match single.strip_suffix('e') {
        Some(start) if start.len() >= 4 && start.ends_with('h') => Cow::Borrowed(start),
        _ => Cow::Borrowed(single),
    }
}

#[cfg(test)]
mod tests;
