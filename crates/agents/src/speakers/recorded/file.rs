//! The recording's file, one JSON object per line: what it is, then for each
//! debate its brief and every call.

use std::path::Path;

use debate::model::{AskId, Brief, Failure, Reply};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::request::RecordedRequest;

/// The version of recordings this program writes and reads.
pub const VERSION: u32 = 1;

#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    #[error("the recording {path} exists already; choose another name or remove it")]
    Exists { path: String },
    #[error("cannot write the recording {path}: {cause}")]
    Unwritable { path: String, cause: String },
    #[error("cannot read the recording {path}: {cause}. Check the path")]
    Unreadable { path: String, cause: String },
    #[error(
        "{path}, line 1: this is no recording of Roundtable; a recording is made with --record FILE"
    )]
    NotOurs { path: String },
    #[error(
        "{path}, line 1: the recording has version {found} (written by Roundtable {program}), this \
         program reads version {VERSION}. Record it again with this program, or replay it with that one"
    )]
    OtherVersion { path: String, found: u32, program: String },
    #[error("{path}, line {line}: {cause}. Remove the line, or record it again")]
    Broken { path: String, line: usize, cause: String },
    #[error(
        "the recording {path} holds no debate called {label:?}; it holds {known}. Name one of these, or record this one"
    )]
    NoDebate { path: String, label: String, known: String },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TapeHead {
    pub roundtable_recording: u32,
    pub program: String,
}

/// Every line but the first.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum TapeLine {
    Call(Box<RecordedCall>),
    Opening(RecordedOpening),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedOpening {
    pub debate: String,
    #[serde(deserialize_with = "brief")]
    pub brief: Box<Brief>,
}

/// A brief is read by the crate it is from, which has the code for it anyway.
fn brief<'de, D: Deserializer<'de>>(from: D) -> Result<Box<Brief>, D::Error> {
    let json = Value::deserialize(from)?.to_string();
    Brief::read(&json).map(Box::new).map_err(D::Error::custom)
}

/// A reply likewise.
fn reply<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Reply>, D::Error> {
    let reply = Option::<Value>::deserialize(from)?;
    reply.map(|json| Reply::read(&json.to_string())).transpose().map_err(D::Error::custom)
}

impl TapeLine {
    /// Reads a line as a call, else as an opening, each straight from the text: the derived form
    /// would take the line into a form of its own, from which all that is in it had to be read by
    /// code that is used for nothing else.
    pub fn read(line: &str) -> serde_json::Result<TapeLine> {
        match serde_json::from_str(line) {
            Ok(call) => Ok(TapeLine::Call(call)),
            Err(error) if error.is_data() => match serde_json::from_str(line) {
                Ok(opening) => Ok(TapeLine::Opening(opening)),
                Err(error) if error.is_data() => Err(serde_json::Error::custom(
                    "data did not match any variant of untagged enum TapeLine",
                )),
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedCall {
    pub debate: String,
    pub ask: AskId,
    pub speaker: String,
    pub digest: String,
    pub took_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "reply")]
    pub reply: Option<Reply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    pub request: RecordedRequest,
}

pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}
