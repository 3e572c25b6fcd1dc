//! The table `events`: the log of every debate.

use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{Row, ValueRef};

use super::debates;
use crate::error::StoreError;
use crate::log_row::{LogEntry, NewEntry, RawEntry, SealedEntry, ends_as_listed, signed};
use crate::people::Reach;
use crate::sqlite::packing::{EventPacker, EventUnpacker};
use crate::sqlite::statements::rows;
use crate::sqlite::statements::script::SqlScript;

/// Imported entries written by one script, which may bind only so many values.
pub(crate) const ENTRIES_PER_SCRIPT: usize = 200;

/// An entry as it is written.
struct EventRow<'e> {
    seq: u64,
    at: i64,
    kind: &'e str,
    json: &'e str,
    hash: &'e [u8],
}

/// Adds entries.
pub(crate) fn write<'e>(
    (script, packer): (&mut SqlScript, &mut EventPacker),
    id: &str,
    at: i64,
    entries: &'e [NewEntry],
) {
    let row = |entry: &'e NewEntry| {
        let NewEntry { seq, kind, json, hash, said: _ } = entry;
        EventRow { seq: *seq, at, kind, json, hash }
    };
    add((script, packer), id, entries.iter().map(row));
}

/// Adds entries that were sealed elsewhere.
pub(crate) fn write_sealed<'e>(
    (script, packer): (&mut SqlScript, &mut EventPacker),
    id: &str,
    entries: &'e [SealedEntry],
) {
    let row = |entry: &'e SealedEntry| {
        let SealedEntry { seq, at, kind, json, hash } = entry;
        EventRow { seq: *seq, at: *at, kind, json, hash }
    };
    add((script, packer), id, entries.iter().map(row));
}

/// Adds entries at the place of their debate, all of them by one statement; where there is no such
/// debate, without a kind, which is refused.
fn add<'e>(
    (script, packer): (&mut SqlScript, &mut EventPacker),
    id: &str,
    rows: impl Iterator<Item = EventRow<'e>>,
) {
    let mut is_first = true;
    for row in rows {
        if std::mem::take(&mut is_first) {
            script.say("WITH n (seq, at, kind, json, hash) AS (VALUES ");
        } else {
            script.and(", ");
        }
        script.and("(?, ?, ?, ?, ?)").with(signed(row.seq)).with(row.at).with(row.kind);
        // The text as it is to lie in the file.
        match packer.pack(row.kind, row.json) {
            Some(packed) => script.with(packed),
            None => script.with(row.json),
        };
        script.with(row.hash);
    }
    if is_first {
        return;
    }
    script
        .and(
            ") INSERT INTO events (place, at, kind, json, hash)
             SELECT (d.number << 32) + n.seq, n.at,
                 CASE WHEN d.number IS NULL THEN NULL ELSE n.kind END, n.json, n.hash
             FROM n LEFT JOIN debates d ON d.id = ?",
        )
        .with(id);
}

/// Returns the log after entry `after`, every hash checked.
pub(crate) async fn log_after(
    readers: &SqlitePool,
    reach: &Reach,
    id: &str,
    after: u64,
) -> Result<Vec<LogEntry>, StoreError> {
    let open = |id: &str, seq, raw| RawEntry::check(raw, id, seq)?.open(id);
    entries_after((readers, reach), id, after, open).await
}

/// Refuses a debate whose row, if it was damaged, names the place of another's log, or of none.
pub(crate) async fn must_be_own(
    connection: &mut SqliteConnection,
    id: &str,
) -> Result<(), StoreError> {
    let query = sqlx::query(
        "SELECT e.place - (d.number << 32) AS seq, e.at, e.kind, e.json, e.hash
         FROM debates d LEFT JOIN events e
             ON e.place > d.number << 32 AND e.place < (d.number + 1) << 32
         WHERE d.id = $1 ORDER BY e.place",
    );
    let found = query.bind(id).fetch_all(connection).await?;
    let mut unpacker = EventUnpacker::default();
    let is_own = |row: &SqliteRow| {
        let raw = raw(row, &mut unpacker);
        let seq = raw.as_ref().and_then(|raw| u64::try_from(raw.seq).ok()).unwrap_or_default();
        RawEntry::check(raw, id, seq).is_ok()
    };
    if found.iter().any(is_own) {
        return Ok(());
    }
    let is_missing = found.iter().all(is_empty);
    let what = if is_missing { "it is missing" } else { "it belongs to another debate" }.into();
    Err(StoreError::Damaged { id: id.into(), seq: 1, what })
}

/// Deletes the log of a debate.
pub(crate) async fn delete(connection: &mut SqliteConnection, id: &str) -> Result<u64, StoreError> {
    let sql = "DELETE FROM events
        WHERE place > (SELECT number << 32 FROM debates WHERE id = $1)
            AND place < (SELECT (number + 1) << 32 FROM debates WHERE id = $1)";
    Ok(sqlx::query(sql).bind(id).execute(connection).await?.rows_affected())
}

/// Returns the whole log as it is stored, every hash checked.
pub(crate) async fn sealed_log(
    readers: &SqlitePool,
    reach: &Reach,
    id: &str,
) -> Result<Vec<SealedEntry>, StoreError> {
    let check = |id: &str, seq, raw| RawEntry::check(raw, id, seq);
    entries_after((readers, reach), id, 0, check).await
}

fn raw(row: &SqliteRow, unpacker: &mut EventUnpacker) -> Option<RawEntry> {
    Some(RawEntry {
        seq: row.try_get("seq").ok()?,
        at: row.try_get("at").ok()?,
        kind: row.try_get("kind").ok()?,
        // What cannot be unpacked is no text, and does not match its hash.
        json: unpacker.unpack(row.try_get("json").ok()?).unwrap_or_default(),
        hash: row.try_get("hash").ok()?,
    })
}

async fn entries_after<T>(
    (readers, reach): (&SqlitePool, &Reach),
    id: &str,
    after: u64,
    read: fn(&str, u64, Option<RawEntry>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    // One statement, one snapshot: what the listing says is the last entry must
    // be the last one here.
    let query = sqlx::query(
        "SELECT d.last_seq, e.place - (d.number << 32) AS seq, e.at, e.kind, e.json, e.hash
         FROM debates d LEFT JOIN events e
             ON e.place > (d.number << 32) + $2 AND e.place < (d.number + 1) << 32
         WHERE d.id = $1 AND ($3 OR d.owner = $4 OR ($5 AND d.shared <> 0)) ORDER BY e.place",
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
    let mut unpacker = EventUnpacker::default();
    for (seq, row) in (after + 1..).zip(found.iter().filter(|row| !is_empty(row))) {
        log.push(read(id, seq, raw(row, &mut unpacker))?);
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
