//! Whoever watches: each watcher gets every event once it is stored, and the
//! words of answers as they stream in.

use std::sync::{Arc, Mutex, PoisonError};

use agents::{Delta, Watch};
use debate::model::AskId;
use store::{Recorded, StoreError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

#[derive(Debug, Clone)]
pub enum RunNews {
    /// Stored and therefore true.
    Event(Arc<Recorded>),
    /// On its way; it may still be lost.
    Delta { ask: AskId, delta: Delta },
    /// Nothing can be stored for now; the debate holds its breath. Said once,
    /// until something could be stored again.
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

    /// Whether anybody would hear the news.
    pub fn is_watched(&self) -> bool {
        !self.watchers.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub fn publish(&self, news: RunNews) {
        // A watcher that has gone away is dropped on the next news.
        self.watchers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|watcher| watcher.send(news.clone()).is_ok());
    }
}

impl Watch for Watchers {
    fn delta(&self, ask: &AskId, delta: Delta) {
        self.publish(RunNews::Delta { ask: *ask, delta });
    }
}
