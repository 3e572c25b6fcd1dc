//! The debates that came to rest in this process a moment ago, so that whoever looks at one first is
//! shown it without its log being read again. Each is shown so once, and only while its log still
//! ends where it ended here.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use debate::Debate;
use tokio::time::Instant;

/// A debate may be large.
const MOST: usize = 4;
/// A caller who waits looks at once. Later, another debate may have been imported under its id.
const FRESH: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct RestedDebates {
    last: Mutex<VecDeque<RestedDebate>>,
}

struct RestedDebate {
    id: String,
    /// The number of the last entry of its log.
    seq: u64,
    since: Instant,
    debate: Debate,
}

impl RestedDebate {
    fn is_fresh(&self) -> bool {
        self.since.elapsed() < FRESH
    }
}

impl RestedDebates {
    pub fn keep(&self, id: &str, seq: u64, debate: Debate) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.retain(|one| one.id != id && one.is_fresh());
        last.truncate(MOST - 1);
        last.push_front(RestedDebate { id: id.into(), seq, since: Instant::now(), debate });
    }

    /// Takes the debate out if its log still ends with this entry.
    pub fn take(&self, id: &str, seq: u64) -> Option<Debate> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // A debate that nobody looks at, or that was deleted, does not stay either.
        last.retain(RestedDebate::is_fresh);
        let at = last.iter().position(|one| one.id == id)?;
        last.remove(at).filter(|one| one.seq == seq).map(|one| one.debate)
    }
}
