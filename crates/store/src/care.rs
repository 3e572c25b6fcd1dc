//! Looking after the file: checks, backups, restoring. A check reports all it
//! finds and changes nothing; a copy is complete and on the disk, or not there.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{ConnectOptions, Connection, Row};

use crate::error::StoreError;
use crate::file::{self, Published};
use crate::listing::{Change, Listed};
use crate::{costs, outcomes, reading, schema};

/// One thing found wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The debate it is in; `None`: the file's own structure.
    pub debate: Option<String>,
    pub what: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.debate {
            Some(id) => write!(f, "debate {id}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

pub(crate) async fn quick_check(readers: &SqlitePool) -> Result<(), StoreError> {
    let found = complaints(readers, "PRAGMA quick_check").await?;
    match found.into_iter().next() {
        None => Ok(()),
        Some(what) => Err(StoreError::Corrupt { what }),
    }
}

/// What SQLite itself has to complain about.
async fn complaints(readers: &SqlitePool, pragma: &'static str) -> Result<Vec<String>, StoreError> {
    let rows = match asked_anew(readers, pragma).await {
        Ok(rows) => rows,
        // Too damaged even for the check.
        Err(StoreError::Corrupt { what }) => return Ok(vec![what]),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for row in rows {
        let said: Vec<u8> = row.try_get(0)?;
        let said = String::from_utf8_lossy(&said).into_owned();
        if said != "ok" {
            found.push(said);
        }
    }
    Ok(found)
}

/// On a connection of its own: the check of the index of words believes what its
/// connection remembers of the index, and takes for damage what others have
/// rearranged since.
async fn asked_anew(
    readers: &SqlitePool,
    pragma: &'static str,
) -> Result<Vec<SqliteRow>, StoreError> {
    let mut connection = readers.connect_options().connect().await?;
    let rows = sqlx::query(pragma).fetch_all(&mut connection).await?;
    connection.close().await?;
    Ok(rows)
}

pub(crate) async fn check(readers: &SqlitePool) -> Result<Vec<Damage>, StoreError> {
    let mut damages: Vec<Damage> = complaints(readers, "PRAGMA integrity_check")
        .await?
        .into_iter()
        .map(|what| Damage { debate: None, what })
        .collect();
    let debates = match debates(readers).await {
        Ok(debates) => debates,
        Err(StoreError::Corrupt { what }) => {
            damages.push(Damage { debate: None, what });
            return Ok(damages);
        }
        Err(error) => return Err(error),
    };
    match costs::discrepancies(readers).await {
        Ok(found) => damages.extend(found.into_iter().map(|what| Damage { debate: None, what })),
        Err(StoreError::Corrupt { what }) => damages.push(Damage { debate: None, what }),
        Err(error) => return Err(error),
    }
    match outcomes::read(readers, None).await {
        Ok(_) => {}
        Err(error @ (StoreError::Damaged { .. } | StoreError::Unreadable { .. })) => {
            damages.push(Damage { debate: None, what: error.to_string() });
        }
        Err(StoreError::Corrupt { what }) => damages.push(Damage { debate: None, what }),
        Err(error) => return Err(error),
    }
    for (id, listed) in debates {
        if let Some(what) = check_debate(readers, &id, listed).await? {
            damages.push(Damage { debate: Some(id), what });
        }
    }
    Ok(damages)
}

/// All debates by id, and those of which only events are left.
async fn debates(readers: &SqlitePool) -> Result<BTreeMap<String, Option<Listed>>, StoreError> {
    let mut debates = BTreeMap::new();
    for row in sqlx::query("SELECT * FROM debates").fetch_all(readers).await? {
        match Listed::read(&row) {
            Ok(listed) => debates.insert(listed.id.clone(), Some(listed)),
            Err(place) => debates.insert(place.id, None),
        };
    }
    for row in sqlx::query("SELECT DISTINCT debate_id FROM events").fetch_all(readers).await? {
        debates.entry(row.try_get(0)?).or_insert(None);
    }
    Ok(debates)
}

async fn check_debate(
    readers: &SqlitePool,
    id: &str,
    listed: Option<Listed>,
) -> Result<Option<String>, StoreError> {
    let Some(listed) = listed else {
        return Ok(Some("its row in the listing is damaged or missing".into()));
    };
    let log = match reading::log_after(readers, id, 0).await {
        Ok(log) => log,
        Err(
            error @ (StoreError::Damaged { .. }
            | StoreError::Unreadable { .. }
            | StoreError::Corrupt { .. }
            | StoreError::Unknown { .. }),
        ) => return Ok(Some(error.to_string())),
        Err(error) => return Err(error),
    };
    // A writer may have gone on since the listing was read.
    let log = log.into_iter().take_while(|entry| entry.seq <= listed.last_seq);
    let events: Vec<_> = log.map(|entry| entry.event).collect();
    let made_again = Change::of(&events).begin(id, listed.created);
    let same = made_again.is_some_and(|again| {
        (again.topic, again.status, again.rounds_done, again.cost_micro)
            == (listed.topic, listed.status, listed.rounds_done, listed.cost_micro)
    });
    Ok((!same).then(|| "its row in the listing does not fit its log".into()))
}

/// What a copy is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// A single file that can be read even where nothing can be written.
    Away,
    /// A database to work with.
    InUse,
}

/// A complete copy of a database at a new place. What was committed before the
/// call is in it.
pub(crate) async fn copy(from: &Path, to: &Path, kept: Kept) -> Result<(), StoreError> {
    let occupied = || StoreError::Occupied { path: to.to_owned() };
    if to.try_exists().map_err(|error| StoreError::io("looking for the copy", &error))? {
        return Err(occupied());
    }
    file::make_home(to)?;
    let draft = file::draft(to)?;
    match fill(from, &draft, kept).await {
        Ok(()) => match file::publish(&draft, to)? {
            Published::Now => Ok(()),
            Published::NameTaken => Err(occupied()),
        },
        Err(error) => {
            file::discard(&draft);
            Err(error)
        }
    }
}

async fn fill(from: &Path, draft: &Path, kept: Kept) -> Result<(), StoreError> {
    vacuum(from, draft).await?;
    match kept {
        Kept::Away => Ok(()),
        Kept::InUse => schema::settle(draft).await,
    }
}

async fn vacuum(from: &Path, draft: &Path) -> Result<(), StoreError> {
    let Some(name) = draft.to_str() else {
        return Err(StoreError::Io { what: format!("{} is not a name in UTF-8", draft.display()) });
    };
    let mut connection: SqliteConnection = schema::reader_options(from).connect().await?;
    sqlx::query("VACUUM INTO $1").bind(name).execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}
