//! The table `outcomes`, and the finished debates that outcomes are asked for.

use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};

use crate::error::StoreError;
use crate::outcomes::{FinishedDebate, OutcomeRow, RawOutcome, StoredOutcome};
use crate::people::Reach;

/// Writes all records in one transaction and returns the number of the last. Two requests for
/// one debate are told apart by a lock on its id: no row of it need be there.
pub(crate) async fn write(
    connection: &mut PgConnection,
    rows: &[OutcomeRow],
) -> Result<u64, StoreError> {
    let mut ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('outcome ' || $1, 0))")
            .bind(id)
            .execute(&mut *connection)
            .await?;
    }
    for row in rows {
        let last = "SELECT COALESCE(MAX(number), 0) FROM outcomes WHERE debate_id = $1";
        let last: i64 =
            sqlx::query(last).bind(&row.id).fetch_one(&mut *connection).await?.try_get(0)?;
        let found = u64::try_from(last).unwrap_or(0);
        if found != row.expected {
            let (id, expected) = (row.id.clone(), row.expected);
            return Err(StoreError::Conflict { id, expected, found });
        }
        insert(connection, row).await?;
    }
    Ok(rows.last().map_or(0, |row| row.expected + 1))
}

async fn insert(connection: &mut PgConnection, row: &OutcomeRow) -> Result<(), StoreError> {
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
    pool: &PgPool,
    reach: &Reach,
    id: Option<&str>,
) -> Result<Vec<StoredOutcome>, StoreError> {
    let (all, owner, shared) = reach.conditions();
    let rows = sqlx::query(
        "SELECT debate_id, number, at, kind, json, hash FROM outcomes
         WHERE ($1::text IS NULL OR debate_id = $1) AND ($2 OR debate_id IN (
             SELECT id FROM debates WHERE owner = $3 OR ($4 AND shared <> 0)))
         ORDER BY at, debate_id, number",
    );
    rows.bind(id)
        .bind(all)
        .bind(owner)
        .bind(shared)
        .fetch_all(pool)
        .await?
        .iter()
        .map(stored)
        .collect()
}

fn stored(row: &PgRow) -> Result<StoredOutcome, StoreError> {
    let raw = RawOutcome {
        debate: row.try_get("debate_id")?,
        number: row.try_get("number")?,
        at: row.try_get("at")?,
        kind: row.try_get("kind")?,
        json: row.try_get::<String, _>("json")?.into_bytes(),
        hash: row.try_get("hash")?,
    };
    raw.check()
}

pub(crate) async fn finished(
    pool: &PgPool,
    reach: &Reach,
) -> Result<Vec<FinishedDebate>, StoreError> {
    let (all, owner, shared) = reach.conditions();
    // The clerk may have named the domain after the opening.
    let rows = sqlx::query(
        "SELECT d.id, d.topic, d.updated, o.json::json #>> '{brief,project}' AS project,
             COALESCE(o.json::json #>> '{brief,domain}',
                 (SELECT n.json::json ->> 'domain' FROM events n
                  WHERE n.debate_id = d.id AND n.kind = 'domainNamed' LIMIT 1)) AS domain
         FROM debates d JOIN events o ON o.debate_id = d.id AND o.seq = 1
         WHERE d.status = 'completed' AND ($1 OR d.owner = $2 OR ($3 AND d.shared <> 0))
         ORDER BY d.updated DESC, d.id DESC",
    );
    let rows = rows.bind(all).bind(owner).bind(shared);
    let finished = |row: &PgRow| -> Result<FinishedDebate, StoreError> {
        let topic: Vec<u8> = row.try_get("topic")?;
        Ok(FinishedDebate {
            id: row.try_get("id")?,
            topic: String::from_utf8_lossy(&topic).into_owned(),
            at: row.try_get("updated")?,
            project: row.try_get("project")?,
            domain: row.try_get("domain")?,
        })
    };
    rows.fetch_all(pool).await?.iter().map(finished).collect()
}
