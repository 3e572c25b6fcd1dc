//! Watching debates: of this process by its news, and of any process by the log.

use std::time::Duration;

use store::{LogEntry, Store, StoreError};
use tokio::sync::{broadcast, watch};
use tokio::time::sleep;

use super::host::{Host, RunsWhere};
use super::progress::DebateProgress;
use crate::error::EngineError;
use crate::run::{self, RunNews};

/// News that a slow watcher of a debate may be behind; one that is further behind reads
/// the log.
pub(super) const MOST_NEWS: usize = 1_024;
/// Interval at which a debate that another process runs is checked.
const LOOK: Duration = Duration::from_millis(400);

impl Host {
    /// Watches a debate of this process: every event once it is stored, and words as
    /// they stream in. `None` if this process does not run it.
    pub fn watch(&self, id: &str) -> Option<broadcast::Receiver<RunNews>> {
        self.running().get(id).map(|live| live.news.subscribe())
    }

    /// Returns the process that runs a debate right now. `id` must be complete.
    pub async fn attended_by(&self, id: &str) -> Result<RunsWhere, EngineError> {
        let store = self.store_of(id).await?;
        self.attended(&store, id).await
    }

    /// Returns the entries of a debate's log after one. `id` must be complete.
    pub async fn log_after(&self, id: &str, seq: u64) -> Result<Vec<LogEntry>, EngineError> {
        Ok(self.store_of(id).await?.log_after(id, seq).await?)
    }
}

/// Keeps the progress of a debate of this process up to date.
pub(super) async fn tell(
    mut news: tokio::sync::mpsc::UnboundedReceiver<RunNews>,
    progress: watch::Sender<DebateProgress>,
    feed: broadcast::Sender<RunNews>,
) {
    while let Some(item) = news.recv().await {
        if let RunNews::Event(recorded) = &item {
            progress.send_modify(|progress| progress.take(&recorded.event));
        }
        // Without watchers there is nobody to tell.
        let _ = feed.send(item);
    }
}

/// Keeps the progress of a debate of another process up to date, while it is
/// followed.
pub(super) async fn look_elsewhere(
    store: Store,
    id: String,
    mut seq: u64,
    progress: watch::Sender<DebateProgress>,
) {
    loop {
        tokio::select! {
            () = progress.closed() => return,
            () = sleep(LOOK) => {}
        }
        let looked = async {
            let attended = run::is_attended(&store, &id).await?;
            Ok::<_, StoreError>((attended, store.log_after(&id, seq).await?))
        };
        let Ok((attended, fresh)) = looked.await else { continue };
        if let Some(last) = fresh.last() {
            seq = last.seq;
            progress.send_modify(|progress| {
                fresh.iter().for_each(|recorded| progress.take(&recorded.event));
            });
        }
        if !attended {
            progress.send_modify(|progress| progress.end(None));
            return;
        }
    }
}
