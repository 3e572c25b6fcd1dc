//! Reading: a debate's log, finding one by the beginning of its id, listings,
//! and commands that wait. Readers have connections of their own that cannot
//! write, so they never wait for the writer.

use std::path::Path;

use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{ConnectOptions, Row};

use crate::error::{Candidate, StoreError};
use crate::listing::{Listed, Place, signed};
use crate::rows::{self, Recorded, Sealed};
use crate::schema;
use crate::search;
use crate::work::{Command, Fate, Sent, command_hash};

const DEFAULT_LIMIT: u32 = 50;
const MOST_CANDIDATES: u32 = 5;

/// Which debates to list, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListFilter {
    pub status: Option<String>,
    pub mode: Option<String>,
    /// Looked for in topic, agents and project, whatever the case, and as words
    /// in everything that was answered.
    pub text: Option<String>,
    /// Part of an agent's name, or of `provider/model`.
    pub agent: Option<String>,
    /// Begun at this moment or later.
    pub since: Option<i64>,
    /// Begun before this moment.
    pub until: Option<i64>,
    /// 50 where none is given.
    pub limit: Option<u32>,
    /// Only what comes after this one in the listing: [`Listed::place`].
    pub before: Option<Place>,
}

pub(crate) async fn log_after(
    readers: &SqlitePool,
    id: &str,
    after: u64,
) -> Result<Vec<Recorded>, StoreError> {
    entries_after(readers, id, after, rows::read).await
}

/// The whole log as it is stored.
pub(crate) async fn sealed_log(readers: &SqlitePool, id: &str) -> Result<Vec<Sealed>, StoreError> {
    entries_after(readers, id, 0, rows::read_sealed).await
}

async fn entries_after<T>(
    readers: &SqlitePool,
    id: &str,
    after: u64,
    read: fn(&str, u64, &SqliteRow) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    // One statement, one snapshot: what the listing says is the last entry must
    // be the last one here.
    let found = sqlx::query(
        "SELECT d.last_seq, e.seq, e.at, e.kind, e.json, e.hash
         FROM debates d LEFT JOIN events e ON e.debate_id = d.id AND e.seq > $2
         WHERE d.id = $1 ORDER BY e.seq",
    )
    .bind(id)
    .bind(signed(after))
    .fetch_all(readers)
    .await?;
    let Some(first) = found.first() else {
        return Err(unknown(readers, id).await?);
    };
    let last: i64 = first.try_get("last_seq")?;
    let last = u64::try_from(last).unwrap_or(0);
    let mut log = Vec::with_capacity(found.len());
    for (seq, row) in (after + 1..).zip(found.iter().filter(|row| !is_empty(row))) {
        log.push(read(id, seq, row)?);
    }
    let end = after + log.len() as u64;
    if end < last {
        return Err(StoreError::Damaged {
            id: id.into(),
            seq: end + 1,
            what: "it is missing".into(),
        });
    }
    if log.len() as u64 > last.saturating_sub(after) {
        return Err(StoreError::Damaged {
            id: id.into(),
            seq: last + 1,
            what: "it should not be there".into(),
        });
    }
    Ok(log)
}

/// The row a debate without (further) events still has in the join.
fn is_empty(row: &SqliteRow) -> bool {
    use sqlx::ValueRef;
    row.try_get_raw("seq").map_or(true, |seq| seq.is_null())
        && row.try_get_raw("json").map_or(true, |json| json.is_null())
}

pub(crate) async fn get(readers: &SqlitePool, id: &str) -> Result<Listed, StoreError> {
    let row =
        sqlx::query("SELECT * FROM debates WHERE id = $1").bind(id).fetch_optional(readers).await?;
    match row {
        Some(row) => Ok(listed(&row)),
        None => Err(unknown(readers, id).await?),
    }
}

/// The debate with this id, or the only one whose id begins so.
pub(crate) async fn find(readers: &SqlitePool, asked: &str) -> Result<Listed, StoreError> {
    let start = asked.trim().to_lowercase();
    if start.is_empty() {
        return Err(unknown(readers, asked).await?);
    }
    // The greatest character ends the range of all ids that begin so.
    let rows =
        sqlx::query("SELECT * FROM debates WHERE id >= $1 AND id <= $2 ORDER BY id LIMIT $3")
            .bind(&start)
            .bind(format!("{start}\u{10FFFF}"))
            .bind(i64::from(MOST_CANDIDATES))
            .fetch_all(readers)
            .await?;
    let mut found: Vec<Listed> = rows.iter().map(listed).collect();
    if let Some(exact) = found.iter().position(|debate| debate.id == start) {
        return Ok(found.swap_remove(exact));
    }
    match found.len() {
        0 => Err(unknown(readers, asked).await?),
        1 => Ok(found.swap_remove(0)),
        _ => {
            let candidates = found.into_iter().map(candidate).collect();
            Err(StoreError::Ambiguous { asked: asked.into(), candidates })
        }
    }
}

/// The answer to an id that does not exist: what does.
pub(crate) async fn unknown(readers: &SqlitePool, asked: &str) -> Result<StoreError, StoreError> {
    let filter = ListFilter { limit: Some(MOST_CANDIDATES), ..ListFilter::default() };
    let recent = list(readers, &filter).await?.into_iter().map(candidate).collect();
    Ok(StoreError::Unknown { asked: asked.into(), recent })
}

fn candidate(debate: Listed) -> Candidate {
    Candidate { id: debate.id, topic: debate.topic }
}

fn listed(row: &SqliteRow) -> Listed {
    Listed::read(row).unwrap_or_else(Listed::damaged)
}

macro_rules! listing {
    ($said:literal) => {
        concat!(
            "SELECT * FROM debates d
             WHERE created <= $1 AND (created < $1 OR id < $2)
               AND ($3 IS NULL OR status = $3)
               AND ($4 IS NULL OR mode = $4)
               AND ($5 IS NULL OR words LIKE $5 ESCAPE '\\'",
            $said,
            ")
               AND ($6 IS NULL OR created >= $6)
               AND ($7 IS NULL OR created < $7)
               AND ($8 IS NULL OR agents LIKE $8 ESCAPE '\\' OR EXISTS (
                   SELECT 1 FROM parties p WHERE p.debate_id = d.id
                   AND p.provider || '/' || p.model LIKE $8 ESCAPE '\\'))
             ORDER BY created DESC, id DESC LIMIT $9"
        )
    };
}

/// By what is in the row alone.
const LIST: &str = listing!("");
/// Also by the words of the answers.
const LIST_SAID: &str = listing!(
    " OR id IN (SELECT s.debate_id FROM said s WHERE s.number IN (
          SELECT rowid FROM said_words WHERE said_words MATCH $10))"
);
/// Also by any part of the answers: slow, for texts that have no words.
const LIST_PARTS: &str = listing!(
    " OR id IN (SELECT e.debate_id FROM events e
          WHERE e.kind = 'answered' AND e.json LIKE $5 ESCAPE '\\')"
);

pub(crate) async fn list(
    readers: &SqlitePool,
    filter: &ListFilter,
) -> Result<Vec<Listed>, StoreError> {
    let (created, id) = match &filter.before {
        Some(place) => (place.created, place.id.as_str()),
        None => (i64::MAX, ""),
    };
    let phrase = filter.text.as_deref().and_then(search::phrase);
    let sql = match (&filter.text, &phrase) {
        (None, _) => LIST,
        (Some(_), Some(_)) => LIST_SAID,
        (Some(text), None) if text.chars().any(char::is_alphanumeric) => LIST_PARTS,
        (Some(_), None) => LIST,
    };
    let query = sqlx::query(sql)
        .bind(created)
        .bind(id)
        .bind(&filter.status)
        .bind(&filter.mode)
        .bind(filter.text.as_deref().map(pattern))
        .bind(filter.since)
        .bind(filter.until)
        .bind(filter.agent.as_deref().map(pattern))
        .bind(i64::from(filter.limit.unwrap_or(DEFAULT_LIMIT)));
    let query = match phrase {
        Some(phrase) => query.bind(phrase),
        None => query,
    };
    Ok(query.fetch_all(readers).await?.iter().map(listed).collect())
}

/// A pattern that finds the text itself, whatever signs are in it.
fn pattern(text: &str) -> String {
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

/// Debates that should be running and that nobody runs, oldest first.
pub(crate) async fn unattended(readers: &SqlitePool, now: i64) -> Result<Vec<String>, StoreError> {
    let rows = sqlx::query(
        "SELECT d.id FROM debates d LEFT JOIN runs r ON r.debate_id = d.id
         WHERE d.status = 'active'
           AND (r.owner IS NULL OR r.lease_until <= $1)
         ORDER BY d.created, d.id",
    )
    .bind(now)
    .fetch_all(readers)
    .await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Debates that should be running and that somebody runs, with who it is.
pub(crate) async fn attended(
    readers: &SqlitePool,
    now: i64,
) -> Result<Vec<(String, String)>, StoreError> {
    let rows = sqlx::query(
        "SELECT d.id, r.owner FROM debates d JOIN runs r ON r.debate_id = d.id
         WHERE d.status = 'active' AND r.owner IS NOT NULL AND r.lease_until > $1
         ORDER BY d.created, d.id",
    )
    .bind(now)
    .fetch_all(readers)
    .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// Who holds the right to run a debate at `now`.
pub(crate) async fn runner_of(
    readers: &SqlitePool,
    id: &str,
    now: i64,
) -> Result<Option<String>, StoreError> {
    let row = sqlx::query("SELECT owner FROM runs WHERE debate_id = $1 AND lease_until > $2")
        .bind(id)
        .bind(now)
        .fetch_optional(readers)
        .await?;
    Ok(row.map(|row| row.try_get::<Option<String>, _>(0)).transpose()?.flatten())
}

/// Commands nobody has obeyed yet, of one debate or of all, in order.
pub(crate) async fn pending(
    readers: &SqlitePool,
    id: Option<&str>,
) -> Result<Vec<Sent>, StoreError> {
    let rows = sqlx::query(
        "SELECT debate_id, number, at, kind, text, hash FROM commands
         WHERE handled = 0 AND ($1 IS NULL OR debate_id = $1) ORDER BY debate_id, number",
    )
    .bind(id)
    .fetch_all(readers)
    .await?;
    rows.iter().map(sent).collect()
}

pub(crate) async fn fate(readers: &SqlitePool, id: &str, number: u64) -> Result<Fate, StoreError> {
    let row =
        sqlx::query("SELECT handled, refusal FROM commands WHERE debate_id = $1 AND number = $2")
            .bind(id)
            .bind(signed(number))
            .fetch_optional(readers)
            .await?;
    let Some(row) = row else {
        return Err(unknown(readers, id).await?);
    };
    let (handled, refusal): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
    Ok(match (handled, refusal.is_empty()) {
        (0, _) => Fate::Waiting,
        (_, true) => Fate::Obeyed,
        (_, false) => Fate::Refused(refusal),
    })
}

/// Tells whether anybody, this process included, has written since it was last
/// asked. It reads no table, so asking often costs next to nothing.
#[derive(Debug)]
pub struct Changes {
    connection: SqliteConnection,
    seen: Option<i64>,
}

impl Changes {
    pub(crate) async fn open(path: &Path) -> Result<Changes, StoreError> {
        let connection = schema::reader_options(path).connect().await?;
        Ok(Changes { connection, seen: None })
    }

    /// True the first time.
    pub async fn since_last(&mut self) -> Result<bool, StoreError> {
        let row = sqlx::query("PRAGMA data_version").fetch_one(&mut self.connection).await?;
        let version: i64 = row.try_get(0)?;
        Ok(self.seen.replace(version) != Some(version))
    }
}

/// A damaged command is refused: nobody must obey what nobody said.
fn sent(row: &SqliteRow) -> Result<Sent, StoreError> {
    let id: String = row.try_get("debate_id")?;
    let number: i64 = row.try_get("number")?;
    let at: i64 = row.try_get("at")?;
    let kind: String = row.try_get("kind")?;
    let text: String = row.try_get("text")?;
    let hash: Vec<u8> = row.try_get("hash")?;
    if command_hash(&id, number, at, &kind, &text) != hash {
        return Err(StoreError::Corrupt { what: format!("command {number} of debate {id}") });
    }
    let command = Command::from_row(&kind, text)
        .ok_or_else(|| StoreError::Corrupt { what: format!("a command {kind:?} is not known") })?;
    Ok(Sent { id, number: u64::try_from(number).unwrap_or(0), at, command })
}
