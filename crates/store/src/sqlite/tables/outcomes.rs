//! The table `outcomes`, and the finished debates that outcomes are asked for.

use std::collections::BTreeMap;

use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};

use crate::error::StoreError;
use crate::outcomes::{FinishedDebate, OutcomeRow, RawOutcome, StoredOutcome};
use crate::people::Reach;
use crate::sqlite::statements::rows;

/// Writes all records in one transaction and returns the number of the last.
pub(crate) async fn write(
    connection: &mut SqliteConnection,
    rows: &[OutcomeRow],
) -> Result<u64, StoreError> {
    // All are checked before any is written: a refused request leaves nothing
    // behind in the commit it shares with others.
    let mut last: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows {
        let found = match last.get(row.id.as_str()) {
            Some(found) => *found,
            None => last_number(connection, &row.id).await?,
        };
        if found != row.expected {
            let (id, expected) = (row.id.clone(), row.expected);
            return Err(StoreError::Conflict { id, expected, found });
        }
        last.insert(&row.id, found + 1);
    }
    for row in rows {
        insert(connection, row).await?;
    }
    Ok(rows.last().map_or(0, |row| row.expected + 1))
}

async fn last_number(connection: &mut SqliteConnection, id: &str) -> Result<u64, StoreError> {
    let last: i64 =
        sqlx::query("SELECT COALESCE(MAX(number), 0) FROM outcomes WHERE debate_id = $1")
            .bind(id)
            .fetch_one(connection)
            .await?
            .try_get(0)?;
    Ok(u64::try_from(last).unwrap_or(0))
}

async fn insert(connection: &mut SqliteConnection, row: &OutcomeRow) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO outcomes (debate_id, number, at, kind, json, hash)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&row.id)
    .bind(row.number())
    .bind(row.at)
    .bind(row.kind)
    .bind(&row.json)
    .bind(row.hash())
    .execute(connection)
    .await?;
    Ok(())
}

/// Returns the records of one debate, or of all, oldest first.
pub(crate) async fn read(
    readers: &SqlitePool,
    reach: &Reach,
    id: Option<&str>,
) -> Result<Vec<StoredOutcome>, StoreError> {
    let (all, owner, shared) = reach.conditions();
    let query = sqlx::query(
        "SELECT debate_id, number, at, kind, json, hash FROM outcomes
         WHERE ($1 IS NULL OR debate_id = $1) AND ($2 OR debate_id IN (
             SELECT id FROM debates WHERE owner = $3 OR ($4 AND shared <> 0)))
         ORDER BY at, debate_id, number",
    );
    let query = query.bind(id).bind(all).bind(owner).bind(shared);
    rows::all(readers, query).await?.iter().map(stored).collect()
}

fn stored(row: &SqliteRow) -> Result<StoredOutcome, StoreError> {
    let raw = RawOutcome {
        debate: row.try_get("debate_id")?,
        number: row.try_get("number")?,
        at: row.try_get("at")?,
        kind: row.try_get("kind")?,
        json: row.try_get("json")?,
        hash: row.try_get("hash")?,
    };
    raw.check()
}

pub(crate) async fn finished(
    readers: &SqlitePool,
    reach: &Reach,
) -> Result<Vec<FinishedDebate>, StoreError> {
    let (all, owner, shared) = reach.conditions();
    // The clerk may have named the domain after the opening.
    let rows = rows::all(
        readers,
        sqlx::query(
            "SELECT d.id, d.topic, d.updated,
             json_extract(o.json, '$.brief.project') AS project,
             COALESCE(json_extract(o.json, '$.brief.domain'),
                 (SELECT json_extract(n.json, '$.domain') FROM events n
                  WHERE n.place > d.number << 32 AND n.place < (d.number + 1) << 32
                  AND n.kind = 'domainNamed')) AS domain
         FROM debates d JOIN events o ON o.place = (d.number << 32) + 1
         WHERE d.status = 'completed' AND ($1 OR d.owner = $2 OR ($3 AND d.shared <> 0))
         ORDER BY d.updated DESC, d.id DESC",
        )
        .bind(all)
        .bind(owner)
        .bind(shared),
    )
    .await?;
    rows.iter()
        .map(|row| {
            Ok(FinishedDebate {
                id: row.try_get("id")?,
                topic: row.try_get("topic")?,
                at: row.try_get("updated")?,
                project: row.try_get("project")?,
                domain: row.try_get("domain")?,
            })
        })
        .collect()
}
