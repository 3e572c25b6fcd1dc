//! How decisions turned out: records that are only ever added to. What counts is
//! what the last records say; what they said before stays readable. A record
//! outlives its debate, and refuses to be written twice by two people at once.

use std::collections::BTreeMap;

use debate::model::{Day, JudgedDebate, PostMortem, ProgressEntry};
use serde::{Deserialize, Serialize};
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use crate::error::StoreError;
use crate::listing::signed;
use crate::rows::digest;

/// One thing somebody wrote down about a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum OutcomeRecord {
    /// How carrying it out goes.
    Entry { entry: ProgressEntry },
    /// The day on which to ask how it turned out; none takes the last one back.
    AskOn { on: Option<Day> },
    /// The post-mortem, with what is learned from it.
    Assessed { post_mortem: Box<PostMortem>, judged: Box<JudgedDebate> },
    /// An outcome of somebody else's, from a file.
    Imported { judged: Box<JudgedDebate> },
    /// A record of the same debate, by number, that no longer counts.
    Undone { number: u64, reason: String },
}

impl OutcomeRecord {
    pub fn word(&self) -> &'static str {
        match self {
            OutcomeRecord::Entry { .. } => "entry",
            OutcomeRecord::AskOn { .. } => "askOn",
            OutcomeRecord::Assessed { .. } => "assessed",
            OutcomeRecord::Imported { .. } => "imported",
            OutcomeRecord::Undone { .. } => "undone",
        }
    }
}

/// A record as it stands in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Noted {
    pub debate: String,
    pub number: u64,
    /// Milliseconds since 1970.
    pub at: i64,
    pub record: OutcomeRecord,
}

/// A debate that is over, as far as outcomes are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub id: String,
    pub topic: String,
    pub at: i64,
    pub project: Option<String>,
    pub domain: Option<String>,
}

/// A record to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    pub debate: String,
    /// The number of the debate's last record as the writer knows it; 0: none.
    pub after: u64,
    pub record: OutcomeRecord,
}

/// A record made ready to be written.
#[derive(Debug)]
pub(crate) struct Entry {
    id: String,
    expected: u64,
    at: i64,
    kind: &'static str,
    json: String,
}

/// All of them, in one transaction; the number of the last.
pub(crate) async fn write(
    connection: &mut SqliteConnection,
    entries: &[Entry],
) -> Result<u64, StoreError> {
    // Everything is looked at before anything is written: work that is refused
    // leaves nothing behind in the commit it shares with others.
    let mut last: BTreeMap<&str, u64> = BTreeMap::new();
    for entry in entries {
        let found = match last.get(entry.id.as_str()) {
            Some(found) => *found,
            None => entry.last(connection).await?,
        };
        if found != entry.expected {
            let (id, expected) = (entry.id.clone(), entry.expected);
            return Err(StoreError::Conflict { id, expected, found });
        }
        last.insert(&entry.id, found + 1);
    }
    for entry in entries {
        entry.write(connection).await?;
    }
    Ok(entries.last().map_or(0, |entry| entry.expected + 1))
}

impl Entry {
    pub fn of(note: &Note, at: i64) -> Result<Entry, StoreError> {
        let id = &note.debate;
        let unstorable = |why: serde_json::Error| StoreError::Unstorable {
            id: id.clone(),
            why: why.to_string(),
        };
        let json = serde_json::to_string(&note.record).map_err(unstorable)?;
        // A number JSON has no word for is found out now, not when it is needed.
        serde_json::from_str::<OutcomeRecord>(&json).map_err(unstorable)?;
        Ok(Entry { id: id.clone(), expected: note.after, at, kind: note.record.word(), json })
    }

    /// The number of the last record there is.
    async fn last(&self, connection: &mut SqliteConnection) -> Result<u64, StoreError> {
        let last: i64 =
            sqlx::query("SELECT COALESCE(MAX(number), 0) FROM outcomes WHERE debate_id = $1")
                .bind(&self.id)
                .fetch_one(connection)
                .await?
                .try_get(0)?;
        Ok(u64::try_from(last).unwrap_or(0))
    }

    async fn write(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let number = signed(self.expected) + 1;
        sqlx::query(
            "INSERT INTO outcomes (debate_id, number, at, kind, json, hash)
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(&self.id)
        .bind(number)
        .bind(self.at)
        .bind(self.kind)
        .bind(&self.json)
        .bind(hash(&self.id, number, self.at, self.kind, self.json.as_bytes()))
        .execute(connection)
        .await?;
        Ok(())
    }
}

fn hash(id: &str, number: i64, at: i64, kind: &str, json: &[u8]) -> Vec<u8> {
    let (number, at) = (number.to_le_bytes(), at.to_le_bytes());
    digest(&[b"outcome", id.as_bytes(), &number, &at, kind.as_bytes(), json])
}

pub(crate) async fn read(readers: &SqlitePool, id: Option<&str>) -> Result<Vec<Noted>, StoreError> {
    let rows = sqlx::query(
        "SELECT debate_id, number, at, kind, json, hash FROM outcomes
         WHERE $1 IS NULL OR debate_id = $1 ORDER BY at, debate_id, number",
    )
    .bind(id)
    .fetch_all(readers)
    .await?;
    rows.iter().map(noted).collect()
}

fn noted(row: &sqlx::sqlite::SqliteRow) -> Result<Noted, StoreError> {
    let debate: String = row.try_get("debate_id")?;
    let (number, at): (i64, i64) = (row.try_get("number")?, row.try_get("at")?);
    let kind: String = row.try_get("kind")?;
    let json: Vec<u8> = row.try_get("json")?;
    let stored: Vec<u8> = row.try_get("hash")?;
    let seq = u64::try_from(number).unwrap_or(0);
    if hash(&debate, number, at, &kind, &json) != stored {
        let what = "the hash of its outcome record does not match".into();
        return Err(StoreError::Damaged { id: debate, seq, what });
    }
    let record = serde_json::from_slice(&json).map_err(|error| StoreError::Unreadable {
        id: debate.clone(),
        seq,
        why: error.to_string(),
    })?;
    Ok(Noted { debate, number: seq, at, record })
}

pub(crate) async fn finished(readers: &SqlitePool) -> Result<Vec<Finished>, StoreError> {
    // The clerk may have named the domain after the opening.
    let rows = sqlx::query(
        "SELECT d.id, d.topic, d.updated,
             json_extract(o.json, '$.brief.project') AS project,
             COALESCE(json_extract(o.json, '$.brief.domain'),
                 (SELECT json_extract(n.json, '$.domain') FROM events n
                  WHERE n.debate_id = d.id AND n.kind = 'domainNamed')) AS domain
         FROM debates d JOIN events o ON o.debate_id = d.id AND o.seq = 1
         WHERE d.status = 'completed' ORDER BY d.updated DESC, d.id DESC",
    )
    .fetch_all(readers)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(Finished {
                id: row.try_get("id")?,
                topic: row.try_get("topic")?,
                at: row.try_get("updated")?,
                project: row.try_get("project")?,
                domain: row.try_get("domain")?,
            })
        })
        .collect()
}
