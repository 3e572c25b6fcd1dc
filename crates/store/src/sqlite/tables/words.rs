//! The index of words in answers. It writes the same pages again each time, so debates that came to
//! rest wait until they are many, and enter it together, each as one row. Until then their answers
//! are read when a text is looked for. The index holds no text, only the places of words; deleting a
//! debate deletes its words.

mod kept_texts;

use std::sync::Arc;

use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};

use crate::error::StoreError;
use crate::search::{self, INDEXED_KIND, SaidAnswer};
use crate::sqlite::packing::EventUnpacker;
use crate::sqlite::statements::rows;
use crate::sqlite::statements::script::SqlScript;

pub(crate) use kept_texts::KeptTexts;

/// The text of an answer as it is indexed. To take a text out again the index must be given the
/// very same one, so there is one wording of it. An answer that lacks a part has none.
fn indexed_text(said: &SaidAnswer) -> Option<Arc<str>> {
    let SaidAnswer { position, reasoning, key_points } = said;
    let key_points = serde_json::to_string(key_points.as_ref()?).ok()?;
    Some([position, reasoning, &key_points].map(String::as_str).join("\n").into())
}

fn text_of_entry(json: &[u8]) -> Option<Arc<str>> {
    indexed_text(&SaidAnswer::of_entry(json)?)
}

/// So many debates at least enter the index together.
const TOGETHER: i64 = 32;
/// More at once would keep others from writing for long.
const MOST_TOGETHER: i64 = 128;

/// How many debates have come to wait since it was last seen how many do.
pub(crate) struct WaitingCount(i64);

impl Default for WaitingCount {
    /// Earlier processes may have left some.
    fn default() -> WaitingCount {
        WaitingCount(TOGETHER)
    }
}

impl WaitingCount {
    /// Counts a debate if it has come to wait.
    pub(crate) fn add(&mut self, waits: bool) {
        self.0 += i64::from(waits);
    }

    /// Tells whether enough may wait.
    pub(crate) fn is_enough(&self) -> bool {
        self.0 >= TOGETHER
    }

    /// Begins to count anew, if as many as wait were indexed.
    pub(crate) fn looked(&mut self, indexed: u64) {
        self.0 = if indexed > 0 { TOGETHER } else { 0 };
    }
}

/// Has a debate wait until its answers are indexed.
pub(crate) fn wait(script: &mut SqlScript, id: &str) {
    script.say("INSERT OR IGNORE INTO words_waiting (debate_id) VALUES (?)").with(id);
}

/// Indexes debates that wait if they are enough. Returns how many it indexed. One that cannot be
/// read goes on waiting.
pub(crate) async fn enter_waiting(
    connection: &mut SqliteConnection,
    kept: &mut KeptTexts,
) -> Result<u64, StoreError> {
    let query = sqlx::query("SELECT debate_id FROM words_waiting LIMIT $1").bind(MOST_TOGETHER);
    let waiting = query.fetch_all(&mut *connection).await?;
    if (waiting.len() as i64) < TOGETHER {
        return Ok(0);
    }
    let mut entered = 0;
    for row in &waiting {
        let id = row.try_get(0)?;
        match unindexed(connection, kept, id).await {
            Err(error @ StoreError::Corrupt { .. }) => {
                tracing::warn!(%error, "the answers of a debate could not be indexed");
            }
            answers => {
                enter(connection, id, &answers?).await?;
                entered += 1;
            }
        }
    }
    Ok(entered)
}

/// Stands between two answers of one row as a word that no search has: a phrase is not found in the
/// end of one and the beginning of the next.
const BETWEEN: &str = "\n\u{e000}\n";

/// The text of one row of the index: that of one answer after the other.
fn text_of_row(answers: &[Arc<str>]) -> Option<String> {
    (!answers.is_empty()).then(|| answers.join(BETWEEN))
}

/// An answer: its number in the log, and its text if it has one.
type NumberedAnswer = (i64, Option<Arc<str>>);

/// Reads the answers of a debate after an entry.
async fn answers_after(
    connection: &mut SqliteConnection,
    id: &str,
    after: i64,
) -> Result<Vec<NumberedAnswer>, StoreError> {
    let query = sqlx::query(
        "SELECT e.place - (d.number << 32), e.json FROM debates d JOIN events e
             ON e.place > (d.number << 32) + $2 AND e.place < (d.number + 1) << 32
         WHERE d.id = $1 AND e.kind = $3 ORDER BY e.place",
    );
    let query = query.bind(id).bind(after).bind(INDEXED_KIND);
    let mut unpacker = EventUnpacker::default();
    let mut answer = |row: SqliteRow| -> Result<_, StoreError> {
        let json = unpacker.unpack(row.try_get(1)?);
        Ok((row.try_get(0)?, json.and_then(|json| text_of_entry(&json))))
    };
    query.fetch_all(connection).await?.into_iter().map(&mut answer).collect()
}

/// Returns the rows of a debate in the index: the number of each, and that of its last answer.
async fn indexed(
    connection: &mut SqliteConnection,
    id: &str,
) -> Result<Vec<(i64, i64)>, StoreError> {
    let query = sqlx::query("SELECT number, seq FROM said WHERE debate_id = $1 ORDER BY seq");
    let row = |row: SqliteRow| Ok((row.try_get(0)?, row.try_get(1)?));
    query.bind(id).fetch_all(connection).await?.into_iter().map(row).collect()
}

/// Returns the answers of a debate that are not in the index yet: as they are kept or, where one
/// of them is not, read again.
async fn unindexed(
    connection: &mut SqliteConnection,
    kept: &mut KeptTexts,
    id: &str,
) -> Result<Vec<NumberedAnswer>, StoreError> {
    let query = sqlx::query(
        "WITH before AS (SELECT COALESCE(MAX(seq), 0) AS seq FROM said WHERE debate_id = $1)
         SELECT e.place - (d.number << 32), e.hash, b.seq FROM before b JOIN debates d JOIN events e
             ON e.place > (d.number << 32) + b.seq AND e.place < (d.number + 1) << 32
         WHERE d.id = $1 AND e.kind = $2 ORDER BY e.place",
    );
    let rows = query.bind(id).bind(INDEXED_KIND).fetch_all(&mut *connection).await?;
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let before = first.try_get(2)?;
    let mut answers = Vec::with_capacity(rows.len());
    for row in &rows {
        let Some(text) = kept.take(row.try_get(1)?) else {
            return answers_after(connection, id, before).await;
        };
        answers.push((row.try_get(0)?, Some(text)));
    }
    Ok(answers)
}

/// Has answers of a debate that waited enter the index.
async fn enter(
    connection: &mut SqliteConnection,
    id: &str,
    answers: &[NumberedAnswer],
) -> Result<(), StoreError> {
    let mut script = SqlScript::default();
    if let Some((last, _)) = answers.last() {
        let texts: Vec<Arc<str>> = answers.iter().filter_map(|(_, text)| text.clone()).collect();
        script.say("INSERT INTO said (debate_id, seq) VALUES (?, ?)").with(id).with(*last);
        script
            .say("INSERT INTO said_words (rowid, text) VALUES (last_insert_rowid(), ?)")
            .with(text_of_row(&texts));
    }
    script.say("DELETE FROM words_waiting WHERE debate_id = ?").with(id);
    script.run(connection).await
}

/// Removes a debate whose log is still there.
pub(crate) async fn forget(connection: &mut SqliteConnection, id: &str) -> Result<(), StoreError> {
    let mut answers = answers_after(connection, id, 0).await?.into_iter().peekable();
    let mut script = SqlScript::default();
    // Older programs gave each answer a row of its own.
    for (number, last) in indexed(connection, id).await? {
        let mut of_row = Vec::new();
        while let Some((_, text)) = answers.next_if(|(seq, _)| *seq <= last) {
            of_row.extend(text);
        }
        script
            .say("INSERT INTO said_words (said_words, rowid, text) VALUES ('delete', ?, ?)")
            .with(number)
            .with(text_of_row(&of_row));
    }
    script.say("DELETE FROM said WHERE debate_id = ?").with(id);
    script.say("DELETE FROM words_waiting WHERE debate_id = ?").with(id);
    script.run(connection).await
}

/// The answers that are read one by one because the index cannot find a text in them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadAnswers {
    /// Those of debates that are not over or wait for the index.
    NotIndexed,
    /// All answers, with everything in their events: slow, for texts that have no words.
    InAllParts,
}

/// Returns the ids of debates with an answer in which a text stands, as a JSON list.
pub(crate) async fn saying(
    readers: &SqlitePool,
    text: &str,
    answers: ReadAnswers,
) -> Result<String, StoreError> {
    let sql = match answers {
        ReadAnswers::NotIndexed => {
            "SELECT d.id, e.json, d.status = 'completed' FROM debates d JOIN events e
                 ON e.place > d.number << 32 AND e.place < (d.number + 1) << 32
             WHERE d.id IN (SELECT id FROM debates WHERE status <> 'completed'
                 UNION SELECT debate_id FROM words_waiting) AND e.kind = $1
             ORDER BY d.id"
        }
        ReadAnswers::InAllParts => {
            "SELECT d.id, e.json, 1 FROM events e JOIN debates d ON d.number = e.place >> 32
             WHERE e.kind = $1 ORDER BY e.place"
        }
    };
    let (part, words) = (text.to_lowercase(), search::folded(text));
    // In a debate that is over a text is found as the index will find it: by whole words.
    let stands_in = |json: &[u8], is_over: bool| match answers {
        ReadAnswers::NotIndexed => text_of_entry(json).is_some_and(|said| {
            (!is_over && said.to_lowercase().contains(&part))
                || search::has_words(&search::folded(&said), &words)
        }),
        ReadAnswers::InAllParts => String::from_utf8_lossy(json).to_lowercase().contains(&part),
    };
    let mut unpacker = EventUnpacker::default();
    let mut ids: Vec<String> = Vec::new();
    rows::each(readers, sqlx::query(sql).bind(INDEXED_KIND), |row| {
        let id: String = row.try_get(0)?;
        let is_new = ids.last() != Some(&id);
        let is_over = row.try_get(2)?;
        if is_new && unpacker.unpack(row.try_get(1)?).is_some_and(|json| stands_in(&json, is_over))
        {
            ids.push(id);
        }
        Ok(())
    })
    .await?;
    Ok(serde_json::Value::from(ids).to_string())
}
