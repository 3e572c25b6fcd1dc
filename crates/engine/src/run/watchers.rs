//! The watchers of a run. Each watcher gets every event once it is stored, and the
//! text of answers as it streams in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agents::{SpeechDelta, Watch};
use debate::model::AskId;
use store::{LogEntry, StoreError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

#[derive(Debug, Clone)]
pub enum RunNews {
    /// Stored, and therefore final.
    Event(Arc<LogEntry>),
    /// Streaming in; it may still be lost.
    Delta { ask: AskId, delta: SpeechDelta },
    /// Nothing can be stored for now, so the debate waits. Sent once until a write
    /// succeeds again.
    HeldUp(StoreError),
}

#[derive(Clone, Default)]
pub struct Watchers {
    watchers: Arc<Mutex<Vec<Watcher>>>,
}

struct Watcher {
    sender: UnboundedSender<RunNews>,
    /// Tells whether news of answers on their way is wanted.
    wants_deltas: Box<dyn Fn() -> bool + Send>,
}

impl Watchers {
    pub fn watch(&self) -> UnboundedReceiver<RunNews> {
        self.watch_with(|| true)
    }

    /// Watches a run, and takes news of answers on their way only while they are wanted: there are
    /// hundreds of them, and each wakes the watcher.
    pub(crate) fn watch_with(
        &self,
        wants_deltas: impl Fn() -> bool + Send + 'static,
    ) -> UnboundedReceiver<RunNews> {
        let (sender, receiver) = unbounded_channel();
        self.lock().push(Watcher { sender, wants_deltas: Box::new(wants_deltas) });
        receiver
    }

    /// Returns whether there are any watchers.
    pub fn is_watched(&self) -> bool {
        !self.lock().is_empty()
    }

    pub fn publish(&self, news: RunNews) {
        let is_delta = matches!(news, RunNews::Delta { .. });
        let is_left_out = |watcher: &Watcher| is_delta && !(watcher.wants_deltas)();
        // A watcher that has gone away is dropped at the next news for it.
        self.lock().retain(|one| is_left_out(one) || one.sender.send(news.clone()).is_ok());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Watcher>> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Watchers {
    fn delta(&self, ask: &AskId, delta: SpeechDelta) {
        self.publish(RunNews::Delta { ask: *ask, delta });
    }
}

#[cfg(test)]
#[path = "watchers_tests.rs"]
mod tests;
