//! The answer of a person, who writes as people do: what they think first, then why.

use super::super::values::first_sentence;
use super::super::{ExpectedAnswer, MAX_POSITION, Reading, RepairChance};
use super::values::{cannot_say, choice_in};
use super::{AnswerTexts, lines, read_parts};

/// The signs after which a person begins to give reasons.
const PARTS: [char; 7] = [',', ';', ':', '.', '–', '—', '\n'];

/// Reads a person's answer. It is never sent back for a field that it lacks.
pub fn read_person(text: &str, expected: &ExpectedAnswer<'_>) -> Reading {
    let texts = AnswerTexts { working: text, ..AnswerTexts::default() };
    let mut reading = read_parts(texts, expected, RepairChance::Last);
    let words: Vec<&str> = text.lines().filter(|line| !lines::is_closing(line)).collect();
    let words = words.join("\n").trim().to_owned();
    let answer = &mut reading.answer;
    if answer.answer.is_none() && answer.cannot_say.is_none() {
        let said = [words.as_str(), words.split(PARTS).next().unwrap_or_default()];
        answer.answer = said.iter().find_map(|said| choice_in(said, expected.question));
        if answer.answer.is_none() {
            answer.cannot_say = cannot_say(&words).filter(|_| expected.question.is_closed());
        }
    }
    if !words.is_empty() {
        answer.position = first_sentence(&words, MAX_POSITION);
        answer.reasoning = words;
    }
    answer.unstructured = false;
    reading.notes.clear();
    reading.missing.clear();
    reading
}
