//! Checks of the whole database. They report everything they find and change
//! nothing.

use std::collections::BTreeMap;

use sqlx::sqlite::{SqlitePool, SqliteRow};
use sqlx::{ConnectOptions, Connection, Row};

use super::statements::rows;
use super::tables::{calls, debates, events, outcomes};
use crate::error::{Damage, StoreError};
use crate::listing::{ListedDebate, RowChange};
use crate::people::Reach;

pub(crate) async fn quick_check(readers: &SqlitePool) -> Result<(), StoreError> {
    let found = complaints(readers, "PRAGMA quick_check").await?;
    match found.into_iter().next() {
        None => Ok(()),
        Some(what) => Err(StoreError::Corrupt { what }),
    }
}

/// The complaints of SQLite itself.
async fn complaints(readers: &SqlitePool, pragma: &'static str) -> Result<Vec<String>, StoreError> {
    let rows = match asked_anew(readers, pragma).await {
        Ok(rows) => rows,
        // Too damaged even for the check.
        Err(StoreError::Corrupt { what }) => return Ok(vec![what]),
        Err(error @ StoreError::Crashed) => return Ok(vec![error.to_string()]),
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
    connection.ping().await?;
    connection.close().await?;
    Ok(rows)
}

pub(crate) async fn check(readers: &SqlitePool) -> Result<Vec<Damage>, StoreError> {
    let mut damages: Vec<Damage> = complaints(readers, "PRAGMA integrity_check")
        .await?
        .into_iter()
        .map(|what| Damage { debate: None, what })
        .collect();
    let debates = match all_debates(readers).await {
        Ok(debates) => debates,
        Err(StoreError::Corrupt { what }) => {
            damages.push(Damage { debate: None, what });
            return Ok(damages);
        }
        Err(error) => return Err(error),
    };
    match lost_debates(readers).await {
        Ok(found) => damages.extend(found.into_iter().map(|number| {
            let what = format!("the listing lacks debate number {number}, whose log is there");
            Damage { debate: None, what }
        })),
        Err(StoreError::Corrupt { what }) => damages.push(Damage { debate: None, what }),
        Err(error) => return Err(error),
    }
    match calls::discrepancies(readers).await {
        Ok(found) => damages.extend(found.into_iter().map(|what| Damage { debate: None, what })),
        Err(StoreError::Corrupt { what }) => damages.push(Damage { debate: None, what }),
        Err(error) => return Err(error),
    }
    match outcomes::read(readers, &Reach::default(), None).await {
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

/// All debates by id.
async fn all_debates(
    readers: &SqlitePool,
) -> Result<BTreeMap<String, Option<ListedDebate>>, StoreError> {
    let mut found = BTreeMap::new();
    for row in rows::all(readers, sqlx::query("SELECT * FROM debates")).await? {
        match debates::read(&row) {
            Ok(listed) => found.insert(listed.id.clone(), Some(listed)),
            Err(position) => found.insert(position.id, None),
        };
    }
    Ok(found)
}

/// Returns the numbers of debates of which only entries of the log are left.
async fn lost_debates(readers: &SqlitePool) -> Result<Vec<i64>, StoreError> {
    let query = sqlx::query(
        "SELECT DISTINCT e.place >> 32 FROM events e
         WHERE NOT EXISTS (SELECT 1 FROM debates d WHERE d.number = e.place >> 32)",
    );
    rows::all(readers, query).await?.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

async fn check_debate(
    readers: &SqlitePool,
    id: &str,
    listed: Option<ListedDebate>,
) -> Result<Option<String>, StoreError> {
    let Some(listed) = listed else {
        return Ok(Some("its row in the listing is damaged or missing".into()));
    };
    let log = match events::log_after(readers, &Reach::default(), id, 0).await {
        Ok(log) => log,
        Err(
            error @ (StoreError::Damaged { .. }
            | StoreError::Unreadable { .. }
            | StoreError::Corrupt { .. }
            | StoreError::Crashed
            | StoreError::Unknown { .. }),
        ) => return Ok(Some(error.to_string())),
        Err(error) => return Err(error),
    };
    let same = RowChange::fits(&listed, log);
    Ok((!same).then(|| "its row in the listing does not match its log".into()))
}
