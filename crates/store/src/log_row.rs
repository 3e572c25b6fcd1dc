//! A row of the log and its hash. A database does not notice a changed byte
//! inside a text, so each row carries a hash over everything in it, checked
//! whenever it is read; a row that fails is an error, never text.

mod event_text;

use debate::model::Event;

use crate::error::StoreError;
use crate::search::SaidAnswer;

/// One event of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEntry {
    /// Counted from 1, without holes.
    pub seq: u64,
    /// Milliseconds since 1970, as the writer's clock had it. Order is by `seq`.
    pub at: i64,
    pub event: Event,
}

/// An entry of a log exactly as it is stored, so that a log can leave the store
/// and come back to the last bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedEntry {
    pub seq: u64,
    pub at: i64,
    /// The event's name in the log.
    pub kind: String,
    /// The event as it was written.
    pub json: String,
    /// Over the debate's id and all of the above.
    pub hash: Vec<u8>,
}

impl SealedEntry {
    /// An entry of the debate `id`, with the hash it has there.
    pub fn seal(id: &str, seq: u64, at: i64, kind: &str, json: &str) -> SealedEntry {
        let hash = event_hash(id, seq, at, kind, json.as_bytes());
        SealedEntry { seq, at, kind: kind.into(), json: json.into(), hash }
    }

    /// Tells whether the entry is unchanged since it was sealed for this debate.
    pub fn is_whole(&self, id: &str) -> bool {
        event_hash(id, self.seq, self.at, &self.kind, self.json.as_bytes()) == self.hash
    }

    /// The event, or why this version cannot read it.
    pub fn event(&self) -> Result<Event, String> {
        let event = event_text::read(&self.json).map_err(|error| error.to_string())?;
        if event.word() == self.kind {
            Ok(event)
        } else {
            Err(format!("it says {:?} and is called {:?}", event.word(), self.kind))
        }
    }
}

/// An event made ready to be written.
#[derive(Debug)]
pub(crate) struct NewEntry {
    pub seq: u64,
    pub kind: &'static str,
    pub json: String,
    pub hash: Vec<u8>,
    /// What is indexed, if it is an answer.
    pub said: Option<SaidAnswer>,
}

/// Makes events ready, the first of them as entry `after + 1`. An event that
/// could not be read again (a number that JSON has no word for) is refused here
/// rather than found out on the day it is needed.
pub(crate) fn new_entries(
    id: &str,
    after: u64,
    at: i64,
    events: &[Event],
) -> Result<Vec<NewEntry>, StoreError> {
    let unstorable =
        |why: serde_json::Error| StoreError::Unstorable { id: id.into(), why: why.to_string() };
    (after + 1..)
        .zip(events)
        .map(|(seq, event)| {
            let json = event_text::written(event).map_err(unstorable)?;
            event_text::read(&json).map_err(unstorable)?;
            let kind = event.word();
            let hash = event_hash(id, seq, at, kind, json.as_bytes());
            Ok(NewEntry { seq, kind, json, hash, said: SaidAnswer::of_event(event) })
        })
        .collect()
}

fn event_hash(id: &str, seq: u64, at: i64, kind: &str, json: &[u8]) -> Vec<u8> {
    digest(&[b"event", id.as_bytes(), &seq.to_le_bytes(), &at.to_le_bytes(), kind.as_bytes(), json])
}

/// A hash over several fields; the lengths keep neighbours apart. They are hashed as one text: the
/// parts of a long one go through the processor side by side.
pub(crate) fn digest(fields: &[&[u8]]) -> Vec<u8> {
    let lengths = fields.iter().map(|field| size_of::<u64>() + field.len());
    let mut text = Vec::with_capacity(lengths.sum());
    for field in fields {
        text.extend((field.len() as u64).to_le_bytes());
        text.extend_from_slice(field);
    }
    blake3::hash(&text).as_bytes().to_vec()
}

/// Numbers in a database have a sign. Sums of money beyond 9 trillion dollars
/// are cut there.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Refuses a log that ends before or after the entry that the listing says is its last. `count`
/// entries were read after entry `after`.
pub(crate) fn ends_as_listed(
    id: &str,
    after: u64,
    last: u64,
    count: usize,
) -> Result<(), StoreError> {
    let damaged =
        |seq: u64, what: &str| Err(StoreError::Damaged { id: id.into(), seq, what: what.into() });
    let end = after + count as u64;
    if end < last {
        return damaged(end + 1, "it is missing");
    }
    if count as u64 > last.saturating_sub(after) {
        return damaged(last + 1, "it should not be there");
    }
    Ok(())
}

/// The columns of a log row as they came from the database, not yet trusted.
pub(crate) struct RawEntry {
    pub seq: i64,
    pub at: i64,
    pub kind: Vec<u8>,
    pub json: Vec<u8>,
    pub hash: Vec<u8>,
}

impl RawEntry {
    /// Checks the number and the hash. `expected` is the number it must have: a
    /// hole in the log is damage too. `None`: a column has the wrong type.
    pub(crate) fn check(
        raw: Option<RawEntry>,
        id: &str,
        expected: u64,
    ) -> Result<SealedEntry, StoreError> {
        let damaged =
            |what: &str| StoreError::Damaged { id: id.into(), seq: expected, what: what.into() };
        let Some(raw) = raw else { return Err(damaged("a field has the wrong form")) };
        if u64::try_from(raw.seq) != Ok(expected) {
            return Err(damaged("it is missing"));
        }
        let (Ok(kind), Ok(json)) = (String::from_utf8(raw.kind), String::from_utf8(raw.json))
        else {
            return Err(damaged("its hash does not match"));
        };
        let sealed = SealedEntry { seq: expected, at: raw.at, kind, json, hash: raw.hash };
        if sealed.is_whole(id) { Ok(sealed) } else { Err(damaged("its hash does not match")) }
    }
}

impl SealedEntry {
    /// The entry with its event parsed.
    pub(crate) fn open(self, id: &str) -> Result<LogEntry, StoreError> {
        let event = event_text::read(&self.json).map_err(|error| StoreError::Unreadable {
            id: id.into(),
            seq: self.seq,
            why: error.to_string(),
        })?;
        Ok(LogEntry { seq: self.seq, at: self.at, event })
    }
}
