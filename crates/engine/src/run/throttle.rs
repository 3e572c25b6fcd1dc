//! Keeping up. Answers that have come in are worked off before further debates
//! begin: a debate that has not begun has paid for nothing and waits without
//! loss, while an answer that waits holds up a debate that is under way. Where
//! models take seconds nobody ever waits here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// With so much on the desk, a debate that wants to begin waits. More would let
/// debates begin in a crowd, and their answers would come in a crowd.
const MOST: usize = 1;

/// Cheap to clone; all clones are one desk.
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
    /// Something has come in. It never waits.
    pub(super) fn work(&self) -> WorkGuard {
        self.desk.lying.fetch_add(1, Ordering::Relaxed);
        WorkGuard { desk: Arc::clone(&self.desk) }
    }

    /// The turn of a debate that wants to begin.
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

/// A piece of work, on the desk until it is dropped.
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
