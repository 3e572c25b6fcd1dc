//! The tries of one ask at a provider: how often, for how long, and at what cost.

use std::time::Duration;

use debate::model::{Ask, Citation, FailureClass, Usage};
use tokio::time::Instant;

use crate::conversation::WantedCalls;
use crate::http::retry::RetryState;
use crate::http::silence::Patience;
use crate::wire::try_error::{RetryChance, TryError};

/// The times a provider may pause its own work and be asked to continue.
const MOST_PAUSES: usize = 5;

/// The tries of one ask so far, and their cost.
pub(super) struct Attempts {
    pub started: Instant,
    pub patience: Patience,
    pub requests: u32,
    pub adapted: u32,
    pub failed: u32,
    pub waited: Duration,
    pub spent: Usage,
    pub pauses: usize,
    /// Of the provider's own search, before it broke off.
    pub searches: u32,
    pub sources: Vec<Citation>,
}

impl Attempts {
    pub fn new(ask: &Ask) -> Attempts {
        let started = Instant::now();
        Attempts {
            started,
            patience: Patience::new(Duration::from_secs(u64::from(ask.timeout_seconds))),
            requests: 0,
            adapted: 0,
            failed: 0,
            waited: Duration::ZERO,
            spent: Usage::default(),
            pauses: 0,
            searches: 0,
            sources: Vec::new(),
        }
    }

    /// Notes a turn that the provider wants continued.
    pub fn pause(&mut self, calls: &WantedCalls) -> Result<(), TryError> {
        self.pauses += 1;
        if self.pauses > MOST_PAUSES {
            let what = "it kept stopping before it was done";
            let trouble = TryError::new(FailureClass::Unusable, what).again(RetryChance::Never);
            return Err(trouble.used(calls.bill.usage));
        }
        self.spent = self.spent.plus(calls.bill.usage);
        self.searches = self.searches.saturating_add(calls.searches);
        self.sources.extend(calls.sources.iter().cloned());
        Ok(())
    }

    pub fn so_far(&self) -> RetryState {
        let left = self.patience.until().saturating_duration_since(Instant::now());
        RetryState { failed: self.failed, waited: self.waited, left }
    }

    pub fn latency_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
