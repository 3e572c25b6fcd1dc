//! The index of words in answers, updated in the same commit as the log. It
//! holds no text, only the places of words; deleting a debate deletes its words.

use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;
use crate::log_row::signed;
use crate::sqlite::script::SqlScript;

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

/// Indexes one entry that the same script has written before.
pub(crate) fn enter(script: &mut SqlScript, id: &str, seq: u64) {
    script.say("INSERT INTO said (debate_id, seq) VALUES (?, ?)").with(id).with(signed(seq));
    script.say(ENTER).with(id).with(signed(seq));
}

/// Removes a debate whose log is still there.
pub(crate) async fn forget(connection: &mut SqliteConnection, id: &str) -> Result<(), StoreError> {
    for sql in [FORGET, "DELETE FROM said WHERE debate_id = $1"] {
        sqlx::query(sql).bind(id).execute(&mut *connection).await?;
    }
    Ok(())
}
