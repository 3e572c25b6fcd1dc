//! The debates that this writer wrote last, as it left them, so that the first append of a run and
//! the ones after it need not look at them first. They are believed only while they are true: the
//! append changes the debate's row only if its hash is still the one that is known, the lease is
//! still held, or has never been taken, and the budgets allow it, in the same statement; otherwise
//! it looks after all. Whatever changes calls of a debate changes its row. Damage to a row is not
//! noticed here, but by everyone who reads it.

use std::collections::HashMap;

use crate::lease::Lease;
use crate::listing::ListedDebate;
use crate::request::{LeaseTurn, LogAppend};
use crate::spending::CallRow;

/// More runs than this at once are rare, and looking costs little.
const MOST: usize = 512;

#[derive(Default)]
pub(crate) struct KnownDebates {
    by_id: HashMap<String, KnownDebate>,
}

/// A debate as its last write left it.
pub(crate) struct KnownDebate {
    /// The lease of the run; `None` where no run has begun.
    pub lease: Option<Lease>,
    pub row: ListedDebate,
    /// The calls that appends of this run sent or ended.
    pub calls: Vec<CallRow>,
}

impl KnownDebate {
    /// Returns what the accounts of an append may hold, if it needs to know no more than that:
    /// accounts are sums that others change too, and are always looked at.
    pub(crate) fn is_enough_for(&self, log: &LogAppend) -> Option<Vec<(String, i64)>> {
        let is_known = |ask: &String| self.calls.iter().any(|call| call.ask == *ask);
        let calls = &log.events.calls;
        if log.events.entries.is_empty() || !calls.asks().iter().all(is_known) {
            return None;
        }
        log.caps.map_or_else(
            || Some(Vec::new()),
            |caps| calls.most_before(&log.lease.id, &caps, &self.calls),
        )
    }
}

impl KnownDebates {
    /// Takes what is known of a debate that is about to be appended to.
    pub(crate) fn take(&mut self, log: &LogAppend) -> Option<KnownDebate> {
        let known = self.by_id.remove(&log.lease.id)?;
        let is_own = match &known.lease {
            Some(lease) => *lease == log.lease,
            None => log.lease.epoch == 1 && matches!(log.turn, LeaseTurn::Takes(_)),
        };
        (is_own && known.row.last_seq == log.expected).then_some(known)
    }

    /// Remembers a debate as its opening or an append leaves it. That of a person is not remembered:
    /// the person's budgets are looked at for every append.
    pub(crate) fn keep(
        &mut self,
        id: &str,
        lease: Option<&Lease>,
        row: ListedDebate,
        calls: Vec<CallRow>,
    ) {
        if row.owner.is_some() {
            return;
        }
        if self.by_id.len() >= MOST {
            self.by_id.clear();
        }
        self.by_id.insert(id.into(), KnownDebate { lease: lease.cloned(), row, calls });
    }

    /// Forgets a debate whose run is over, or that is about to be deleted.
    pub(crate) fn forget(&mut self, id: &str) {
        self.by_id.remove(id);
    }
}
