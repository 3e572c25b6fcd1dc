//! The table `debates`: one row per debate, for listings and for finding one.

use sqlx::Row;
use sqlx::postgres::{PgConnection, PgPool, PgRow};

use crate::error::StoreError;
use crate::listing::{self, ListFilter, ListPosition, ListedDebate};
use crate::log_row::signed;
use crate::people::Reach;
use crate::postgres::words;
use crate::search;

const MOST_CANDIDATES: u32 = 5;

pub(crate) async fn insert(
    connection: &mut PgConnection,
    listed: &ListedDebate,
    words: &str,
) -> Result<(), StoreError> {
    let written = sqlx::query(
        "INSERT INTO debates (id, topic, mode, agents, status, rounds, rounds_done, cost_micro,
             unpriced_calls, created, updated, last_seq, earlier, words, hash, owner, shared)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
         ON CONFLICT (id) DO NOTHING",
    )
    .bind(&listed.id)
    .bind(listed.topic.as_bytes())
    .bind(&listed.mode)
    .bind(listed.agents_json())
    .bind(&listed.status)
    .bind(i64::from(listed.rounds))
    .bind(i64::from(listed.rounds_done))
    .bind(signed(listed.cost_micro))
    .bind(i64::from(listed.unpriced_calls))
    .bind(listed.created)
    .bind(listed.updated)
    .bind(signed(listed.last_seq))
    .bind(&listed.after)
    .bind(words.replace('\0', " "))
    .bind(listed.hash())
    .bind(&listed.owner)
    .bind(i64::from(listed.shared))
    .execute(connection)
    .await?;
    // Another node may have been faster: there was no row to lock.
    if written.rows_affected() == 0 {
        return Err(StoreError::Exists { id: listed.id.clone() });
    }
    Ok(())
}

pub(crate) async fn update(
    connection: &mut PgConnection,
    listed: &ListedDebate,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE debates SET status = $2, rounds_done = $3, cost_micro = $4, unpriced_calls = $5,
             updated = $6, last_seq = $7, hash = $8, shared = $9 WHERE id = $1",
    )
    .bind(&listed.id)
    .bind(&listed.status)
    .bind(i64::from(listed.rounds_done))
    .bind(signed(listed.cost_micro))
    .bind(i64::from(listed.unpriced_calls))
    .bind(listed.updated)
    .bind(signed(listed.last_seq))
    .bind(listed.hash())
    .bind(i64::from(listed.shared))
    .execute(connection)
    .await?;
    Ok(())
}

/// Reads a row and checks its hash. The error says only where it stands in the listing.
pub(crate) fn read(row: &PgRow) -> Result<ListedDebate, ListPosition> {
    ListedDebate::check(fields(row), || ListPosition {
        id: row.try_get("id").unwrap_or_default(),
        created: row.try_get("created").unwrap_or_default(),
    })
}

fn fields(row: &PgRow) -> Option<(ListedDebate, Vec<u8>)> {
    let number = |name: &str| row.try_get::<i64, _>(name).ok();
    let agents: String = row.try_get("agents").ok()?;
    let listed = ListedDebate {
        id: row.try_get("id").ok()?,
        topic: String::from_utf8(row.try_get("topic").ok()?).ok()?,
        mode: row.try_get("mode").ok()?,
        agents: serde_json::from_str(&agents).ok()?,
        status: row.try_get("status").ok()?,
        rounds: number("rounds")?.try_into().ok()?,
        rounds_done: number("rounds_done")?.try_into().ok()?,
        cost_micro: number("cost_micro")?.try_into().ok()?,
        unpriced_calls: number("unpriced_calls")?.try_into().ok()?,
        created: number("created")?,
        updated: number("updated")?,
        last_seq: number("last_seq")?.try_into().ok()?,
        after: row.try_get("earlier").ok()?,
        owner: row.try_get("owner").ok()?,
        shared: number("shared")? != 0,
    };
    Some((listed, row.try_get("hash").ok()?))
}

pub(crate) async fn get(
    pool: &PgPool,
    reach: &Reach,
    id: &str,
) -> Result<ListedDebate, StoreError> {
    let (all, owner, shared) = reach.conditions();
    let row = sqlx::query(
        "SELECT * FROM debates WHERE id = $1 AND ($2 OR owner = $3 OR ($4 AND shared <> 0))",
    );
    let row = row.bind(id).bind(all).bind(owner).bind(shared);
    match row.fetch_optional(pool).await? {
        Some(row) => Ok(listed(&row)),
        None => Err(unknown(pool, reach, id).await?),
    }
}

/// The debate with this id, or the only one whose id begins so.
pub(crate) async fn find(
    pool: &PgPool,
    reach: &Reach,
    asked: &str,
) -> Result<ListedDebate, StoreError> {
    let start = asked.trim().to_lowercase();
    if start.is_empty() || start.contains('\0') {
        return Err(unknown(pool, reach, asked).await?);
    }
    // The greatest character ends the range of all ids that begin so.
    let (all, owner, shared) = reach.conditions();
    let query = sqlx::query(
        "SELECT * FROM debates WHERE id >= $1 AND id <= $2
             AND ($4 OR owner = $5 OR ($6 AND shared <> 0)) ORDER BY id LIMIT $3",
    );
    let query = query.bind(&start).bind(format!("{start}\u{10FFFF}"));
    let query = query.bind(i64::from(MOST_CANDIDATES)).bind(all).bind(owner).bind(shared);
    let rows = query.fetch_all(pool).await?;
    match listing::meant(asked, &start, rows.iter().map(listed).collect())? {
        Some(debate) => Ok(debate),
        None => Err(unknown(pool, reach, asked).await?),
    }
}

/// The error for an id that does not exist, with debates that do.
pub(crate) async fn unknown(
    pool: &PgPool,
    reach: &Reach,
    asked: &str,
) -> Result<StoreError, StoreError> {
    let filter = ListFilter { limit: Some(MOST_CANDIDATES), ..ListFilter::default() };
    let recent = list(pool, reach, &filter).await?.into_iter().map(ListedDebate::hint).collect();
    Ok(StoreError::Unknown { asked: asked.into(), recent })
}

/// Returns the debates that come after another, with that one first: those after
/// `earlier`, or all.
pub(crate) async fn followers(
    pool: &PgPool,
    reach: &Reach,
    earlier: Option<&str>,
) -> Result<Vec<(String, String)>, StoreError> {
    let query = sqlx::query(
        "SELECT earlier, id FROM debates
         WHERE earlier IS NOT NULL AND ($1::text IS NULL OR earlier = $1)
             AND ($2 OR owner = $3 OR ($4 AND shared <> 0)) ORDER BY earlier, id",
    );
    let (all, owner, shared) = reach.conditions();
    let query = query.bind(earlier).bind(all).bind(owner).bind(shared);
    let found = query.fetch_all(pool).await?;
    found.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

fn listed(row: &PgRow) -> ListedDebate {
    read(row).unwrap_or_else(ListedDebate::damaged)
}

/// The listing. A text is looked for in the row, in the words of answers if it has words, and in
/// every part of the answers if it has letters but no words ($11).
const LIST: &str = "
    SELECT * FROM debates d
    WHERE created <= $1 AND (created < $1 OR id < $2)
      AND ($13 OR owner = $14 OR ($15 AND shared <> 0))
      AND ($3::text IS NULL OR status = $3)
      AND ($4::text IS NULL OR mode = $4)
      AND ($16::bytea IS NULL OR topic = $16)
      AND ($5::text IS NULL OR words LIKE $5 ESCAPE '\\'
           OR ($10::text IS NOT NULL AND id IN (
               SELECT e.debate_id FROM events e WHERE e.said @@ to_tsquery('simple', $10)))
           OR ($11::bool AND id IN (
               SELECT e.debate_id FROM events e
               WHERE e.kind = 'answered' AND lower(e.json) LIKE $5 ESCAPE '\\')))
      AND created >= $6
      AND created < $7
      AND ($8::text IS NULL OR lower(agents) LIKE $8 ESCAPE '\\' OR EXISTS (
          SELECT 1 FROM parties p WHERE p.debate_id = d.id
          AND lower(p.provider || '/' || p.model) LIKE $8 ESCAPE '\\'))
      AND ($12::text IS NULL OR replace(lower(COALESCE(
          (SELECT o.json::json #>> '{brief,domain}' FROM events o
           WHERE o.debate_id = d.id AND o.seq = 1),
          (SELECT n.json::json ->> 'domain' FROM events n
           WHERE n.debate_id = d.id AND n.kind = 'domainNamed' LIMIT 1))), ' ', '-') = $12)
    ORDER BY created DESC, id DESC LIMIT $9";

pub(crate) async fn list(
    pool: &PgPool,
    reach: &Reach,
    filter: &ListFilter,
) -> Result<Vec<ListedDebate>, StoreError> {
    let (since, until) = filter.span();
    let (created, id) = match &filter.before {
        Some(position) => (position.created, position.id.as_str()),
        None => (i64::MAX, ""),
    };
    let text = filter.text.as_ref().map(|text| text.replace('\0', " "));
    let has_words = text.as_deref().and_then(search::phrase).is_some();
    let question = text.as_deref().filter(|_| has_words).and_then(words::question);
    let in_parts =
        !has_words && text.as_deref().is_some_and(|text| text.chars().any(char::is_alphanumeric));
    let (all, owner, shared) = reach.conditions();
    let rows = sqlx::query(LIST)
        .bind(created)
        .bind(id)
        .bind(&filter.status)
        .bind(&filter.mode)
        .bind(text.as_deref().map(search::pattern))
        .bind(since)
        .bind(until)
        .bind(filter.agent.as_deref().map(search::pattern))
        .bind(filter.limit())
        .bind(question)
        .bind(in_parts)
        .bind(&filter.domain)
        .bind(all)
        .bind(owner)
        .bind(shared)
        .bind(filter.topic.as_deref().map(str::as_bytes))
        .fetch_all(pool)
        .await?;
    Ok(rows.iter().map(listed).collect())
}
