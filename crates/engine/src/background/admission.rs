//! Who may start a debate now: so many may wait for their turn in this process, and so
//! many may one caller start in a minute. A start that is refused says when to try again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::pace::{self, Pace};
use crate::config::Config;
use crate::error::EngineError;

/// The number of debates that may wait for their turn unless the config file sets it.
const MOST_QUEUED: usize = 100;
/// The number of debates that a caller over HTTP may start in a minute unless the config
/// file sets it.
const STARTS_PER_MINUTE: usize = 60;
const MINUTE: Duration = Duration::from_secs(60);
/// A queue that is full has room again after about this many seconds.
const QUEUE_SECONDS: u64 = 30;

/// The permission to run a debate now or as soon as it is its turn. Dropping it makes
/// room for another one.
pub struct StartPermit(#[allow(dead_code, reason = "held, never read")] OwnedSemaphorePermit);

pub(super) struct Admission {
    /// Debates that run.
    pub places: Arc<Semaphore>,
    /// Sets the number of places by the pace of the answers; `None` if the config file
    /// sets it.
    pub pace: Option<Arc<Pace>>,
    /// Debates that run or wait.
    slots: Arc<Semaphore>,
    /// `None` if the user's own client is the only caller.
    per_minute: Option<usize>,
    recent: Mutex<HashMap<String, VecDeque<Instant>>>,
}

impl Admission {
    pub fn new(config: &Config, counts_starts: bool) -> Admission {
        let server = &config.file.server;
        let set = server.most_debates.map(|most| most.max(1));
        let pace = set.is_none().then(|| Arc::new(Pace::new()));
        let fixed = || Arc::new(Semaphore::new(set.unwrap_or(1)));
        let running = set.unwrap_or(pace::MOST);
        let queued = server.most_queued.unwrap_or(MOST_QUEUED);
        let per_minute = server.starts_per_minute.unwrap_or(STARTS_PER_MINUTE).max(1);
        Admission {
            places: pace.as_ref().map_or_else(fixed, |pace| pace.places()),
            pace,
            slots: Arc::new(Semaphore::new(running.saturating_add(queued).min(1 << 20))),
            per_minute: counts_starts.then_some(per_minute),
            recent: Mutex::default(),
        }
    }

    /// Counts a start of this caller.
    pub fn count(&self, caller: &str) -> Result<(), EngineError> {
        let Some(most) = self.per_minute else { return Ok(()) };
        let now = Instant::now();
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |at: &Instant| now - *at >= MINUTE;
        recent.retain(|_, starts| starts.back().is_some_and(|last| !is_over(last)));
        let starts = recent.entry(caller.to_owned()).or_default();
        while starts.front().is_some_and(is_over) {
            starts.pop_front();
        }
        if starts.len() >= most {
            let wait = starts.front().map_or(MINUTE, |first| MINUTE - (now - *first));
            let why = format!("{most} debates were started within a minute");
            return Err(EngineError::Busy { why, retry_seconds: wait.as_secs() + 1 });
        }
        starts.push_back(now);
        Ok(())
    }

    /// Takes a slot for a debate that runs or waits.
    pub fn slot(&self) -> Result<StartPermit, EngineError> {
        let slot = Arc::clone(&self.slots).try_acquire_owned();
        slot.map(StartPermit).map_err(|_| EngineError::Busy {
            why: "as many debates as may wait for their turn are waiting already".into(),
            retry_seconds: QUEUE_SECONDS,
        })
    }
}
