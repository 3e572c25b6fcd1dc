//! The running counts behind every estimate. Each count fades toward nothing, so
//! that an estimate fades toward where it started and never past it.

use super::beta::Beta;
use crate::model::{Day, Estimate, EstimateStanding};

/// The weight of the starting point, in outcomes.
pub const PSEUDO_COUNTS: f64 = 10.0;
/// The weight of an agent's record elsewhere, in outcomes of a domain. It is less
/// than for evidence: models differ by domain more than evidence does.
pub const AGENT_PSEUDO_COUNTS: f64 = 5.0;
/// After so many days an outcome counts half, in days.
pub const EVIDENCE_HALF_LIFE: f64 = 180.0;
/// Models change faster than what evidence is worth.
pub const AGENT_HALF_LIFE: f64 = 90.0;
/// The most that one debate can add to the count of one type of evidence.
pub const MOST_PER_DEBATE: f64 = 2.0;
/// The share of a model's outcomes that counts for another version of it.
pub const VERSION_KEPT: f64 = 0.3;
/// The assumed reliability of an agent without outcomes.
pub const DEFAULT_RELIABILITY: f64 = 0.70;

const ENOUGH: f64 = 10.0;
pub(super) const NINETY: [f64; 2] = [0.05, 0.95];
const CAUTIOUS: f64 = 0.25;

/// Counts as they stood on a day.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct OutcomeCounts {
    pub good: f64,
    pub bad: f64,
    pub outcomes: u32,
}

impl OutcomeCounts {
    pub fn plus(self, other: OutcomeCounts, share: f64) -> OutcomeCounts {
        OutcomeCounts {
            good: self.good + other.good * share,
            bad: self.bad + other.bad * share,
            outcomes: self.outcomes + if share < 1.0 { 0 } else { other.outcomes },
        }
    }

    pub fn total(self) -> f64 {
        self.good + self.bad
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunningCounts {
    counts: OutcomeCounts,
    last: Day,
}

impl RunningCounts {
    pub fn on(&self, day: Day, half_life: f64) -> OutcomeCounts {
        let left = fading(day.since(self.last), half_life);
        let OutcomeCounts { good, bad, outcomes } = self.counts;
        OutcomeCounts { good: good * left, bad: bad * left, outcomes }
    }

    pub fn add(&mut self, day: Day, half_life: f64, good: f64, bad: f64) {
        let now = self.on(day, half_life);
        let outcomes = now.outcomes + 1;
        self.counts = OutcomeCounts { good: now.good + good, bad: now.bad + bad, outcomes };
        self.last = day.max(self.last);
    }
}

/// Returns the share of a count that is left after some days.
pub(super) fn fading(days: f64, half_life: f64) -> f64 {
    (-days / half_life).exp2()
}

/// A share with where it started and what was counted since.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posterior {
    pub prior: f64,
    pub beta: Beta,
    pub effective: f64,
    pub outcomes: u32,
}

impl Posterior {
    pub fn from(prior: f64, pseudo: f64, counts: OutcomeCounts) -> Posterior {
        Posterior {
            prior,
            beta: Beta::centred(prior, pseudo).with(counts.good, counts.bad),
            effective: counts.total(),
            outcomes: counts.outcomes,
        }
    }

    /// Nothing was counted, here or elsewhere: it stands exactly where it started.
    fn untouched(&self) -> bool {
        self.effective <= 0.0 && (self.beta.mean() - self.prior).abs() < 1e-12
    }

    pub fn mean(&self) -> f64 {
        if self.untouched() { self.prior } else { self.beta.mean() }
    }

    /// Returns the value that debates use. A lucky streak must not raise an
    /// agent's influence: a fall counts at once, a rise only as far as three
    /// chances in four bear it out, and in full when there are enough outcomes to
    /// rule a streak out.
    pub fn used(&self) -> f64 {
        let mean = self.mean();
        let settled = (self.effective / ENOUGH).min(1.0);
        if mean <= self.prior || settled >= 1.0 {
            return mean;
        }
        let cautious = self.beta.quantile(CAUTIOUS).max(self.prior);
        cautious + (mean - cautious).max(0.0) * settled
    }

    pub fn interval(&self) -> [f64; 2] {
        NINETY.map(|p| self.beta.quantile(p))
    }

    pub fn estimate(&self) -> Estimate {
        let interval = self.interval();
        let standing = match self.effective {
            _ if self.untouched() => EstimateStanding::Prior,
            effective if effective < ENOUGH => EstimateStanding::Few,
            _ if self.prior < interval[0] || self.prior > interval[1] => EstimateStanding::Learned,
            _ => EstimateStanding::Agrees,
        };
        Estimate {
            prior: self.prior,
            mean: self.mean(),
            used: self.used(),
            interval,
            effective: self.effective,
            outcomes: self.outcomes,
            standing,
        }
    }
}

/// Of one question: how often it was asked for, and what came of asking it.
#[derive(Debug, Clone, Default)]
pub(super) struct QuestionCounts {
    /// As it was last worded.
    pub words: String,
    pub running: RunningCounts,
    pub asked_for: u32,
    pub surfaced: u32,
    pub idle: u32,
}

impl QuestionCounts {
    pub fn add(&mut self, day: Day, good: f64, bad: f64) {
        self.running.add(day, EVIDENCE_HALF_LIFE, good, bad);
    }
}
