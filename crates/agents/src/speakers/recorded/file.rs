//! The recording's file, one JSON object per line: what it is, then for each
//! debate its brief and every call.

use std::path::Path;

use debate::model::{AskId, Brief, Failure, Reply};
use serde::{Deserialize, Serialize};

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
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", untagged)]
pub(super) enum TapeLine {
    Call(Box<RecordedCall>),
    Opening { debate: String, brief: Box<Brief> },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedCall {
    pub debate: String,
    pub ask: AskId,
    pub speaker: String,
    pub digest: String,
    pub took_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Reply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    pub request: RecordedRequest,
}

pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}
