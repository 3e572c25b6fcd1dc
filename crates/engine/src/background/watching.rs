//! Watching debates: of this process by its news, and of any process by the log.

use debate::model::Verdict;
use store::{ListedDebate, LogEntry};
use tokio::sync::broadcast;

use super::host::{Host, RunsWhere};
use crate::error::EngineError;
use crate::run::RunNews;
use crate::sessions::list;

impl Host {
    /// Watches a debate of this process: every event once it is stored, and words as
    /// they stream in. `None` if this process does not run it.
    pub fn watch(&self, id: &str) -> Option<broadcast::Receiver<RunNews>> {
        self.running().get(id).map(|live| live.news.subscribe())
    }

    /// Returns the process that runs a debate right now. `id` must be complete.
    pub async fn attended_by(&self, id: &str) -> Result<RunsWhere, EngineError> {
        let store = self.readable(id).await?;
        self.attended(&store, id).await
    }

    /// Returns the entries of a debate's log after one. `id` must be complete.
    pub async fn log_after(&self, id: &str, seq: u64) -> Result<Vec<LogEntry>, EngineError> {
        Ok(self.store_of(id).await?.log_after(id, seq).await?)
    }

    /// Returns the verdict of a finished debate; none if it cannot be read.
    pub async fn verdict(&self, row: &ListedDebate) -> Option<Box<Verdict>> {
        list::verdict(&self.store_of(&row.id).await.ok()?, row).await
    }
}
