//! Money in whole millionths of a dollar, so that sums are exact, and tokens.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct MicroUsd(pub u64);

impl MicroUsd {
    pub const ZERO: MicroUsd = MicroUsd(0);

    pub fn from_usd(usd: f64) -> MicroUsd {
        MicroUsd((usd.max(0.0) * 1e6).ceil() as u64)
    }

    pub fn usd(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl fmt::Display for MicroUsd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = if self.0 > 0 && self.0 < 10_000 { 4 } else { 2 };
        write!(f, "${:.decimals$}", self.usd())
    }
}

impl Add for MicroUsd {
    type Output = MicroUsd;
    fn add(self, other: MicroUsd) -> MicroUsd {
        MicroUsd(self.0.saturating_add(other.0))
    }
}

impl AddAssign for MicroUsd {
    fn add_assign(&mut self, other: MicroUsd) {
        *self = *self + other;
    }
}

impl Sum for MicroUsd {
    fn sum<I: Iterator<Item = MicroUsd>>(items: I) -> MicroUsd {
        items.fold(MicroUsd::ZERO, Add::add)
    }
}

/// Tokens of one call as the provider counted them. `None` means the provider did
/// not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    pub input: Option<u64>,
    /// The tokens among these that came from the provider's cache.
    pub cached: Option<u64>,
    /// The tokens among these that were written into the cache, which may cost
    /// extra.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
}

impl Usage {
    pub fn total(&self) -> Option<u64> {
        match (self.input, self.output) {
            (None, None) => None,
            (input, output) => Some(input.unwrap_or(0) + output.unwrap_or(0)),
        }
    }

    pub fn plus(self, other: Usage) -> Usage {
        let add = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
        };
        Usage {
            input: add(self.input, other.input),
            cached: add(self.cached, other.cached),
            written: add(self.written, other.written),
            output: add(self.output, other.output),
            reasoning: add(self.reasoning, other.reasoning),
        }
    }
}

/// The usage and the cost of one call. A cost of `None` means the price is not
/// known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Bill {
    pub usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<MicroUsd>,
    pub latency_ms: u64,
}

impl Bill {
    /// Both bills as one; it has a price where both have one.
    pub fn plus(self, other: &Bill) -> Bill {
        Bill {
            usage: self.usage.plus(other.usage),
            cost: self.cost.zip(other.cost).map(|(one, more)| one + more),
            latency_ms: self.latency_ms.saturating_add(other.latency_ms),
        }
    }
}

/// A sum of bills that counts the calls without a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tally {
    /// All calls that were made, whatever became of them.
    pub calls: u32,
    pub usage: Usage,
    pub cost: MicroUsd,
    pub unpriced_calls: u32,
    /// Calls that were in flight when a process ended: the provider may have
    /// billed them. They are among `calls`, and their cost is in no sum above.
    #[serde(skip_serializing_if = "is_zero")]
    pub ambiguous_calls: u32,
    /// The most they can have cost, if their price was known.
    #[serde(skip_serializing_if = "is_nothing")]
    pub possibly_billed: MicroUsd,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

fn is_nothing(amount: &MicroUsd) -> bool {
    *amount == MicroUsd::ZERO
}

impl Tally {
    pub fn add(&mut self, bill: &Bill) {
        self.calls += 1;
        self.usage = self.usage.plus(bill.usage);
        match bill.cost {
            Some(cost) => self.cost += cost,
            None => self.unpriced_calls += 1,
        }
    }
}
