//! How good a row of probabilities was: accuracy, Brier score, calibration.

use super::figures::OPTIONS;

/// A probability for each option.
pub type Beliefs = [f64; OPTIONS];

const BINS: usize = 10;
/// Two probabilities closer than this are a tie.
const SLACK: f64 = 1e-9;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Bin {
    count: f64,
    believed: f64,
    right: f64,
}

/// The sums over many items.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Score {
    items: f64,
    right: f64,
    brier: f64,
    bins: [Bin; BINS],
}

impl Score {
    /// A tie at the top counts as one choice among the tied, so that the order
    /// of the options wins nothing.
    pub fn add(&mut self, beliefs: &Beliefs, truth: usize) {
        let top = beliefs.iter().copied().fold(0.0, f64::max);
        let tied = |belief: &f64| *belief >= top - SLACK;
        let level = beliefs.iter().filter(|belief| tied(belief)).count() as f64;
        let right = if beliefs.get(truth).is_some_and(tied) { 1.0 / level } else { 0.0 };
        self.items += 1.0;
        self.right += right;
        for (option, belief) in beliefs.iter().enumerate() {
            let wanted = if option == truth { 1.0 } else { 0.0 };
            self.brier += (belief - wanted) * (belief - wanted);
        }
        let bin = ((top * BINS as f64) as usize).min(BINS - 1);
        if let Some(bin) = self.bins.get_mut(bin) {
            bin.count += 1.0;
            bin.believed += top;
            bin.right += right;
        }
    }

    /// How often the most probable option was the right one.
    pub fn accuracy(&self) -> f64 {
        self.right / self.items
    }

    /// The standard error of the accuracy.
    pub fn error(&self) -> f64 {
        let accuracy = self.accuracy();
        (accuracy * (1.0 - accuracy) / self.items).sqrt()
    }

    /// Squared error summed over the options, 0 to 2; lower is better.
    pub fn brier(&self) -> f64 {
        self.brier / self.items
    }

    /// How far the probability of the leading option lies from how often it is
    /// right, over ten bins of equal width.
    pub fn calibration_error(&self) -> f64 {
        let gap = |bin: &Bin| (bin.believed - bin.right).abs();
        self.bins.iter().map(gap).sum::<f64>() / self.items
    }
}
