//! Lets answers that have arrived be processed before further debates begin. A
//! debate that has not begun has paid for nothing and waits without loss, while an
//! answer that waits holds up a debate in progress. With models that take seconds
//! to answer, no debate ever waits here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// A debate waits to begin while this many pieces of work are pending. A higher
/// limit would let debates begin together, and their answers would arrive together.
const MOST: usize = 1;

/// Cheap to clone; all clones share one queue.
#[derive(Clone, Default)]
pub struct Throttle {
    queue: Arc<ThrottleQueue>,
    /// Told how long each answer took.
    told: Option<Arc<dyn Fn(Duration) + Send + Sync>>,
}

#[derive(Default)]
struct ThrottleQueue {
    pending: AtomicUsize,
    done: Notify,
}

impl Throttle {
    /// A throttle that tells how long each answer took.
    pub fn telling(told: impl Fn(Duration) + Send + Sync + 'static) -> Throttle {
        Throttle { told: Some(Arc::new(told)), ..Throttle::default() }
    }

    pub(super) fn answered(&self, took: Duration) {
        if let Some(told) = &self.told {
            told(took);
        }
    }

    /// Registers a piece of work that has arrived. Never waits.
    pub(super) fn work(&self) -> WorkGuard {
        self.queue.pending.fetch_add(1, Ordering::Relaxed);
        WorkGuard { queue: Arc::clone(&self.queue) }
    }

    /// Waits until a debate may begin.
    pub(super) async fn turn(&self) -> WorkGuard {
        loop {
            let done = self.queue.done.notified();
            if self.queue.pending.load(Ordering::Relaxed) < MOST {
                return self.work();
            }
            done.await;
        }
    }
}

/// A piece of work, pending until it is dropped.
pub(super) struct WorkGuard {
    queue: Arc<ThrottleQueue>,
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        self.queue.pending.fetch_sub(1, Ordering::Relaxed);
        self.queue.done.notify_one();
    }
}

#[cfg(test)]
#[path = "throttle_tests.rs"]
mod tests;
