//! The debates that came to rest in this process last, so that whoever waited for one is shown it
//! without its log being read again. One is shown so only while its log still ends where it ended
//! here.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use debate::Debate;

/// Who waits looks at once, and a debate may be large.
const MOST: usize = 4;

#[derive(Default)]
pub(super) struct RestedDebates {
    last: Mutex<VecDeque<RestedDebate>>,
}

struct RestedDebate {
    id: String,
    /// The number of the last entry of its log.
    seq: u64,
    debate: Debate,
}

impl RestedDebates {
    pub fn keep(&self, id: &str, seq: u64, debate: Debate) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.retain(|one| one.id != id);
        last.truncate(MOST - 1);
        last.push_front(RestedDebate { id: id.into(), seq, debate });
    }

    /// Returns the debate if its log still ends with this entry.
    pub fn find(&self, id: &str, seq: u64) -> Option<Debate> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.iter().find(|one| one.id == id && one.seq == seq).map(|one| one.debate.clone())
    }
}
