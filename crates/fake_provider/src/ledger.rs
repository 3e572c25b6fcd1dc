//! The record of requests. Secret values are never written down, only whether the
//! key was the right one.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::wire::FakeRequest;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LedgerEntry {
    pub number: usize,
    /// Since the server started.
    pub at: Duration,
    pub method: String,
    pub path: String,
    pub model: String,
    /// Names in lower case; values of secret headers are left out.
    pub headers: Vec<(String, String)>,
    pub key: KeySeen,
    pub body: Value,
    /// True if the exchange is over.
    pub closed: bool,
    /// True if everything meant to be sent was sent.
    pub finished: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum KeySeen {
    None,
    Right,
    Other,
}

const SECRET_HEADERS: &[&str] = &["authorization", "x-api-key", "x-goog-api-key", "cookie"];

impl LedgerEntry {
    /// Returns true if a key was required, and another one or none came.
    pub fn has_wrong_key(&self) -> bool {
        matches!(self.key, KeySeen::Other)
    }

    pub(crate) fn new(
        number: usize,
        at: Duration,
        model: &str,
        request: &FakeRequest,
        key: Option<&str>,
    ) -> LedgerEntry {
        let shown = |(name, value): &(String, String)| {
            let secret = SECRET_HEADERS.contains(&name.as_str());
            (name.clone(), if secret { "[secret]".into() } else { value.clone() })
        };
        let sent = request.headers.iter().find(|(name, _)| SECRET_HEADERS.contains(&name.as_str()));
        let key = match (sent, key) {
            (None, _) => KeySeen::None,
            (Some((_, sent)), Some(key)) if sent.trim_start_matches("Bearer ") == key => {
                KeySeen::Right
            }
            (Some(_), _) => KeySeen::Other,
        };
        LedgerEntry {
            number,
            at,
            method: request.method.clone(),
            path: request.path.clone(),
            model: model.to_owned(),
            headers: request.headers.iter().map(shown).collect(),
            key,
            body: request.body.clone(),
            closed: false,
            finished: false,
        }
    }
}
