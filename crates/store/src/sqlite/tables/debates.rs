//! The table `debates`: one row per debate, for listings and for finding one.

use sqlx::Row;
use sqlx::sqlite::{SqlitePool, SqliteRow};

use super::words::{self, ReadAnswers};
use crate::error::StoreError;
use crate::lease::Lease;
use crate::listing::{self, ListFilter, ListPosition, ListedDebate};
use crate::log_row::signed;
use crate::people::Reach;
use crate::search;
use crate::sqlite::statements::rows;
use crate::sqlite::statements::script::SqlScript;

const MOST_CANDIDATES: u32 = 5;

/// Adds a row. Its number is new even where damage has left a log without its row.
pub(crate) fn insert(script: &mut SqlScript, listed: &ListedDebate, words: &str) {
    script
        .say(
            "INSERT INTO debates (id, topic, mode, agents, status, rounds, rounds_done, cost_micro,
                 unpriced_calls, created, updated, last_seq, earlier, owner, shared, words, hash,
                 number)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                 1 + MAX((SELECT COALESCE(MAX(number), 0) FROM debates),
                     (SELECT COALESCE(MAX(place) >> 32, 0) FROM events)))",
        )
        .with(listed.id.as_str())
        .with(listed.topic.as_str())
        .with(listed.mode.as_str())
        .with(listed.agents_json())
        .with(listed.status.as_str())
        .with(i64::from(listed.rounds))
        .with(i64::from(listed.rounds_done))
        .with(signed(listed.cost_micro))
        .with(i64::from(listed.unpriced_calls))
        .with(listed.created)
        .with(listed.updated)
        .with(signed(listed.last_seq))
        .with(listed.after.as_deref())
        .with(listed.owner.as_deref())
        .with(listed.shared)
        .with(words)
        .with(listed.hash());
}

/// A row that was not read.
pub(crate) struct KnownRow<'k> {
    pub hash: Vec<u8>,
    /// Its lease; `None` where it has never had one.
    pub lease: Option<&'k Lease>,
    /// Accounts, and the most that they may hold.
    pub most: &'k [(String, i64)],
}

/// Writes a row anew. A status that stays is not written: two indices would be. Where the row was
/// not read the statement fails if it or its lease is another by now, or an account holds too much.
pub(crate) fn update(
    script: &mut SqlScript,
    listed: &ListedDebate,
    new_status: Option<&str>,
    known: Option<KnownRow<'_>>,
) {
    script.say("UPDATE debates SET ");
    if let Some(status) = new_status {
        script.and("status = ?, ").with(status);
    }
    script
        .and(
            "rounds_done = ?, cost_micro = ?, unpriced_calls = ?,
                 updated = ?, shared = ?, hash = ?, last_seq = ",
        )
        .with(i64::from(listed.rounds_done))
        .with(signed(listed.cost_micro))
        .with(i64::from(listed.unpriced_calls))
        .with(listed.updated)
        .with(listed.shared)
        .with(listed.hash());
    match known {
        None => script.and("?").with(signed(listed.last_seq)),
        Some(KnownRow { hash, lease, most }) => {
            script.and("CASE WHEN hash = ? AND ").with(hash);
            match lease {
                Some(lease) => script
                    .and(
                        "EXISTS (SELECT 1 FROM runs r
                             WHERE r.debate_id = debates.id AND r.epoch = ? AND r.owner = ?)",
                    )
                    .with(signed(lease.epoch))
                    .with(lease.owner.as_str()),
                None => {
                    script.and("NOT EXISTS (SELECT 1 FROM runs r WHERE r.debate_id = debates.id)")
                }
            };
            for (name, most) in most {
                script
                    .and(" AND COALESCE((SELECT bound_micro FROM accounts WHERE name = ?), 0) <= ?")
                    .with(name.as_str())
                    .with(*most);
            }
            // The column takes no NULL.
            script.and(" THEN ? END").with(signed(listed.last_seq))
        }
    };
    script.and(" WHERE id = ?").with(listed.id.as_str());
}

/// Reads a row and checks its hash. The error says only where it stands in the
/// listing, as far as that could be read.
pub(crate) fn read(row: &SqliteRow) -> Result<ListedDebate, ListPosition> {
    ListedDebate::check(fields(row), || ListPosition {
        id: row.try_get("id").unwrap_or_default(),
        created: row.try_get("created").unwrap_or_default(),
    })
}

fn fields(row: &SqliteRow) -> Option<(ListedDebate, Vec<u8>)> {
    let number = |name: &str| row.try_get::<i64, _>(name).ok();
    let agents: String = row.try_get("agents").ok()?;
    let listed = ListedDebate {
        id: row.try_get("id").ok()?,
        topic: row.try_get("topic").ok()?,
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
    readers: &SqlitePool,
    reach: &Reach,
    id: &str,
) -> Result<ListedDebate, StoreError> {
    let (all, owner, shared) = reach.conditions();
    let query = sqlx::query(
        "SELECT * FROM debates WHERE id = $1 AND ($2 OR owner = $3 OR ($4 AND shared <> 0))",
    );
    match rows::first(readers, query.bind(id).bind(all).bind(owner).bind(shared)).await? {
        Some(row) => Ok(listed(&row)),
        None => Err(unknown(readers, reach, id).await?),
    }
}

/// The debate with this id, or the only one whose id begins so.
pub(crate) async fn find(
    readers: &SqlitePool,
    reach: &Reach,
    asked: &str,
) -> Result<ListedDebate, StoreError> {
    let start = asked.trim().to_lowercase();
    if start.is_empty() {
        return Err(unknown(readers, reach, asked).await?);
    }
    // The greatest character ends the range of all ids that begin so.
    let (all, owner, shared) = reach.conditions();
    let query = sqlx::query(
        "SELECT * FROM debates WHERE id >= $1 AND id <= $2
             AND ($4 OR owner = $5 OR ($6 AND shared <> 0)) ORDER BY id LIMIT +$3",
    );
    let query = query.bind(&start).bind(format!("{start}\u{10FFFF}"));
    let query = query.bind(i64::from(MOST_CANDIDATES)).bind(all).bind(owner).bind(shared);
    let rows = rows::all(readers, query).await?;
    match listing::meant(asked, &start, rows.iter().map(listed).collect())? {
        Some(debate) => Ok(debate),
        None => Err(unknown(readers, reach, asked).await?),
    }
}

/// The error for an id that does not exist, with debates that do.
pub(crate) async fn unknown(
    readers: &SqlitePool,
    reach: &Reach,
    asked: &str,
) -> Result<StoreError, StoreError> {
    let filter = ListFilter { limit: Some(MOST_CANDIDATES), ..ListFilter::default() };
    let recent = list(readers, reach, &filter).await?.into_iter().map(ListedDebate::hint).collect();
    Ok(StoreError::Unknown { asked: asked.into(), recent })
}

/// Returns the debates that come after another, with that one first: those after
/// `earlier`, or all.
pub(crate) async fn followers(
    readers: &SqlitePool,
    reach: &Reach,
    earlier: Option<&str>,
) -> Result<Vec<(String, String)>, StoreError> {
    let query = sqlx::query(
        "SELECT earlier, id FROM debates
         WHERE earlier IS NOT NULL AND ($1 IS NULL OR earlier = $1)
             AND ($2 OR owner = $3 OR ($4 AND shared <> 0)) ORDER BY earlier, id",
    );
    let (all, owner, shared) = reach.conditions();
    let query = query.bind(earlier).bind(all).bind(owner).bind(shared);
    let found = rows::all(readers, query).await?;
    found.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

fn listed(row: &SqliteRow) -> ListedDebate {
    read(row).unwrap_or_else(ListedDebate::damaged)
}

// A plus stands before patterns and limits, here and below: a statement in which one of them is a
// bare parameter is compiled anew whenever it is bound.
macro_rules! listing {
    ($($said:tt)*) => {
        concat!(
            "SELECT * FROM debates d
             WHERE created <= $1 AND (created < $1 OR id < $2)
               AND ($12 OR owner = $13 OR ($14 AND shared <> 0))
               AND ($3 IS NULL OR status = $3)
               AND ($4 IS NULL OR mode = $4)
               AND ($15 IS NULL OR topic = $15)
               AND ($5 IS NULL OR words LIKE +$5 ESCAPE '\\'",
            $($said)*,
            ")
               AND created >= $6
               AND created < $7
               AND ($8 IS NULL OR agents LIKE +$8 ESCAPE '\\' OR EXISTS (
                   SELECT 1 FROM parties p WHERE p.debate_id = d.id
                   AND p.provider || '/' || p.model LIKE +$8 ESCAPE '\\'))
               AND ($10 IS NULL OR replace(lower(COALESCE(
                   (SELECT json_extract(o.json, '$.brief.domain') FROM events o
                    WHERE o.place = (d.number << 32) + 1 AND json_valid(o.json)),
                   (SELECT json_extract(n.json, '$.domain') FROM events n
                    WHERE n.place > d.number << 32 AND n.place < (d.number + 1) << 32
                    AND n.kind = 'domainNamed' AND json_valid(n.json)))),
                   ' ', '-') = $10)
             ORDER BY created DESC, id DESC LIMIT +$9"
        )
    };
}

/// By what is in the row alone.
const LIST: &str = listing!("");
/// Also by the words of answers that are indexed, and in debates whose answers were read.
const LIST_SAID: &str = listing!(
    " OR id IN (SELECT s.debate_id FROM said s WHERE s.number IN (
          SELECT rowid FROM said_words WHERE said_words MATCH $11))
      OR id IN (SELECT value FROM json_each(+$16))"
);
/// Also in debates whose answers were read.
const LIST_READ: &str = listing!(" OR id IN (SELECT value FROM json_each(+$16))");

pub(crate) async fn list(
    readers: &SqlitePool,
    reach: &Reach,
    filter: &ListFilter,
) -> Result<Vec<ListedDebate>, StoreError> {
    let (since, until) = filter.span();
    let (created, id) = match &filter.before {
        Some(position) => (position.created, position.id.as_str()),
        None => (i64::MAX, ""),
    };
    let phrase = filter.text.as_deref().and_then(search::phrase);
    let (sql, read) = match (&filter.text, &phrase) {
        (Some(text), Some(_)) => (LIST_SAID, Some((text, ReadAnswers::NotIndexed))),
        (Some(text), None) if text.chars().any(char::is_alphanumeric) => {
            (LIST_READ, Some((text, ReadAnswers::InAllParts)))
        }
        _ => (LIST, None),
    };
    let saying = match read {
        Some((text, answers)) => Some(words::saying(readers, text, answers).await?),
        None => None,
    };
    let query = sqlx::query(sql)
        .bind(created)
        .bind(id)
        .bind(&filter.status)
        .bind(&filter.mode)
        .bind(filter.text.as_deref().map(search::pattern))
        .bind(since)
        .bind(until)
        .bind(filter.agent.as_deref().map(search::pattern))
        .bind(filter.limit())
        .bind(&filter.domain)
        .bind(phrase);
    let (all, owner, shared) = reach.conditions();
    let query = query.bind(all).bind(owner).bind(shared).bind(&filter.topic).bind(saying);
    Ok(rows::all(readers, query).await?.iter().map(listed).collect())
}
