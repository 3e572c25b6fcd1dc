//! Steering a debate for a caller: finding it among those that the caller may steer, and writing
//! down what an operator does to the debate of another person.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_recursion::async_recursion as boxed;
use store::{AuditEntry, ListedDebate, PeopleChange, Store};
use tokio::time::Instant;

use crate::clock;
use crate::config::Config;
use crate::error::{EngineError, existing};
use crate::people::caller::{Caller, Operation};

/// A reading is noted once in this time.
const NOTED: Duration = Duration::from_secs(60 * 60);
/// Readings remembered at once.
const MOST_NOTED: usize = 10_000;

/// Opens the store for steering and finds the debate. `did`: for the audit log.
#[boxed]
pub async fn steered(
    config: &Config,
    id: &str,
    did: &str,
) -> Result<(Store, ListedDebate), EngineError> {
    let store = existing(config.existing_store(Operation::Steer).await, id)?;
    let row = store.find(id).await?;
    note(&config.caller, &store, &row, did).await?;
    Ok((store, row))
}

/// Writes down that an operator touched the debate of another person.
#[boxed]
pub async fn note(
    caller: &Caller,
    store: &Store,
    row: &ListedDebate,
    did: &str,
) -> Result<(), EngineError> {
    if !caller.is_others(row) {
        return Ok(());
    }
    let (who, about) = (caller.name().to_owned(), row.id.clone());
    let entry = AuditEntry { at: clock::now_ms(), who, did: did.into(), about };
    Ok(store.change_people(PeopleChange::None, entry).await?)
}

/// The private debates of others that operators read lately, by reader and debate.
#[derive(Default)]
pub struct NotedReadings {
    noted: Mutex<HashMap<(String, String), Instant>>,
}

impl NotedReadings {
    /// Tells whether a reading is to be noted. A page that is kept open is noted once an hour.
    pub fn is_new(&self, caller: &Caller, id: &str) -> bool {
        let now = Instant::now();
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() >= MOST_NOTED {
            noted.retain(|_, at| now - *at < NOTED);
        }
        let key = (caller.name().to_owned(), id.to_owned());
        noted.insert(key, now).is_none_or(|before| now - before >= NOTED)
    }
}

/// Shares a debate with the team, or makes it private again. Returns its id.
#[boxed]
pub async fn share(config: &Config, id: &str, shared: bool) -> Result<String, EngineError> {
    let did = if shared { "shared a debate" } else { "made a debate private" };
    let (store, row) = steered(config, id, did).await?;
    store.share(&row.id, shared).await?;
    store.close().await;
    Ok(row.id)
}
