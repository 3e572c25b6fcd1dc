//! The language of a debate: the one that was set, or the topic's own, told by its
//! letters and its smallest words.

use super::word_list::{SHELVES, WordList, shelf};

/// A language that can be told from others.
#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    /// The tag that documents carry.
    pub code: &'static str,
    /// The name in English, for prompts.
    pub name: &'static str,
    /// The name that its speakers use.
    pub own: &'static str,
    /// True if it is written from right to left.
    pub is_rtl: bool,
    /// Words that most sentences have and other languages have not.
    words: WordList,
}

const fn row(
    code: &'static str,
    name: &'static str,
    own: &'static str,
    words: &'static [&'static str],
) -> Language {
    Language { code, name, own, is_rtl: false, words: WordList::of(words) }
}

const fn rtl(code: &'static str, name: &'static str, own: &'static str) -> Language {
    Language { code, name, own, is_rtl: true, words: WordList::of(&[]) }
}

#[rustfmt::skip] // One row per language reads best.
static LANGUAGES: [Language; 20] = [
    row("en", "English", "English", &["the", "a", "an", "is", "are", "should", "we", "what", "which", "how", "of", "or", "and", "to", "do", "does", "will", "would", "it", "this", "that", "for", "with", "our", "my", "be", "can", "why", "when", "who", "than"]),
    row("de", "German", "Deutsch", &["der", "die", "das", "ist", "sind", "sollen", "sollten", "soll", "wir", "was", "welche", "welcher", "welches", "wie", "und", "oder", "ein", "eine", "einen", "zu", "mit", "nicht", "wird", "werden", "unsere", "unser", "mein", "von", "auf", "warum", "wann", "wer", "ich", "es"]),
    row("fr", "French", "français", &["le", "la", "les", "est", "sont", "nous", "quel", "quelle", "comment", "et", "ou", "un", "une", "des", "du", "faut", "il", "devrions", "pour", "avec", "pourquoi", "que", "notre"]),
    row("es", "Spanish", "español", &["el", "los", "las", "es", "son", "debemos", "deberíamos", "qué", "cuál", "cómo", "y", "un", "una", "del", "para", "con", "nuestro", "nuestra", "por", "que"]),
    row("it", "Italian", "italiano", &["il", "lo", "gli", "è", "sono", "dobbiamo", "dovremmo", "quale", "come", "e", "un", "una", "della", "per", "con", "nostro", "perché", "che", "di"]),
    row("pt", "Portuguese", "português", &["o", "os", "as", "é", "são", "devemos", "deveríamos", "qual", "como", "e", "ou", "um", "uma", "do", "da", "para", "com", "nosso", "nossa", "que"]),
    row("nl", "Dutch", "Nederlands", &["het", "de", "een", "is", "zijn", "moeten", "we", "wat", "welke", "hoe", "en", "of", "van", "voor", "met", "onze", "niet", "waarom"]),
    row("pl", "Polish", "polski", &["czy", "jest", "są", "powinniśmy", "co", "który", "która", "jak", "i", "lub", "na", "w", "z", "nie", "dla", "nasz", "dlaczego"]),
    row("sv", "Swedish", "svenska", &["är", "ska", "bör", "vi", "vad", "vilken", "hur", "och", "eller", "en", "ett", "att", "för", "med", "inte", "vår", "varför"]),
    row("tr", "Turkish", "Türkçe", &["mi", "mı", "bir", "ve", "veya", "ne", "nasıl", "için", "ile", "bu", "biz", "hangi", "neden"]),
    row("ja", "Japanese", "日本語", &[]),
    row("zh", "Chinese", "中文", &[]),
    row("ko", "Korean", "한국어", &[]),
    row("ru", "Russian", "русский", &[]),
    row("uk", "Ukrainian", "українська", &[]),
    row("el", "Greek", "ελληνικά", &[]),
    row("hi", "Hindi", "हिन्दी", &[]),
    row("th", "Thai", "ไทย", &[]),
    rtl("ar", "Arabic", "العربية"),
    rtl("he", "Hebrew", "עברית"),
];

/// For each shelf of words a bit for each language that has a word on it.
static SPEAKERS: [u32; SHELVES] = {
    let mut speakers = [0; SHELVES];
    let mut language = 0;
    while language < LANGUAGES.len() {
        let words = LANGUAGES[language].words.words();
        let mut at = 0;
        while at < words.len() {
            speakers[shelf(words[at])] |= 1 << language;
            at += 1;
        }
        language += 1;
    }
    speakers
};

/// Stands for the language where it cannot be told.
pub const OWN_LANGUAGE: &str = "the language of the question";
/// The language of the prompts themselves.
pub const ENGLISH: &str = "English";

/// Letters that belong to one language, or to the one most often written with them.
/// The first row that the text has a letter of decides.
#[rustfmt::skip]
const LETTERS: [(&str, u32, u32); 10] = [
    ("ja", 0x3040, 0x30ff), ("ko", 0xac00, 0xd7af), ("zh", 0x4e00, 0x9fff), ("ar", 0x0600, 0x06ff),
    ("he", 0x0590, 0x05ff), ("hi", 0x0900, 0x097f), ("th", 0x0e00, 0x0e7f), ("el", 0x0370, 0x03ff),
    ("uk", 0x0490, 0x0491), ("ru", 0x0400, 0x04ff),
];

impl Language {
    /// Finds a language by its tag or by one of its names, in any case.
    pub fn find(given: &str) -> Option<&'static Language> {
        let given = given.trim().to_lowercase();
        let tag = given.split(['-', '_']).next().unwrap_or_default();
        LANGUAGES.iter().find(|one| {
            one.code == tag || one.name.to_lowercase() == given || one.own.to_lowercase() == given
        })
    }

    /// Tells the language of a text; `None` where it cannot be told.
    pub fn of(text: &str) -> Option<&'static Language> {
        let has = |(_, first, last): &&(&str, u32, u32)| {
            text.chars().any(|letter| (*first..=*last).contains(&(letter as u32)))
        };
        if !text.is_ascii()
            && let Some((code, ..)) = LETTERS.iter().find(has)
        {
            return Language::find(code);
        }
        let lower = text.to_lowercase();
        let mut hits = [0; LANGUAGES.len()];
        for word in lower.split(|letter: char| !letter.is_alphabetic()) {
            let shelf = shelf(word);
            let mut left = SPEAKERS[shelf];
            while left != 0 {
                let language = left.trailing_zeros() as usize;
                hits[language] += usize::from(LANGUAGES[language].words.has_on(shelf, word));
                left &= left - 1;
            }
        }
        let most = hits.iter().copied().max().filter(|hits| *hits > 0)?;
        let mut found = LANGUAGES.iter().zip(hits).filter(|(_, hits)| *hits == most);
        // Where two have the most, it cannot be told.
        found.next().filter(|_| found.next().is_none()).map(|(one, _)| one)
    }

    /// Returns whether the quick safety checks and the words of polarity know it.
    pub fn has_cues(&self) -> bool {
        ["en", "de"].contains(&self.code)
    }
}

#[cfg(test)]
#[path = "language_tests.rs"]
mod tests;
