//! The table `events`: the log of every debate, with the words of its answers.

use sqlx::postgres::{PgConnection, PgPool, PgRow};
use sqlx::{Row, ValueRef};

use super::debates;
use crate::error::StoreError;
use crate::log_row::{LogEntry, NewEntry, RawEntry, SealedEntry, ends_as_listed, signed};
use crate::people::Reach;
use crate::postgres::words;
use crate::search::{INDEXED_KIND, SaidAnswer};

/// Entries as the columns they go into.
#[derive(Default)]
struct EntryColumns<'a> {
    seqs: Vec<i64>,
    ats: Vec<i64>,
    kinds: Vec<&'a str>,
    texts: Vec<&'a str>,
    hashes: Vec<&'a [u8]>,
    words: Vec<Option<String>>,
}

impl<'a> EntryColumns<'a> {
    fn add(
        &mut self,
        (seq, at): (u64, i64),
        kind: &'a str,
        json: &'a str,
        hash: &'a [u8],
        said: Option<&SaidAnswer>,
    ) {
        self.seqs.push(signed(seq));
        self.ats.push(at);
        self.kinds.push(kind);
        self.texts.push(json);
        self.hashes.push(hash);
        self.words.push(said.map(words::of_answer));
    }

    /// Writes all of them with one statement.
    async fn insert(self, connection: &mut PgConnection, id: &str) -> Result<(), StoreError> {
        if self.seqs.is_empty() {
            return Ok(());
        }
        sqlx::query(
            "INSERT INTO events (debate_id, seq, at, kind, json, hash, said)
             SELECT $1, seq, at, kind, json, hash, to_tsvector('simple', words)
             FROM unnest($2::int8[], $3::int8[], $4::text[], $5::text[], $6::bytea[], $7::text[])
                 AS entry (seq, at, kind, json, hash, words)",
        )
        .bind(id)
        .bind(self.seqs)
        .bind(self.ats)
        .bind(self.kinds)
        .bind(self.texts)
        .bind(self.hashes)
        .bind(self.words)
        .execute(connection)
        .await?;
        Ok(())
    }
}

/// Adds entries and indexes their words.
pub(crate) async fn write(
    connection: &mut PgConnection,
    id: &str,
    at: i64,
    entries: &[NewEntry],
) -> Result<(), StoreError> {
    let mut columns = EntryColumns::default();
    for entry in entries {
        let NewEntry { seq, kind, json, hash, said } = entry;
        columns.add((*seq, at), kind, json, hash, said.as_ref());
    }
    columns.insert(connection, id).await
}

/// Adds entries that were sealed elsewhere.
pub(crate) async fn write_sealed(
    connection: &mut PgConnection,
    id: &str,
    entries: &[SealedEntry],
) -> Result<(), StoreError> {
    let mut columns = EntryColumns::default();
    for entry in entries {
        let SealedEntry { seq, at, kind, json, hash } = entry;
        let said = (kind == INDEXED_KIND).then(|| SaidAnswer::of_entry(json.as_bytes())).flatten();
        columns.add((*seq, *at), kind, json, hash, said.as_ref());
    }
    columns.insert(connection, id).await
}

/// Returns the log after entry `after`, every hash checked.
pub(crate) async fn log_after(
    pool: &PgPool,
    reach: &Reach,
    id: &str,
    after: u64,
) -> Result<Vec<LogEntry>, StoreError> {
    entries_after((pool, reach), id, after, |id, seq, row| sealed(id, seq, row)?.open(id)).await
}

/// Returns the whole log as it is stored, every hash checked.
pub(crate) async fn sealed_log(
    pool: &PgPool,
    reach: &Reach,
    id: &str,
) -> Result<Vec<SealedEntry>, StoreError> {
    entries_after((pool, reach), id, 0, sealed).await
}

fn sealed(id: &str, expected: u64, row: &PgRow) -> Result<SealedEntry, StoreError> {
    let fields = || -> Result<RawEntry, sqlx::Error> {
        Ok(RawEntry {
            seq: row.try_get("seq")?,
            at: row.try_get("at")?,
            kind: row.try_get::<String, _>("kind")?.into_bytes(),
            json: row.try_get::<String, _>("json")?.into_bytes(),
            hash: row.try_get("hash")?,
        })
    };
    RawEntry::check(fields().ok(), id, expected)
}

async fn entries_after<T>(
    (pool, reach): (&PgPool, &Reach),
    id: &str,
    after: u64,
    read: fn(&str, u64, &PgRow) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    // One statement, one snapshot: what the listing says is the last entry must be the last
    // one here.
    let query = sqlx::query(
        "SELECT d.last_seq, e.seq, e.at, e.kind, e.json, e.hash
         FROM debates d LEFT JOIN events e ON e.debate_id = d.id AND e.seq > $2
         WHERE d.id = $1 AND ($3 OR d.owner = $4 OR ($5 AND d.shared <> 0)) ORDER BY e.seq",
    );
    let (all, owner, shared) = reach.conditions();
    let query = query.bind(id).bind(signed(after)).bind(all).bind(owner).bind(shared);
    let found = query.fetch_all(pool).await?;
    let Some(first) = found.first() else {
        return Err(debates::unknown(pool, reach, id).await?);
    };
    let last: i64 = first.try_get("last_seq")?;
    let last = u64::try_from(last).unwrap_or(0);
    let is_entry = |row: &&PgRow| row.try_get_raw("seq").is_ok_and(|seq| !seq.is_null());
    let mut log = Vec::with_capacity(found.len());
    for (seq, row) in (after + 1..).zip(found.iter().filter(is_entry)) {
        log.push(read(id, seq, row)?);
    }
    ends_as_listed(id, after, last, log.len())?;
    Ok(log)
}
