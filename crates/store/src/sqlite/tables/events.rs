//! The table `events`: the log of every debate.

use sqlx::sqlite::{SqlitePool, SqliteRow};
use sqlx::{Row, ValueRef};

use super::debates;
use crate::error::StoreError;
use crate::log_row::{LogEntry, NewEntry, RawEntry, SealedEntry, ends_as_listed, signed};
use crate::people::Reach;
use crate::sqlite::rows;
use crate::sqlite::script::SqlScript;

/// Imported entries written by one script, which may bind only so many values.
pub(crate) const ENTRIES_PER_SCRIPT: usize = 200;

/// Adds entries.
pub(crate) fn write(script: &mut SqlScript, id: &str, at: i64, entries: &[NewEntry]) {
    if entries.is_empty() {
        return;
    }
    script.say("INSERT INTO events (debate_id, seq, at, kind, json, hash) VALUES ");
    let mut row = "(?, ?, ?, ?, ?, ?)";
    for entry in entries {
        script.and(row).with(id).with(signed(entry.seq)).with(at).with(entry.kind);
        script.with(entry.json.as_str()).with(entry.hash.as_slice());
        row = ", (?, ?, ?, ?, ?, ?)";
    }
}

/// Adds entries that were sealed elsewhere.
pub(crate) fn write_sealed(script: &mut SqlScript, id: &str, entries: &[SealedEntry]) {
    for entry in entries {
        script
            .say(
                "INSERT INTO events (debate_id, seq, at, kind, json, hash)
                 VALUES (?, ?, ?, ?, ?, ?)",
            )
            .with(id)
            .with(signed(entry.seq))
            .with(entry.at)
            .with(entry.kind.as_str())
            .with(entry.json.as_str())
            .with(entry.hash.as_slice());
    }
}

/// Returns the log after entry `after`, every hash checked.
pub(crate) async fn log_after(
    readers: &SqlitePool,
    reach: &Reach,
    id: &str,
    after: u64,
) -> Result<Vec<LogEntry>, StoreError> {
    entries_after((readers, reach), id, after, |id, seq, row| sealed(id, seq, row)?.open(id)).await
}

/// Returns the whole log as it is stored, every hash checked.
pub(crate) async fn sealed_log(
    readers: &SqlitePool,
    reach: &Reach,
    id: &str,
) -> Result<Vec<SealedEntry>, StoreError> {
    entries_after((readers, reach), id, 0, sealed).await
}

fn sealed(id: &str, expected: u64, row: &SqliteRow) -> Result<SealedEntry, StoreError> {
    let fields = || -> Result<RawEntry, sqlx::Error> {
        Ok(RawEntry {
            seq: row.try_get("seq")?,
            at: row.try_get("at")?,
            kind: row.try_get("kind")?,
            json: row.try_get("json")?,
            hash: row.try_get("hash")?,
        })
    };
    RawEntry::check(fields().ok(), id, expected)
}

async fn entries_after<T>(
    (readers, reach): (&SqlitePool, &Reach),
    id: &str,
    after: u64,
    read: fn(&str, u64, &SqliteRow) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    // One statement, one snapshot: what the listing says is the last entry must
    // be the last one here.
    let query = sqlx::query(
        "SELECT d.last_seq, e.seq, e.at, e.kind, e.json, e.hash
         FROM debates d LEFT JOIN events e ON e.debate_id = d.id AND e.seq > $2
         WHERE d.id = $1 AND ($3 OR d.owner = $4 OR ($5 AND d.shared <> 0)) ORDER BY e.seq",
    );
    let (all, owner, shared) = reach.conditions();
    let query = query.bind(id).bind(signed(after)).bind(all).bind(owner).bind(shared);
    let found = rows::all(readers, query).await?;
    let Some(first) = found.first() else {
        return Err(debates::unknown(readers, reach, id).await?);
    };
    let last: i64 = first.try_get("last_seq")?;
    let last = u64::try_from(last).unwrap_or(0);
    let mut log = Vec::with_capacity(found.len());
    for (seq, row) in (after + 1..).zip(found.iter().filter(|row| !is_empty(row))) {
        log.push(read(id, seq, row)?);
    }
    ends_as_listed(id, after, last, log.len())?;
    Ok(log)
}

/// Tells whether this is the one row that the join has for a debate without
/// further events.
fn is_empty(row: &SqliteRow) -> bool {
    row.try_get_raw("seq").map_or(true, |seq| seq.is_null())
        && row.try_get_raw("json").map_or(true, |json| json.is_null())
}
