//! The watchers of a run. Each watcher gets every event once it is stored, and the
//! text of answers as it streams in.

use std::sync::{Arc, Mutex, PoisonError};

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
    watchers: Arc<Mutex<Vec<UnboundedSender<RunNews>>>>,
}

impl Watchers {
    pub fn watch(&self) -> UnboundedReceiver<RunNews> {
        let (sender, receiver) = unbounded_channel();
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        receiver
    }

    /// Returns whether there are any watchers.
    pub fn is_watched(&self) -> bool {
        !self.watchers.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub fn publish(&self, news: RunNews) {
        // A watcher that has gone away is dropped at the next news.
        self.watchers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|watcher| watcher.send(news.clone()).is_ok());
    }
}

impl Watch for Watchers {
    fn delta(&self, ask: &AskId, delta: SpeechDelta) {
        self.publish(RunNews::Delta { ask: *ask, delta });
    }
}
