//! Sessions that every node can go on with, where several share a database. The name of a session
//! holds what its client said when it opened it, sealed for the caller; a node that does not know
//! the session greets itself with it in the client's name. So nothing is kept for other nodes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::HeaderValue;
use rmcp::model::{RequestStateCodec, SealOptions};
use rmcp::transport::streamable_http_server::session::{
    SessionState, SessionStore, SessionStoreError,
};

use crate::mcp::session::seal::codec;

/// The purpose of the key that is made of the server's token.
const PURPOSE: &str = "roundtable 2026-11 names of sessions";
/// A client whose session is older opens another.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest name that is given; a session that says more about itself stays at its node.
const LONGEST_NAME: usize = 4_000;
/// Sessions that are on their way between the door and the service at once.
const MOST_ON_THE_WAY: usize = 1_000;

pub struct CarriedSessions {
    codec: RequestStateCodec,
    /// Sessions on their way between the door and the service, by their id.
    on_the_way: Mutex<HashMap<String, SessionState>>,
}

impl CarriedSessions {
    /// `token`: the server's own, which is the same at all nodes.
    pub fn new(token: &str) -> CarriedSessions {
        CarriedSessions { codec: codec(PURPOSE, token), on_the_way: Mutex::default() }
    }

    /// The name of a session that was just opened here, for the one who opened it.
    pub fn name(&self, id: &str, who: &str) -> Option<HeaderValue> {
        let begun = self.on_the_way().remove(id)?;
        let bound = bound_to(id, who);
        let options = SealOptions::new().associated_data(bound.as_bytes()).ttl(LIFETIME);
        let sealed = self.codec.seal_with(&serde_json::to_vec(&begun).ok()?, &options);
        let name = HeaderValue::try_from(format!("{id}.{sealed}")).ok()?;
        (name.len() <= LONGEST_NAME).then_some(name)
    }

    /// Reads a name; `None` if it was given to another caller, or not by a node of this team.
    pub fn read<'n>(&self, name: &'n str, who: &str) -> Option<(&'n str, SessionState)> {
        let (id, sealed) = name.split_once('.')?;
        let begun = self.codec.open_json_with(sealed, bound_to(id, who).as_bytes()).ok()?;
        Some((id, begun))
    }

    /// Lets the service find a session that it does not know.
    pub fn bring(&self, id: &str, begun: SessionState) {
        let mut on_the_way = self.on_the_way();
        if on_the_way.len() >= MOST_ON_THE_WAY {
            on_the_way.clear();
        }
        on_the_way.insert(id.into(), begun);
    }

    fn on_the_way(&self) -> MutexGuard<'_, HashMap<String, SessionState>> {
        self.on_the_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bound_to(id: &str, who: &str) -> String {
    format!("{id}\n{who}")
}

/// The service asks for sessions that it does not know, and hands over those that were opened.
#[async_trait::async_trait]
impl SessionStore for CarriedSessions {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        Ok(self.on_the_way().remove(id))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        self.bring(id, state.clone());
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        self.on_the_way().remove(id);
        Ok(())
    }
}
