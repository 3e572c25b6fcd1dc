//! Recognises a repeated start. A client whose call timed out, or whose server
//! died, starts again; it gets the same debate, and nothing is paid for twice.
//! Starts by this process are kept in memory; starts by other processes are found
//! by the key in the debate's opening.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use async_recursion::async_recursion as boxed;
use debate::model::{Event, PauseReason, Status};
use store::{ListFilter, ListedDebate};
use tokio::time::Instant;

use crate::background::host::{Host, HostedDebate, RunsWhere, StartOrigin};
use crate::background::start_keys::StartedUnderKey;
use crate::clock;
use crate::error::EngineError;
use crate::people::caller::Operation;

/// A start repeated within this time is the same debate.
const REPEATED: Duration = Duration::from_secs(120);
/// Nobody begins more debates than this by hand in such a time.
const MOST_RECENT: u32 = 2000;

impl Host {
    /// Returns the debate that was started under this key a moment ago or is still
    /// running; otherwise the one that `begin` starts now. A second caller waits
    /// for the first.
    pub async fn once(
        &self,
        key: String,
        begin: impl Future<Output = Result<HostedDebate, EngineError>>,
    ) -> Result<HostedDebate, EngineError> {
        let entry = {
            let mut starts = self.inner.starts.lock().unwrap_or_else(PoisonError::into_inner);
            starts.retain(|_, entry| match entry.try_lock() {
                Ok(started) => started.as_ref().is_some_and(|started| self.is_repeated(started)),
                Err(_) => true,
            });
            Arc::clone(starts.entry(self.own_key(&key)).or_default())
        };
        let mut started = entry.lock().await;
        if let Some((id, _)) = started.as_ref().filter(|started| self.is_repeated(started)) {
            return Ok(HostedDebate {
                id: id.clone(),
                notices: Vec::new(),
                joined: StartOrigin::Running,
            });
        }
        let held = begin.await?;
        *started = Some((held.id.clone(), Instant::now()));
        Ok(held)
    }

    /// Returns the debate that was started under this key, if this start counts as
    /// a repetition.
    #[boxed]
    pub async fn started(
        &self,
        key: &str,
        topic: &str,
    ) -> Result<Option<StartedUnderKey>, EngineError> {
        self.started_within(key, topic, REPEATED).await
    }

    /// The same for starts of this long ago.
    #[boxed]
    pub async fn started_within(
        &self,
        key: &str,
        topic: &str,
        window: Duration,
    ) -> Result<Option<StartedUnderKey>, EngineError> {
        match self.started_here(key).await {
            Some(id) => Ok(Some(StartedUnderKey::Known(id))),
            None => self.started_before(key, topic, window).await,
        }
    }

    async fn started_here(&self, key: &str) -> Option<String> {
        let entry = {
            let starts = self.inner.starts.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(starts.get(&self.own_key(key))?)
        };
        let started = entry.lock().await;
        started.as_ref().filter(|started| self.is_repeated(started)).map(|(id, _)| id.clone())
    }

    /// Finds a start by another process on this database.
    async fn started_before(
        &self,
        key: &str,
        topic: &str,
        window: Duration,
    ) -> Result<Option<StartedUnderKey>, EngineError> {
        let Some(store) = self.store().await? else { return Ok(None) };
        let since = clock::now_ms() - window.as_millis() as i64;
        let recent = ListFilter {
            since: Some(since),
            topic: Some(topic.into()),
            limit: Some(MOST_RECENT),
            ..ListFilter::default()
        };
        let own = self.config().caller.reach(Operation::Start).person;
        let is_own = |row: &ListedDebate| row.owner == own;
        for row in store.list(&recent).await?.into_iter().filter(is_own) {
            let log = store.log(&row.id).await?;
            let opened_by = |event: &Event| matches!(event, Event::Opened { brief, .. } if brief.start_key.as_deref() == Some(key));
            if log.iter().any(|recorded| opened_by(&recorded.event)) {
                return self.how_it_stands(row.id).await.map(Some);
            }
        }
        Ok(None)
    }

    /// The same request of two people leads to two debates.
    fn own_key(&self, key: &str) -> String {
        format!("{}\n{key}", self.config().caller.name())
    }

    async fn how_it_stands(&self, id: String) -> Result<StartedUnderKey, EngineError> {
        let seen = self.look(&id).await?;
        let ended_early = matches!(
            seen.debate.room().status,
            Status::Created | Status::Active | Status::Paused { reason: PauseReason::Interrupted }
        );
        Ok(match (seen.attended, ended_early) {
            (RunsWhere::Nowhere, true) => StartedUnderKey::CutOff(id),
            _ => StartedUnderKey::Known(id),
        })
    }

    fn is_repeated(&self, (id, at): &(String, Instant)) -> bool {
        at.elapsed() < REPEATED || self.running().contains_key(id)
    }
}
