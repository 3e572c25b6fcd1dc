//! The same start twice is one debate: a client that ran out of time, or whose
//! server died, calls again, and nothing is paid for twice. What this process
//! started it remembers; what another started stands in the debate's opening.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use debate::model::{Event, PauseReason, Status};
use store::ListFilter;
use tokio::time::Instant;

use crate::background::host::{Host, HostedDebate, RunsWhere, StartOrigin};
use crate::clock;
use crate::error::EngineError;

/// The same start within this time is the same debate.
const REPEATED: Duration = Duration::from_secs(120);
/// More debates than this nobody begins in that time by hand.
const MOST_RECENT: u32 = 200;

/// By the key of the start.
pub(super) type StartKeys = Mutex<HashMap<String, Arc<StartedOnce>>>;

/// What came of a start; whoever asks for the same meanwhile waits for it.
type StartedOnce = tokio::sync::Mutex<Option<(String, Instant)>>;

/// A debate that was started under the same key.
#[derive(Debug, PartialEq, Eq)]
pub enum StartedUnderKey {
    /// It runs, has ended, or waits for somebody.
    Known(String),
    /// Whoever ran it is gone; whoever starts it again wants it to go on.
    CutOff(String),
}

impl Host {
    /// What was started under this key a moment ago or is still running, else
    /// what `begin` starts now. A second caller waits for the first.
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
            Arc::clone(starts.entry(key).or_default())
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

    /// What was started under this key, where it counts as the same.
    pub async fn started(
        &self,
        key: &str,
        topic: &str,
    ) -> Result<Option<StartedUnderKey>, EngineError> {
        match self.started_here(key).await {
            Some(id) => Ok(Some(StartedUnderKey::Known(id))),
            None => self.started_before(key, topic).await,
        }
    }

    async fn started_here(&self, key: &str) -> Option<String> {
        let entry = {
            let starts = self.inner.starts.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(starts.get(key)?)
        };
        let started = entry.lock().await;
        started.as_ref().filter(|started| self.is_repeated(started)).map(|(id, _)| id.clone())
    }

    /// By another process on this database.
    async fn started_before(
        &self,
        key: &str,
        topic: &str,
    ) -> Result<Option<StartedUnderKey>, EngineError> {
        let Some(store) = self.store().await? else { return Ok(None) };
        let since = clock::now_ms() - REPEATED.as_millis() as i64;
        let recent =
            ListFilter { since: Some(since), limit: Some(MOST_RECENT), ..ListFilter::default() };
        for row in store.list(&recent).await?.into_iter().filter(|row| row.topic == topic) {
            let log = store.log(&row.id).await?;
            let opened_by = |event: &Event| matches!(event, Event::Opened { brief, .. } if brief.start_key.as_deref() == Some(key));
            if log.iter().any(|recorded| opened_by(&recorded.event)) {
                return self.how_it_stands(row.id).await.map(Some);
            }
        }
        Ok(None)
    }

    async fn how_it_stands(&self, id: String) -> Result<StartedUnderKey, EngineError> {
        let seen = self.look(&id).await?;
        let ended_early = matches!(
            seen.debate.room().status,
            Status::Created | Status::Active | Status::Paused { reason: PauseReason::Interrupted }
        );
        Ok(match (seen.attended, ended_early) {
            (RunsWhere::Nobody, true) => StartedUnderKey::CutOff(id),
            _ => StartedUnderKey::Known(id),
        })
    }

    fn is_repeated(&self, (id, at): &(String, Instant)) -> bool {
        at.elapsed() < REPEATED || self.running().contains_key(id)
    }
}
