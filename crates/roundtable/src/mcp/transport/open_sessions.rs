//! The sessions of clients of the older era. Each takes memory, and every caller can open
//! one: when there are too many, one that was opened and never used makes room, or one
//! that has been silent for a while. A client whose session is gone opens another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::time::Instant;

/// The number of sessions that may be open at once.
const MOST_SESSIONS: usize = 400;
/// A session that has been silent this long may make room for another one.
const SILENT: Duration = Duration::from_secs(60);
pub const SESSION_HEADER: &str = "mcp-session-id";
/// The name of a session that is not there.
pub const UNKNOWN: &str = "unknown";

pub struct OpenSessions {
    manager: Arc<LocalSessionManager>,
    uses: Mutex<HashMap<String, SessionUse>>,
    /// Held while room is made, so that several callers do not take the same room.
    making_room: tokio::sync::Mutex<()>,
}

#[derive(Debug, Clone)]
struct SessionUse {
    /// The caller who opened it.
    who: String,
    requests: u32,
    last: Instant,
}

impl OpenSessions {
    pub fn new(manager: Arc<LocalSessionManager>) -> OpenSessions {
        OpenSessions { manager, uses: Mutex::default(), making_room: Default::default() }
    }

    /// Notes a session that was opened.
    pub fn opened(&self, session: &str, who: &str) {
        let seen = SessionUse { who: who.into(), requests: 0, last: Instant::now() };
        self.uses().insert(session.into(), seen);
    }

    /// Tells whether this process serves a session.
    pub async fn is_open(&self, session: &str) -> bool {
        self.manager.sessions.read().await.contains_key(session)
    }

    /// Tells whether a session was opened by another caller.
    pub fn is_others(&self, session: &str, who: &str) -> bool {
        self.uses().get(session).is_some_and(|seen| seen.who != who)
    }

    /// Notes a request in a session.
    pub fn used(&self, session: &str) {
        if let Some(seen) = self.uses().get_mut(session) {
            seen.requests = seen.requests.saturating_add(1);
            seen.last = Instant::now();
        }
    }

    /// Sees to it that one more session can be opened; `false` if all are in use.
    pub async fn make_room(&self) -> bool {
        let _one_at_a_time = self.making_room.lock().await;
        let open: Vec<_> = {
            let sessions = self.manager.sessions.read().await;
            if sessions.len() < MOST_SESSIONS {
                return true;
            }
            sessions.keys().cloned().collect()
        };
        let oldest = {
            let mut uses = self.uses();
            uses.retain(|id, _| open.iter().any(|session| session.as_ref() == id));
            let now = Instant::now();
            let idle =
                uses.iter().filter(|(_, seen)| seen.requests == 0 || now - seen.last >= SILENT);
            let oldest = idle.min_by_key(|(_, seen)| (seen.requests > 0, seen.last));
            oldest.map(|(id, _)| id.clone())
        };
        let Some(oldest) = oldest else { return false };
        let session = open.iter().find(|session| session.as_ref() == oldest);
        if let Some(session) = session {
            let _ = self.manager.close_session(session).await;
        }
        self.uses().remove(&oldest);
        true
    }

    fn uses(&self) -> MutexGuard<'_, HashMap<String, SessionUse>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a request name another session.
pub fn name_session(headers: &mut HeaderMap, session: &str) {
    let name = HeaderValue::from_str(session);
    headers.insert(SESSION_HEADER, name.unwrap_or(HeaderValue::from_static(UNKNOWN)));
}

/// Returns the session that a request or a response names.
pub fn session_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok())
}

/// Returns whether a message may open a session: it names none, and is not of the era
/// without sessions.
pub fn opens_session(headers: &HeaderMap) -> bool {
    let version = headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
    let stateless = ProtocolVersion::V_2026_07_28;
    session_of(headers).is_none() && version.is_none_or(|version| version < stateless.as_str())
}
