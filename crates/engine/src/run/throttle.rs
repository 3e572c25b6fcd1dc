//! Lets answers that have arrived be processed before further debates begin. A
//! debate that has not begun has paid for nothing and waits without loss, while an
//! answer that waits holds up a debate in progress. With models that take seconds
//! to answer, no debate ever waits here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// A debate waits to begin while this many pieces of work are pending. A higher
/// limit would let debates begin together, and their answers would arrive together.
const MOST: usize = 1;

/// Cheap to clone; all clones share one queue.
#[derive(Clone, Default)]
pub struct Throttle {
    desk: Arc<ThrottleQueue>,
}

#[derive(Default)]
struct ThrottleQueue {
    lying: AtomicUsize,
    done: Notify,
}

impl Throttle {
    /// Registers a piece of work that has arrived. Never waits.
    pub(super) fn work(&self) -> WorkGuard {
        self.desk.lying.fetch_add(1, Ordering::Relaxed);
        WorkGuard { desk: Arc::clone(&self.desk) }
    }

    /// Waits until a debate may begin.
    pub(super) async fn turn(&self) -> WorkGuard {
        loop {
            let done = self.desk.done.notified();
            if self.desk.lying.load(Ordering::Relaxed) < MOST {
                return self.work();
            }
            done.await;
        }
    }
}

/// A piece of work, pending until it is dropped.
pub(super) struct WorkGuard {
    desk: Arc<ThrottleQueue>,
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        self.desk.lying.fetch_sub(1, Ordering::Relaxed);
        self.desk.done.notify_one();
    }
}

#[cfg(test)]
#[path = "throttle_tests.rs"]
mod tests;
