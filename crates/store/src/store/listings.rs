//! Listings, sums, and the records about how decisions turned out.

use super::Store;
use crate::error::{DebateHint, StoreError, StoreFuture};
use crate::listing::{ListFilter, ListedDebate};
use crate::outcomes::{FinishedDebate, NewOutcome, OutcomeRow, StoredOutcome};
use crate::request::WriteRequest;
use crate::spending::{CachedLine, CostLine, CostsBy, LeastSpending, Spender};

/// The most debates that are named where one was not found.
const MOST_HINTS: usize = 5;

/// Listings and sums.
impl Store {
    /// Returns one debate's row in the listing, by its whole id.
    pub fn get<'a>(&'a self, id: &'a str) -> StoreFuture<'a, ListedDebate> {
        Box::pin(async move { engine!(self, engine => engine.get(id).await) })
    }

    /// Returns the debate with this id, or the only one whose id begins so. `@1` is the
    /// newest debate, `@2` the one before it.
    pub fn find<'a>(&'a self, start: &'a str) -> StoreFuture<'a, ListedDebate> {
        Box::pin(async move {
            let place = start.trim().strip_prefix('@').and_then(|place| place.parse::<u32>().ok());
            let Some(place) = place.filter(|place| *place > 0) else {
                return engine!(self, engine => engine.find(start).await);
            };
            let filter = ListFilter { limit: Some(place), ..ListFilter::default() };
            let mut newest = self.list(&filter).await?;
            if newest.len() == place as usize
                && let Some(found) = newest.pop()
            {
                return Ok(found);
            }
            let hint = |row: ListedDebate| DebateHint { id: row.id, topic: row.topic };
            let recent = newest.into_iter().take(MOST_HINTS).map(hint).collect();
            Err(StoreError::Unknown { asked: start.into(), recent })
        })
    }

    /// Returns the debates that fit, newest first.
    pub fn list<'a>(&'a self, filter: &'a ListFilter) -> StoreFuture<'a, Vec<ListedDebate>> {
        Box::pin(async move { engine!(self, engine => engine.list(filter).await) })
    }

    /// Returns the debates that come after another, each behind the id of that one:
    /// those after `earlier`, or all.
    pub fn followers<'a>(
        &'a self,
        earlier: Option<&'a str>,
    ) -> StoreFuture<'a, Vec<(String, String)>> {
        Box::pin(async move { engine!(self, engine => engine.followers(earlier).await) })
    }

    /// Returns the spending of this debate and of the day if every request that is
    /// on its way turned out to cost nothing, and that of the debate's owner. A call
    /// whose process is gone counts with all that is reserved for it. Without an id: of
    /// the day and the person of this handle.
    pub fn least_spending<'a>(&'a self, id: &'a str, now: i64) -> StoreFuture<'a, LeastSpending> {
        Box::pin(async move {
            let owner = match id {
                "" => self.reach().person.clone(),
                id => self.get(id).await?.owner,
            };
            let spender = Spender { debate: id, owner: owner.as_deref() };
            engine!(self, engine => engine.least_spending(spender, now).await)
        })
    }

    /// Returns all spending, added up, in the order of the keys; days and debates
    /// newest first.
    pub fn costs(&self, by: CostsBy) -> StoreFuture<'_, Vec<CostLine>> {
        Box::pin(async move { engine!(self, engine => engine.costs(by).await) })
    }

    /// Returns the tokens that came from providers' caches, by key and model, in the
    /// order of the keys.
    pub fn cached(&self, by: CostsBy) -> StoreFuture<'_, Vec<CachedLine>> {
        Box::pin(async move { engine!(self, engine => engine.cached(by).await) })
    }
}

/// Outcomes of decisions.
impl Store {
    /// Writes records about how decisions turned out, all or none, and returns the
    /// number of the last. No debate needs to be there: a record outlives it.
    pub fn note_outcomes<'a>(&'a self, at: i64, notes: &'a [NewOutcome]) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let rows: Result<Vec<_>, StoreError> =
                notes.iter().map(|note| OutcomeRow::of(note, at)).collect();
            self.write(WriteRequest::Outcomes(rows?)).await
        })
    }

    /// Returns the records of one debate, or of all, oldest first.
    pub fn outcomes<'a>(&'a self, id: Option<&'a str>) -> StoreFuture<'a, Vec<StoredOutcome>> {
        Box::pin(async move { engine!(self, engine => engine.outcomes(id).await) })
    }

    /// Returns every finished debate with its project and domain, newest first.
    pub fn finished(&self) -> StoreFuture<'_, Vec<FinishedDebate>> {
        Box::pin(async move { engine!(self, engine => engine.finished().await) })
    }
}
