//! Outcomes of decisions: records that are only ever added to. The last records
//! count; the earlier ones stay readable. A record outlives its debate, and two
//! people cannot write the same one at once.

use debate::model::{Day, JudgedDebate, PostMortem, ProgressEntry};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::log_row::{digest, signed};

/// One record about how a decision turned out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum OutcomeRecord {
    /// ProgressEntry in carrying it out.
    Entry { entry: ProgressEntry },
    /// The day on which to ask how it turned out; none takes the last one back.
    AskOn { on: Option<Day> },
    /// The post-mortem, with what is learned from it.
    Assessed { post_mortem: Box<PostMortem>, judged: Box<JudgedDebate> },
    /// An outcome from elsewhere, read from a file.
    Imported { judged: Box<JudgedDebate> },
    /// A record of the same debate, by number, that no longer counts.
    Undone { number: u64, reason: String },
}

impl OutcomeRecord {
    pub fn word(&self) -> &'static str {
        match self {
            OutcomeRecord::Entry { .. } => "entry",
            OutcomeRecord::AskOn { .. } => "askOn",
            OutcomeRecord::Assessed { .. } => "assessed",
            OutcomeRecord::Imported { .. } => "imported",
            OutcomeRecord::Undone { .. } => "undone",
        }
    }
}

/// A stored record.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredOutcome {
    pub debate: String,
    pub number: u64,
    /// Milliseconds since 1970.
    pub at: i64,
    pub record: OutcomeRecord,
}

/// A debate that is over, as far as outcomes are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedDebate {
    pub id: String,
    pub topic: String,
    pub at: i64,
    pub project: Option<String>,
    pub domain: Option<String>,
}

/// A record to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct NewOutcome {
    pub debate: String,
    /// The number of the debate's last record as the writer knows it; 0: none.
    pub after: u64,
    pub record: OutcomeRecord,
}

/// A record made ready to be written.
#[derive(Debug)]
pub(crate) struct OutcomeRow {
    pub id: String,
    /// The number of the debate's last record as the writer knows it.
    pub expected: u64,
    pub at: i64,
    pub kind: &'static str,
    pub json: String,
}

impl OutcomeRow {
    pub(crate) fn of(note: &NewOutcome, at: i64) -> Result<OutcomeRow, StoreError> {
        let id = &note.debate;
        let unstorable = |why: serde_json::Error| StoreError::Unstorable {
            id: id.clone(),
            why: why.to_string(),
        };
        let json = serde_json::to_string(&note.record).map_err(unstorable)?;
        // A number JSON has no word for is found out now, not when it is needed.
        serde_json::from_str::<OutcomeRecord>(&json).map_err(unstorable)?;
        Ok(OutcomeRow { id: id.clone(), expected: note.after, at, kind: note.record.word(), json })
    }

    /// The number that the record gets.
    pub(crate) fn number(&self) -> i64 {
        signed(self.expected) + 1
    }

    pub(crate) fn hash(&self) -> Vec<u8> {
        hash(&self.id, self.number(), self.at, self.kind, self.json.as_bytes())
    }
}

fn hash(id: &str, number: i64, at: i64, kind: &str, json: &[u8]) -> Vec<u8> {
    let (number, at) = (number.to_le_bytes(), at.to_le_bytes());
    digest(&[b"outcome", id.as_bytes(), &number, &at, kind.as_bytes(), json])
}

/// The columns of a record as they came from the database, not yet trusted.
pub(crate) struct RawOutcome {
    pub debate: String,
    pub number: i64,
    pub at: i64,
    pub kind: String,
    pub json: Vec<u8>,
    pub hash: Vec<u8>,
}

impl RawOutcome {
    pub(crate) fn check(self) -> Result<StoredOutcome, StoreError> {
        let RawOutcome { debate, number, at, kind, json, hash: stored } = self;
        let seq = u64::try_from(number).unwrap_or(0);
        if hash(&debate, number, at, &kind, &json) != stored {
            let what = "the hash of its outcome record does not match".into();
            return Err(StoreError::Damaged { id: debate, seq, what });
        }
        let record = serde_json::from_slice(&json).map_err(|error| StoreError::Unreadable {
            id: debate.clone(),
            seq,
            why: error.to_string(),
        })?;
        Ok(StoredOutcome { debate, number: seq, at, record })
    }
}
