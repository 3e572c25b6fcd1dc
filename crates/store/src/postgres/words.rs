//! The words of answers as the server's search knows them: folded, so that the server finds the
//! same words in an answer and in a question.

use crate::search::{SaidAnswer, folded};

/// The longest text that is indexed: the server's index of one text has a limit of its own.
const MOST_CHARACTERS: usize = 200_000;

/// The words of an answer, with single spaces between them.
pub(crate) fn of_answer(said: &SaidAnswer) -> String {
    let SaidAnswer { position, reasoning, key_points } = said;
    let key_points = key_points.as_deref().unwrap_or_default().join("\n");
    let text = [position, reasoning, &key_points].map(String::as_str).join("\n");
    folded(&text).chars().take(MOST_CHARACTERS).collect()
}

/// The question to the index: these words one after the other, the last perhaps unfinished.
pub(crate) fn question(text: &str) -> Option<String> {
    let folded = folded(text);
    let words: Vec<String> = folded.split(' ').map(|word| format!("'{word}'")).collect();
    (!folded.is_empty()).then(|| format!("{}:*", words.join(" <-> ")))
}
