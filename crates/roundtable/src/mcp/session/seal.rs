//! The state that a stateless client carries back to us. It is sealed, so that it
//! is ours, from this caller, for this very call, and recent. Also the names of
//! tasks, which only their owner can use.

use std::time::Duration;

use debate::sorting::SortRows;
use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};

use crate::mcp::result::shapes::LengthWord;
use engine::clock;

/// The time in which a client must bring an answer.
const LIFETIME: Duration = Duration::from_secs(60 * 60);
/// The purpose of the key.
const PURPOSE: &str = "roundtable 2026-11 sealed state of calls";
/// The one caller of a process without a token.
const LOCAL: &str = "local";
/// Marks a task whose caller wants the long form.
const DETAILED: &str = ".detailed";

/// The purpose for which the client was sent away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum SealedState {
    /// To confirm the cost of the debate.
    Confirm,
    /// Something that a debate waits for, and the progress that was sent by then.
    Debate { id: String, progress: f64 },
}

/// A task: a debate from a moment on, and the caller's wishes about the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskName {
    pub session: String,
    /// The last entry of the debate's log when the task began.
    pub since: u64,
    pub format: LengthWord,
}

/// Seals with a key that is made of a secret for one purpose.
pub fn codec(purpose: &str, secret: &str) -> RequestStateCodec {
    RequestStateCodec::new_unchecked(blake3::derive_key(purpose, secret.as_bytes()).as_slice())
}

/// The key is made of the server's token, which is the same at all nodes of a team; so a client
/// may come back to any of them. Without a token every process makes a key of its own.
#[derive(Clone)]
pub struct Seal {
    codec: RequestStateCodec,
    principal: String,
}

impl Seal {
    /// `token`: the server's own, if there is one.
    pub fn new(token: Option<&str>) -> Seal {
        let fresh = || format!("{}{}", clock::new_secret(), clock::new_secret());
        let codec = codec(PURPOSE, &token.map_or_else(fresh, Into::into));
        Seal { codec, principal: token.unwrap_or(LOCAL).into() }
    }

    /// The caller, as far as this server can tell callers apart.
    pub fn principal(&self) -> &str {
        &self.principal
    }

    /// The same seal for one person among those who share this server.
    pub fn for_person(&self, name: &str) -> Seal {
        Seal { codec: self.codec.clone(), principal: format!("{}\n{name}", self.principal) }
    }

    /// Seals the state for the call with this digest.
    pub fn close(&self, state: &SealedState, digest: &str) -> String {
        let bound = self.bound_to(digest);
        let options = SealOptions::new().associated_data(bound.as_bytes()).ttl(LIFETIME);
        let body = serde_json::to_vec(state).unwrap_or_default();
        self.codec.seal_with(&body, &options)
    }

    /// Returns the sealed state; `None` if it is not ours, belongs to another call,
    /// or is too old.
    pub fn open(&self, text: &str, digest: &str) -> Option<SealedState> {
        self.codec.open_json_with(text, self.bound_to(digest).as_bytes()).ok()
    }

    /// The caller and the call that a seal belongs to.
    fn bound_to(&self, digest: &str) -> String {
        format!("{}\n{digest}", self.principal)
    }

    /// Returns the name of a task. It must outlive this process, so it depends on
    /// the caller and not on the key.
    pub fn task_id(&self, task: &TaskName) -> String {
        let form = match task.format {
            LengthWord::Concise => "",
            LengthWord::Detailed => DETAILED,
        };
        let name = format!("{}.{}{form}", task.session, task.since);
        format!("{name}.{}", self.owner(&name))
    }

    /// Reads the name of a task; `None` if it belongs to another caller.
    pub fn read_task(&self, task: &str) -> Option<TaskName> {
        let (name, owner) = task.rsplit_once('.')?;
        if owner != self.owner(name) {
            return None;
        }
        let (name, format) = match name.strip_suffix(DETAILED) {
            Some(name) => (name, LengthWord::Detailed),
            None => (name, LengthWord::Concise),
        };
        let (session, since) = name.rsplit_once('.')?;
        Some(TaskName { session: session.into(), since: since.parse().ok()?, format })
    }

    fn owner(&self, name: &str) -> String {
        let hash = blake3::hash(format!("task\n{}\n{name}", self.principal).as_bytes());
        hash.to_hex().chars().take(16).collect()
    }
}

/// Returns a digest of a call: its tool and its arguments in any order of fields.
pub fn digest(tool: &str, arguments: &serde_json::Value) -> String {
    blake3::hash(format!("{tool}\n{}", ordered(arguments)).as_bytes()).to_hex().to_string()
}

fn ordered(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().collect();
            fields.sort_rows_by_key(|(key, _)| key.as_str());
            Value::Object(
                fields.into_iter().map(|(key, value)| (key.clone(), ordered(value))).collect(),
            )
        }
        Value::Array(items) => items.iter().map(ordered).collect(),
        other => other.clone(),
    }
}
