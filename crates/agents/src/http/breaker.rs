//! Rests a model that keeps failing: after enough failures it is not asked for a
//! while, then one caller tries it out and the others wait for the result.
//! It decides only when to ask, never what an answer means, and it forgets
//! everything when the program ends.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use debate::model::FailureClass;
use secrecy::ExposeSecret;
use tokio::time::Instant;

use crate::wire::Target;

#[cfg(test)]
mod tests;

#[derive(Debug, Clone, Copy)]
pub struct BreakerPolicy {
    /// Failures in a row that rest a model.
    pub in_a_row: u32,
    /// Or this share of at least `enough` calls within `window`.
    pub share: f64,
    pub enough: usize,
    pub window: Duration,
    pub rest: Duration,
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        BreakerPolicy {
            in_a_row: 5,
            share: 0.5,
            enough: 10,
            window: Duration::from_secs(60),
            rest: Duration::from_secs(30),
        }
    }
}

/// The key of a breaker: one model of one provider for one API key. The API key
/// itself is not kept, only a number that differs where keys differ.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BreakerKey {
    provider: &'static str,
    host: String,
    key: u64,
    model: String,
}

impl BreakerKey {
    pub fn of(target: &Target) -> BreakerKey {
        let mut hasher = DefaultHasher::new();
        target.key.as_ref().map(|key| key.expose_secret()).hash(&mut hasher);
        BreakerKey {
            provider: target.provider.name,
            host: target.host.clone(),
            key: hasher.finish(),
            model: target.model.clone(),
        }
    }
}

impl BreakerKey {
    /// The account that all models of one key share.
    pub(crate) fn account(&self) -> BreakerKey {
        BreakerKey { model: String::new(), ..self.clone() }
    }
}

/// The breaker's answer to a caller that wants to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerPermit {
    Go,
    /// Go, and say how it went: the others wait for it.
    Probe,
    Wait(Duration),
}

/// All lines of one program. Clones share what they know.
#[derive(Debug, Clone, Default)]
pub struct Breakers {
    policy: BreakerPolicy,
    lines: Arc<Mutex<HashMap<BreakerKey, BreakerState>>>,
}

#[derive(Debug, Default)]
struct BreakerState {
    in_a_row: u32,
    recent: VecDeque<(Instant, TryHealth)>,
    rested_until: Option<Instant>,
    probing_since: Option<Instant>,
}

/// The end of a try, as far as the health of the model goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TryHealth {
    Well,
    Badly,
}

impl TryHealth {
    /// A refusal says nothing about health: the server was there and answered.
    pub fn judged(class: FailureClass) -> Option<TryHealth> {
        match class {
            FailureClass::Overloaded
            | FailureClass::TimedOut
            | FailureClass::Unreachable
            | FailureClass::RateLimited => Some(TryHealth::Badly),
            FailureClass::Blocked | FailureClass::Cancelled => None,
            _ => Some(TryHealth::Well),
        }
    }
}

/// A probe that was never judged (called off, say) is over after this long.
const PROBE_AT_MOST: Duration = Duration::from_secs(120);

impl Breakers {
    pub fn new(policy: BreakerPolicy) -> Breakers {
        Breakers { policy, lines: Arc::default() }
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<BreakerKey, BreakerState>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn leave(&self, line: &BreakerKey) -> BreakerPermit {
        let now = Instant::now();
        let mut lines = self.lines();
        let Some(state) = lines.get_mut(line) else { return BreakerPermit::Go };
        let Some(until) = state.rested_until else { return BreakerPermit::Go };
        if now < until {
            return BreakerPermit::Wait(until - now);
        }
        match state.probing_since {
            Some(since) if now < since + PROBE_AT_MOST => {
                BreakerPermit::Wait(Duration::from_millis(250))
            }
            _ => {
                state.probing_since = Some(now);
                BreakerPermit::Probe
            }
        }
    }

    pub fn went(&self, line: &BreakerKey, went: TryHealth) {
        let now = Instant::now();
        let mut lines = self.lines();
        let state = lines.entry(line.clone()).or_default();
        let probed = state.probing_since.take().is_some();
        state.recent.push_back((now, went));
        while state.recent.front().is_some_and(|(at, _)| now - *at > self.policy.window) {
            state.recent.pop_front();
        }
        match went {
            TryHealth::Well if probed || state.rested_until.is_none_or(|until| now >= until) => {
                state.in_a_row = 0;
                state.rested_until = None;
                if probed {
                    state.recent.clear();
                }
            }
            TryHealth::Well => state.in_a_row = 0,
            TryHealth::Badly => {
                state.in_a_row = state.in_a_row.saturating_add(1);
                let bad = state.recent.iter().filter(|(_, went)| *went == TryHealth::Badly).count();
                let many = state.recent.len() >= self.policy.enough
                    && bad as f64 >= state.recent.len() as f64 * self.policy.share;
                if probed || state.in_a_row >= self.policy.in_a_row || many {
                    state.rested_until = Some(now + self.policy.rest);
                }
            }
        }
    }

    /// Ends a probe without a result: another caller may try.
    pub fn abandoned(&self, line: &BreakerKey) {
        if let Some(state) = self.lines().get_mut(line) {
            state.probing_since = None;
        }
    }
}
