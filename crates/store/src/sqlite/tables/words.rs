//! The index of words in answers. A debate's answers enter it together, in the commit
//! that ends or pauses the debate: the index writes the same pages again each time. It
//! holds no text, only the places of words; deleting a debate deletes its words.

use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::sqlite::script::SqlScript;

/// The text of an entry as it is indexed. To take a text out again the index
/// must be given the very same one, so there is one wording of it.
macro_rules! indexed_text {
    () => {
        "json_extract(e.json, '$.turn.answer.position') || char(10) ||
         json_extract(e.json, '$.turn.answer.reasoning') || char(10) ||
         json_extract(e.json, '$.turn.answer.keyPoints')"
    };
}
pub(super) use indexed_text;

const NUMBER: &str = "INSERT INTO said (debate_id, seq)
    SELECT e.debate_id, e.seq FROM events e
    WHERE e.debate_id = ? AND e.kind = 'answered' AND NOT EXISTS (
        SELECT 1 FROM said s WHERE s.debate_id = e.debate_id AND s.seq = e.seq)
    ORDER BY e.seq";

const ENTER: &str = concat!(
    "INSERT INTO said_words (rowid, text) SELECT s.number, ",
    indexed_text!(),
    " FROM said s JOIN events e ON e.debate_id = s.debate_id AND e.seq = s.seq
      WHERE s.debate_id = ? AND NOT EXISTS (
          SELECT 1 FROM said_words w WHERE w.rowid = s.number)"
);

const FORGET: &str = concat!(
    "INSERT INTO said_words (said_words, rowid, text) SELECT 'delete', s.number, ",
    indexed_text!(),
    " FROM said s JOIN events e ON e.debate_id = s.debate_id AND e.seq = s.seq
      WHERE s.debate_id = $1 AND json_valid(e.json)"
);

/// Indexes all answers of a debate that are not in the index yet.
pub(crate) fn enter(script: &mut SqlScript, id: &str) {
    script.say(NUMBER).with(id);
    script.say(ENTER).with(id);
}

/// Removes a debate whose log is still there.
pub(crate) async fn forget(connection: &mut SqliteConnection, id: &str) -> Result<(), StoreError> {
    for sql in [FORGET, "DELETE FROM said WHERE debate_id = $1"] {
        sqlx::query(sql).bind(id).execute(&mut *connection).await?;
    }
    Ok(())
}
