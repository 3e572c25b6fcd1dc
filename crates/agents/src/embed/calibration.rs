//! From cosine to similarity. One embedder gives unrelated texts a cosine of
//! 0.1, another 0.7, so a threshold on the cosine means nothing by itself. A
//! calibration is a rising line of straight pieces that puts an embedder's
//! cosines on the scale of human judgement, 0 (unrelated) to 1 (same meaning).
//!
//! The line links percentiles: the cosine below which a third of the judged
//! pairs lie reads as the judgement below which a third of them lie. Predicting
//! the mean judgement instead would draw a weak embedder's figures towards the
//! middle, so that 0.80 would be harder to reach with it than with a strong one.
//! Because percentiles can be linked for pure noise too, a fit is refused where
//! the cosine explains too little of the judgements.

use debate::sorting::SortRows;
use serde::{Deserialize, Serialize};

use super::cosine;
use super::measure::{mean, spearman};

/// The map from one embedder's cosines to the common scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "StoredCalibration")]
pub struct Calibration {
    knots: Vec<Knot>,
    basis: Basis,
}

/// A point the line goes through.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Knot {
    pub cosine: f64,
    pub similarity: f64,
}

/// The evidence behind a calibration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum Basis {
    /// Pairs of texts that people judged.
    Judged {
        set: String,
        date: String,
        pairs: usize,
        /// Rank correlation of cosine and judgement.
        spearman: f64,
        /// Share of the judgements' variance that a rising curve over the cosine
        /// explains.
        explained: f64,
    },
    /// This embedder was not measured: the cosine stands as it is, and every
    /// place that shows a figure made with it must say so.
    Uncalibrated { why: String },
}

/// Why no calibration can be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    #[error("{got} judged pairs are too few to calibrate on; give at least {MIN_PAIRS}")]
    TooFew { got: usize },
    #[error(
        "pair {number} has cosine {cosine} and judgement {judgement}; \
         they must lie within -1 to 1 and 0 to 1"
    )]
    OutOfRange { number: usize, cosine: f64, judgement: f64 },
    #[error(
        "the cosines explain only {explained:.2} of the judgements' variance \
         (at least {MIN_EXPLAINED} is needed): this embedder does not see what the judges saw"
    )]
    Unrelated { explained: f64 },
    #[error("the points of a calibration must rise and lie within -1 to 1 and 0 to 1")]
    NotRising,
}

/// Fewer pairs than this draw an accidental line.
pub const MIN_PAIRS: usize = 30;
/// A rising curve through noise explains about 0.08 of 60 judgements.
pub const MIN_EXPLAINED: f64 = 0.25;

/// The percentiles at which the line is pinned. The top is always "the same text".
const PERCENTILES: [f64; 12] = [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
/// Each pin is a mean over this share of the pairs to either side.
const HALF_WINDOW: f64 = 0.025;
/// Two points closer than this are one.
const NEAREST: f64 = 1e-6;

const SAME: Knot = Knot { cosine: 1.0, similarity: 1.0 };

impl Calibration {
    /// A line through points that rise in both directions.
    pub fn new(knots: Vec<Knot>, basis: Basis) -> Result<Calibration, FitError> {
        let inside = knots.iter().all(|knot| {
            (-1.0..=1.0).contains(&knot.cosine) && (0.0..=1.0).contains(&knot.similarity)
        });
        let rising = knots.is_sorted_by(|a, b| a.cosine < b.cosine && a.similarity <= b.similarity);
        if knots.len() < 2 || !inside || !rising || knots.last() != Some(&SAME) {
            return Err(FitError::NotRising);
        }
        Ok(Calibration { knots, basis })
    }

    /// The cosine as it is, marked as such.
    pub fn uncalibrated(why: impl Into<String>) -> Calibration {
        Calibration {
            knots: vec![Knot { cosine: 0.0, similarity: 0.0 }, SAME],
            basis: Basis::Uncalibrated { why: why.into() },
        }
    }

    pub fn is_calibrated(&self) -> bool {
        matches!(self.basis, Basis::Judged { .. })
    }

    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    pub fn knots(&self) -> &[Knot] {
        &self.knots
    }

    /// Says which judged set this was fitted on, and when.
    pub fn named(mut self, name: &str, on: &str) -> Calibration {
        if let Basis::Judged { set, date, .. } = &mut self.basis {
            *set = name.to_owned();
            *date = on.to_owned();
        }
        self
    }

    /// A cosine on the common scale, 0 to 1.
    pub fn read(&self, cosine: f64) -> f64 {
        let after = self.knots.partition_point(|knot| knot.cosine < cosine);
        let below = after.checked_sub(1).and_then(|at| self.knots.get(at));
        match (below, self.knots.get(after)) {
            (Some(low), Some(high)) => {
                let part = (cosine - low.cosine) / (high.cosine - low.cosine);
                low.similarity + part * (high.similarity - low.similarity)
            }
            (None, Some(lowest)) => lowest.similarity,
            (Some(highest), None) => highest.similarity,
            (None, None) => cosine.clamp(0.0, 1.0),
        }
    }

    /// The similarity of two vectors, 0 to 1, the same in both directions and
    /// exactly 1 for equal vectors; `None` where they cannot be compared.
    pub fn similarity(&self, a: &[f32], b: &[f32]) -> Option<f64> {
        let cosine = cosine(a, b)?;
        // Rounding may leave a vector's cosine with itself a hair below 1.
        Some(if a == b { SAME.similarity } else { self.read(cosine) })
    }

    /// One sentence on the origin of the scale.
    pub fn sentence(&self) -> String {
        match &self.basis {
            Basis::Judged { set, date, pairs, spearman, .. } => {
                let origin =
                    if set.is_empty() { String::new() } else { format!(" ({set}, {date})") };
                format!(
                    "calibrated on {pairs} judged pairs{origin}; rank correlation {spearman:.2}"
                )
            }
            Basis::Uncalibrated { why } => format!("not calibrated: {why}"),
        }
    }
}

/// Fits a calibration to pairs of a cosine (−1 to 1) and a judgement (0 to 1).
/// The order of the pairs does not matter.
pub fn fit(pairs: &[(f64, f64)]) -> Result<Calibration, FitError> {
    for (&(cosine, judgement), number) in pairs.iter().zip(1..) {
        if !(-1.0..=1.0).contains(&cosine) || !(0.0..=1.0).contains(&judgement) {
            return Err(FitError::OutOfRange { number, cosine, judgement });
        }
    }
    if pairs.len() < MIN_PAIRS {
        return Err(FitError::TooFew { got: pairs.len() });
    }
    let (mut cosines, mut judgements): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let explained = explained(pairs);
    let rank = spearman(&cosines, &judgements).filter(|_| explained >= MIN_EXPLAINED);
    let Some(spearman) = rank else { return Err(FitError::Unrelated { explained }) };

    cosines.sort_by(f64::total_cmp);
    judgements.sort_by(f64::total_cmp);
    let mut knots: Vec<Knot> = Vec::with_capacity(PERCENTILES.len() + 1);
    for share in PERCENTILES {
        let cosine = around(&cosines, share);
        let similarity = around(&judgements, share);
        let rises = knots.last().is_none_or(|last| cosine > last.cosine + NEAREST);
        if rises && cosine < SAME.cosine - NEAREST {
            knots.push(Knot { cosine, similarity });
        }
    }
    knots.push(SAME);
    let basis = Basis::Judged {
        set: String::new(),
        date: String::new(),
        pairs: pairs.len(),
        spearman,
        explained,
    };
    Calibration::new(knots, basis)
}

/// The mean of the sorted values around a percentile.
fn around(sorted: &[f64], share: f64) -> f64 {
    let count = sorted.len() as f64;
    let half = (HALF_WINDOW * count).max(1.0);
    let start = (share * count - half).floor().max(0.0) as usize;
    let end = ((share * count + half).ceil() as usize).min(sorted.len());
    sorted.get(start..end).and_then(mean).unwrap_or_default()
}

/// The share of the judgements' variance explained by the best rising curve
/// over the cosine.
fn explained(pairs: &[(f64, f64)]) -> f64 {
    let judged: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let centre = mean(&judged).unwrap_or_default();
    let whole: f64 = judged.iter().map(|y| (y - centre).powi(2)).sum();
    let between: f64 =
        rising_blocks(pairs).iter().map(|block| block.weight * (block.mean - centre).powi(2)).sum();
    if whole > 0.0 { between / whole } else { 0.0 }
}

struct PooledBlock {
    mean: f64,
    weight: f64,
}

/// Isotonic regression: neighbours that fall are pooled until nothing falls.
fn rising_blocks(pairs: &[(f64, f64)]) -> Vec<PooledBlock> {
    let mut sorted = pairs.to_vec();
    // Equal cosines are judged high first, so that pooling makes them one.
    sorted.sort_rows_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut blocks: Vec<PooledBlock> = Vec::with_capacity(sorted.len());
    for (_, judgement) in sorted {
        let mut block = PooledBlock { mean: judgement, weight: 1.0 };
        while let Some(last) = blocks.pop_if(|last| last.mean >= block.mean) {
            let weight = last.weight + block.weight;
            block.mean = (last.mean * last.weight + block.mean * block.weight) / weight;
            block.weight = weight;
        }
        blocks.push(block);
    }
    blocks
}

/// A calibration as it is kept, before it is checked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredCalibration {
    knots: Vec<Knot>,
    basis: Basis,
}

impl TryFrom<StoredCalibration> for Calibration {
    type Error = FitError;

    fn try_from(stored: StoredCalibration) -> Result<Calibration, FitError> {
        Calibration::new(stored.knots, stored.basis)
    }
}

#[cfg(test)]
mod tests;
