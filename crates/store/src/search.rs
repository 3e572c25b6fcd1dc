//! Finding debates by what was said in them: an index of words, kept from the
//! log in the same commit as the log is. It holds no text, only where words
//! stand; what is deleted from the log is deleted from it.

use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::listing::signed;
use crate::script::Script;

/// The events whose words are kept.
pub(crate) const KIND: &str = "answered";

/// The text of an entry as it is indexed. To take a text out again the index
/// must be given the very same one, so there is one wording of it.
macro_rules! text {
    () => {
        "json_extract(e.json, '$.turn.answer.position') || char(10) ||
         json_extract(e.json, '$.turn.answer.reasoning') || char(10) ||
         json_extract(e.json, '$.turn.answer.keyPoints')"
    };
}

const ENTER: &str = concat!(
    "INSERT INTO said_words (rowid, text) SELECT s.number, ",
    text!(),
    " FROM said s JOIN events e ON e.debate_id = s.debate_id AND e.seq = s.seq
      WHERE s.debate_id = ? AND s.seq = ?"
);

const FORGET: &str = concat!(
    "INSERT INTO said_words (said_words, rowid, text) SELECT 'delete', s.number, ",
    text!(),
    " FROM said s JOIN events e ON e.debate_id = s.debate_id AND e.seq = s.seq
      WHERE s.debate_id = $1 AND json_valid(e.json)"
);

/// Takes in one entry that is written by the same script, before this.
pub(crate) fn enter(script: &mut Script, id: &str, seq: u64) {
    script.say("INSERT INTO said (debate_id, seq) VALUES (?, ?)").with(id).with(signed(seq));
    script.say(ENTER).with(id).with(signed(seq));
}

/// Takes out a debate whose log is still there.
pub(crate) async fn forget(connection: &mut SqliteConnection, id: &str) -> Result<(), StoreError> {
    for sql in [FORGET, "DELETE FROM said WHERE debate_id = $1"] {
        sqlx::query(sql).bind(id).execute(&mut *connection).await?;
    }
    Ok(())
}

/// What to look for: the words one after the other, the last perhaps only
/// begun. `None` where the text has no word the index could know.
pub(crate) fn phrase(text: &str) -> Option<String> {
    // Scripts without spaces between words are one word to the index.
    if text.chars().any(is_unspaced) {
        return None;
    }
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| format!("\"{}\" *", words.join(" ")))
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
