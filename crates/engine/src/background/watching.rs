//! Watching debates: of this process by its news, and of any process by the log.

use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::Verdict;
use store::{ListFilter, ListedDebate, LogEntry, Store, StoreAddress};
use tokio::sync::{broadcast, watch};

use super::host::{DebatePhase, DebateProgress, Host, RunsWhere};
use super::progress_feed::look_elsewhere;
use crate::error::EngineError;
use crate::run::{self, RunNews};
use crate::sessions::list;

/// The debates of a host at this moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostLoad {
    pub running: usize,
    /// Those that wait for a free place.
    pub queued: usize,
}

impl Host {
    /// Watches a debate of this process: every event once it is stored, and words as
    /// they stream in. `None` if this process does not run it.
    pub fn watch(&self, id: &str) -> Option<broadcast::Receiver<RunNews>> {
        self.running().get(id).map(|live| live.news.subscribe())
    }

    /// Returns the process that runs a debate right now. `id` must be complete.
    #[boxed]
    pub async fn attended_by(&self, id: &str) -> Result<RunsWhere, EngineError> {
        let store = self.readable(id).await?;
        self.attended(&store, id).await
    }

    /// Returns the entries of a debate's log after one. `id` must be complete.
    #[boxed]
    pub async fn log_after(&self, id: &str, seq: u64) -> Result<Vec<LogEntry>, EngineError> {
        Ok(self.store_of(id).await?.log_after(id, seq).await?)
    }

    /// Returns the verdict of a finished debate; none if it cannot be read.
    #[boxed]
    pub async fn verdict(&self, row: &ListedDebate) -> Option<Box<Verdict>> {
        list::verdict(&self.store_of(&row.id).await.ok()?, row).await
    }

    /// Follows the progress of a debate in any process. `id` must be complete.
    #[boxed]
    pub async fn follow(&self, id: &str) -> Result<watch::Receiver<DebateProgress>, EngineError> {
        let store = self.readable(id).await?;
        if let Some(live) = self.running().get(id) {
            return Ok(live.progress.subscribe());
        }
        let log = store.log(id).await?;
        let seq = log.last().map_or(0, |recorded| recorded.seq);
        let debate = Debate::replay(log.into_iter().map(|recorded| recorded.event))?;
        let mut progress = DebateProgress::of(debate.room());
        let attended = run::is_attended(&store, id).await?;
        progress.phase = if attended { DebatePhase::Running } else { DebatePhase::AtRest };
        let (sender, receiver) = watch::channel(progress);
        if attended {
            run::spawn(look_elsewhere(store, id.to_owned(), seq, sender));
        }
        Ok(receiver)
    }

    /// Returns the debates that match, newest first.
    #[boxed]
    pub async fn list(&self, filter: &ListFilter) -> Result<Vec<ListedDebate>, EngineError> {
        match self.store().await? {
            Some(store) => Ok(store.list(filter).await?),
            None => Ok(Vec::new()),
        }
    }

    /// Opens the database of a server, and makes its tables where there are none. A file is opened
    /// when it is needed.
    #[boxed]
    pub async fn open_shared(&self) -> Result<(), EngineError> {
        if self.is_shared() {
            let place = &self.config().store;
            self.inner.store.get_or_try_init(|| Store::open(place)).await?;
        }
        Ok(())
    }

    /// Tells whether other nodes may work on the same debates.
    pub fn is_shared(&self) -> bool {
        matches!(self.config().store, StoreAddress::Server(_))
    }

    /// Tells whether the database can be read.
    #[boxed]
    pub async fn is_database_up(&self) -> bool {
        let one = ListFilter { limit: Some(1), ..ListFilter::default() };
        self.list(&one).await.is_ok()
    }

    /// Counts the debates that run here and those that wait.
    pub fn load(&self) -> HostLoad {
        let mut load = HostLoad::default();
        for live in self.running().values() {
            match live.progress.borrow().phase {
                DebatePhase::Queued => load.queued += 1,
                DebatePhase::Running => load.running += 1,
                DebatePhase::AtRest => {}
            }
        }
        load
    }

    /// Tells whether this process runs a debate or is about to.
    pub(super) fn runs(&self, id: &str) -> bool {
        self.running().contains_key(id)
    }
}
