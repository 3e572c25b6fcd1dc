//! Finds the person behind a token. What was found is remembered for less than a second, so
//! that a token that was revoked or has expired is refused within a second on every node.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_recursion::async_recursion as boxed;
use store::{Store, StoreError, TokenHash};
use tokio::time::Instant;

use crate::clock;
use crate::people::caller::Caller;

/// The time for which a token need not be looked up again.
const REMEMBERED: Duration = Duration::from_millis(500);
/// Tokens remembered at once.
const MOST: usize = 10_000;

/// What was found of the tokens that were sent last.
#[derive(Default)]
pub struct TokenCache {
    seen: Mutex<HashMap<TokenHash, (Instant, Option<Caller>)>>,
}

impl TokenCache {
    /// Returns the person with this token, if it is known and has not expired.
    #[boxed]
    pub async fn caller(
        &self,
        store: &Store,
        hash: TokenHash,
    ) -> Result<Option<Caller>, StoreError> {
        let asked = Instant::now();
        let fresh = |(at, _): &(Instant, Option<Caller>)| asked - *at < REMEMBERED;
        let found = {
            let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.get(&hash).filter(|one| fresh(one)).map(|(_, caller)| caller.clone())
        };
        if let Some(caller) = found {
            return Ok(caller);
        }
        let person = store.person_by_token(&hash, clock::now_ms()).await?;
        let caller = person.as_ref().map(Caller::person);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST {
            seen.retain(|_, one| fresh(one));
        }
        seen.insert(hash, (asked, caller.clone()));
        Ok(caller)
    }
}
