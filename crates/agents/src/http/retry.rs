//! When to try again and how long to wait first. A server's own wait is a
//! minimum; what cannot be waited for in the time left is not waited for.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use reqwest::header::HeaderMap;

use crate::wire::try_error::{RetryChance, TryError};

#[cfg(test)]
mod tests;

#[derive(Debug, Clone, Copy)]
pub struct RetryPolicy {
    /// Tries in all, the first included.
    pub tries: u32,
    /// The first backoff; it doubles with every try.
    pub base: Duration,
    pub cap: Duration,
    /// The most that one ask may wait in all.
    pub total_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        RetryPolicy {
            tries: 3,
            base: Duration::from_secs(1),
            cap: Duration::from_secs(30),
            total_wait: Duration::from_secs(300),
        }
    }
}

/// The step after a failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryStep {
    TryAfter(Duration),
    GiveUp,
    /// Waiting as long as the server asks would pass the time there is.
    TooLongToWait(Duration),
}

/// The state of one ask after a failed try.
#[derive(Debug, Clone, Copy, Default)]
pub struct RetryState {
    /// Tries that failed, this one included.
    pub failed: u32,
    pub waited: Duration,
    /// Until the ask's own timeout.
    pub left: Duration,
}

impl RetryPolicy {
    pub fn next(&self, trouble: &TryError, so_far: RetryState) -> RetryStep {
        let allowed = match trouble.again {
            RetryChance::Never => 1,
            RetryChance::Once => self.tries.min(2),
            RetryChance::Yes => self.tries,
        };
        if so_far.failed >= allowed {
            return RetryStep::GiveUp;
        }
        let backoff = self.backoff(so_far.failed, chance());
        let wait = trouble.wait.unwrap_or_default().saturating_add(backoff);
        let room = self.total_wait.saturating_sub(so_far.waited).min(so_far.left);
        match (wait < room, trouble.wait) {
            (true, _) => RetryStep::TryAfter(wait),
            (false, Some(asked)) => RetryStep::TooLongToWait(asked),
            (false, None) => RetryStep::GiveUp,
        }
    }

    /// Anywhere between nothing and the doubled base, so that many callers do
    /// not come back at the same instant.
    fn backoff(&self, failed: u32, chance: f64) -> Duration {
        let doubled = self.base.saturating_mul(2u32.saturating_pow(failed.saturating_sub(1)));
        doubled.min(self.cap).mul_f64(chance)
    }
}

/// A number from 0 to 1. Spreading retries needs no better randomness than the
/// one the standard library seeds its tables with.
pub(crate) fn chance() -> f64 {
    (RandomState::new().hash_one(0u8) >> 11) as f64 / (1u64 << 53) as f64
}

/// The wait a server asks for: milliseconds, seconds, or a date. A date is
/// compared with the server's own clock, so that ours does not matter.
pub fn asked_wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return duration(ms / 1000.0);
    }
    let after = text("retry-after")?;
    if let Ok(seconds) = after.parse::<f64>() {
        return duration(seconds);
    }
    let until = httpdate::parse_http_date(after).ok()?;
    let now = httpdate::parse_http_date(text("date")?).ok()?;
    until.duration_since(now).ok()
}

fn duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}
