//! A row of the log and its hash. SQLite does not notice a changed byte inside
//! a text, so each row carries a hash over all it says, checked whenever it is
//! read; a row that fails is an error, never text.

use debate::model::Event;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::error::StoreError;

/// One event as it stands in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Counted from 1, without holes.
    pub seq: u64,
    /// Milliseconds since 1970, as the writer's clock had it. Order is by `seq`.
    pub at: i64,
    pub event: Event,
}

/// An entry of a log exactly as it is stored, so that a log can leave the store
/// and come back to the last bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    pub seq: u64,
    pub at: i64,
    /// The event's name in the log.
    pub kind: String,
    /// The event as it was written.
    pub json: String,
    /// Over the debate's id and all of the above.
    pub hash: Vec<u8>,
}

impl Sealed {
    /// An entry of the debate `id`, with the hash it has there.
    pub fn seal(id: &str, seq: u64, at: i64, kind: &str, json: &str) -> Sealed {
        let hash = event_hash(id, seq, at, kind, json.as_bytes());
        Sealed { seq, at, kind: kind.into(), json: json.into(), hash }
    }

    /// Whether it is what it was when it was sealed for this debate.
    pub fn is_whole(&self, id: &str) -> bool {
        event_hash(id, self.seq, self.at, &self.kind, self.json.as_bytes()) == self.hash
    }

    /// The event, or why this version cannot read it.
    pub fn event(&self) -> Result<Event, String> {
        let event: Event = serde_json::from_str(&self.json).map_err(|error| error.to_string())?;
        match event.word() == self.kind {
            true => Ok(event),
            false => Err(format!("it says {:?} and is called {:?}", event.word(), self.kind)),
        }
    }
}

/// An event made ready to be written.
#[derive(Debug)]
pub(crate) struct Sheet {
    pub seq: u64,
    pub kind: &'static str,
    pub json: String,
    pub hash: Vec<u8>,
}

/// Makes events ready, the first of them as entry `after + 1`. An event that
/// could not be read again (a number that JSON has no word for) is refused here
/// rather than found out on the day it is needed.
pub(crate) fn sheets(
    id: &str,
    after: u64,
    at: i64,
    events: &[Event],
) -> Result<Vec<Sheet>, StoreError> {
    let unstorable =
        |why: serde_json::Error| StoreError::Unstorable { id: id.into(), why: why.to_string() };
    (after + 1..)
        .zip(events)
        .map(|(seq, event)| {
            let json = serde_json::to_string(event).map_err(unstorable)?;
            serde_json::from_str::<Event>(&json).map_err(unstorable)?;
            let kind = event.word();
            let hash = event_hash(id, seq, at, kind, json.as_bytes());
            Ok(Sheet { seq, kind, json, hash })
        })
        .collect()
}

fn event_hash(id: &str, seq: u64, at: i64, kind: &str, json: &[u8]) -> Vec<u8> {
    digest(&[b"event", id.as_bytes(), &seq.to_le_bytes(), &at.to_le_bytes(), kind.as_bytes(), json])
}

/// A hash over several fields; the lengths keep neighbours apart.
pub(crate) fn digest(fields: &[&[u8]]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    for field in fields {
        hasher.update(&(field.len() as u64).to_le_bytes());
        hasher.update(field);
    }
    hasher.finalize().as_bytes().to_vec()
}

/// Reads a row with the columns `seq, at, kind, json, hash`. `expected` is the
/// number it must have: a hole in the log is damage too.
pub(crate) fn read(id: &str, expected: u64, row: &SqliteRow) -> Result<Recorded, StoreError> {
    let sealed = read_sealed(id, expected, row)?;
    let event = serde_json::from_str(&sealed.json).map_err(|error| StoreError::Unreadable {
        id: id.into(),
        seq: expected,
        why: error.to_string(),
    })?;
    Ok(Recorded { seq: expected, at: sealed.at, event })
}

/// The same row as it is stored, its hash checked.
pub(crate) fn read_sealed(id: &str, expected: u64, row: &SqliteRow) -> Result<Sealed, StoreError> {
    let damaged =
        |what: &str| StoreError::Damaged { id: id.into(), seq: expected, what: what.into() };
    let fields = || -> Result<_, sqlx::Error> {
        Ok((
            row.try_get::<i64, _>("seq")?,
            row.try_get::<i64, _>("at")?,
            row.try_get::<Vec<u8>, _>("kind")?,
            row.try_get::<Vec<u8>, _>("json")?,
            row.try_get::<Vec<u8>, _>("hash")?,
        ))
    };
    let (seq, at, kind, json, hash) =
        fields().map_err(|_| damaged("a field has the wrong form"))?;
    if u64::try_from(seq) != Ok(expected) {
        return Err(damaged("it is missing"));
    }
    let (Ok(kind), Ok(json)) = (String::from_utf8(kind), String::from_utf8(json)) else {
        return Err(damaged("its hash does not match"));
    };
    let sealed = Sealed { seq: expected, at, kind, json, hash };
    if sealed.is_whole(id) { Ok(sealed) } else { Err(damaged("its hash does not match")) }
}
