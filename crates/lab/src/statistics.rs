//! The few statistics the measurements rest on: bootstrap intervals, McNemar's
//! exact test, Holm's correction. The same seed gives the same digits.

use debate::sorting::SortRows;
use serde::{Deserialize, Serialize};

/// How often an interval is drawn anew where a claim hangs on it.
pub const RESAMPLES: usize = 10_000;
/// And where it only shows the spread.
pub const FEWER_RESAMPLES: usize = 2_000;
/// What an interval leaves out at each end: together one in twenty.
const TAIL: f64 = 0.025;

/// A figure with its 95 % interval; without one where there is too little to
/// tell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IntervalEstimate {
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl IntervalEstimate {
    pub fn is_above(&self, bound: f64) -> bool {
        self.low.is_some_and(|low| low > bound)
    }

    pub fn is_below(&self, bound: f64) -> bool {
        self.high.is_some_and(|high| high < bound)
    }
}

/// Numbers that look random and are the same every time (SplitMix64).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of `count` numbers from 0, all alike.
    pub fn below(&mut self, count: usize) -> usize {
        // The high half of a product is fair to within one part in 2^64 ÷ count.
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }
}

/// The mean of some values and its interval: the values are drawn again and
/// again, with replacement.
pub fn bootstrap(values: &[f64], seed: u64, resamples: usize) -> Option<IntervalEstimate> {
    let value = mean(values.iter().copied())?;
    if values.len() < 2 {
        return Some(IntervalEstimate { value, low: None, high: None });
    }
    let mut dice = Dice::new(seed);
    let mut drawn = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        let mut sum = 0.0;
        for _ in 0..values.len() {
            sum += values.get(dice.below(values.len())).copied().unwrap_or_default();
        }
        drawn.push(sum / values.len() as f64);
    }
    drawn.sort_by(f64::total_cmp);
    Some(IntervalEstimate {
        value,
        low: quantile(&drawn, TAIL),
        high: quantile(&drawn, 1.0 - TAIL),
    })
}

/// Of numbers in order.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = share * last as f64;
    let below = *sorted.get(at.floor() as usize)?;
    let above = *sorted.get(at.ceil() as usize)?;
    Some(below + (above - below) * at.fract())
}

pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

/// McNemar's test, exact and two-sided: how likely so uneven a split of the
/// cases that only one of the two got right is, if both are equally good.
pub fn mcnemar(only_one: u64, only_other: u64) -> f64 {
    let all = only_one + only_other;
    if all == 0 {
        return 1.0;
    }
    let fewer = only_one.min(only_other);
    let (mut log_choose, mut sum) = (0.0_f64, 0.0_f64);
    let log_half = all as f64 * 0.5_f64.ln();
    for taken in 0..=fewer {
        if taken > 0 {
            log_choose += ((all - taken + 1) as f64).ln() - (taken as f64).ln();
        }
        sum += (log_choose + log_half).exp();
    }
    (2.0 * sum).min(1.0)
}

/// Holm's correction for having asked several questions, in the given order.
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    let of = |at: &usize| chances.get(*at).copied().unwrap_or(1.0);
    order.sort_rows_by(|a, b| of(a).total_cmp(&of(b)));
    let mut corrected = vec![1.0; chances.len()];
    let mut largest = 0.0_f64;
    for (rank, at) in order.iter().enumerate() {
        largest = largest.max((of(at) * (chances.len() - rank) as f64).min(1.0));
        if let Some(slot) = corrected.get_mut(*at) {
            *slot = largest;
        }
    }
    corrected
}
