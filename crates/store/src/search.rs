//! Search texts: what a person typed becomes a phrase for the index of words and
//! a pattern for everything else, and can never command either.

use debate::model::Event;
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The kind of event whose words are indexed.
pub(crate) const INDEXED_KIND: &str = "answered";

/// The phrase to look up: the words one after the other, the last perhaps
/// unfinished. `None` where the text has no word the index could know.
pub(crate) fn phrase(text: &str) -> Option<String> {
    // Scripts without spaces between words are one word to the index.
    if text.chars().any(is_unspaced) {
        return None;
    }
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| format!("\"{}\" *", words.join(" ")))
}

/// A `LIKE` pattern that finds the text itself, whatever signs are in it.
pub(crate) fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.to_lowercase().chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// Returns a text in which letters have lost their case and their marks, and everything that is no
/// letter or digit has become a space.
pub(crate) fn folded(text: &str) -> String {
    let plain: String = text
        .nfd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .map(|letter| if letter.is_alphanumeric() { letter } else { ' ' })
        .collect();
    plain.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Tells whether these words stand in a text one after the other, the last perhaps unfinished; both
/// are folded.
pub(crate) fn has_words(folded_text: &str, folded_words: &str) -> bool {
    !folded_words.is_empty()
        && (folded_text.starts_with(folded_words)
            || folded_text.contains(&format!(" {folded_words}")))
}

/// The parts of an answer that are searched.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SaidAnswer {
    pub position: String,
    pub reasoning: String,
    pub key_points: Option<Vec<String>>,
}

impl SaidAnswer {
    /// `None` for an event that is no answer.
    pub(crate) fn of_event(event: &Event) -> Option<SaidAnswer> {
        let Event::Answered { turn, .. } = event else { return None };
        let answer = &turn.answer;
        Some(SaidAnswer {
            position: answer.position.clone(),
            reasoning: answer.reasoning.clone(),
            key_points: Some(answer.key_points.clone()),
        })
    }

    /// Reads them from the text of an event of the kind that is indexed.
    pub(crate) fn of_entry(json: &[u8]) -> Option<SaidAnswer> {
        #[derive(Deserialize)]
        struct AnsweredEntry {
            turn: SaidTurn,
        }
        #[derive(Deserialize)]
        struct SaidTurn {
            answer: SaidAnswer,
        }
        Some(serde_json::from_slice::<AnsweredEntry>(json).ok()?.turn.answer)
    }
}

/// Han, kana, Hangul, Thai, Lao, Khmer, Burmese.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
