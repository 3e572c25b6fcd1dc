//! Measures that an embedder is judged by: how well its figures rank and separate.
//! Each is absent where it has no meaning.

use debate::sorting::SortRows;

/// The rank correlation of two lists, −1 to 1. Equal values share a rank.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() != b.len() {
        return None;
    }
    let (a, b) = (ranks(a), ranks(b));
    let (mean_a, mean_b) = (mean(&a)?, mean(&b)?);
    let (mut both, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(&b) {
        both += (x - mean_a) * (y - mean_b);
        aa += (x - mean_a).powi(2);
        bb += (y - mean_b).powi(2);
    }
    let correlation = both / (aa * bb).sqrt();
    correlation.is_finite().then_some(correlation)
}

/// The chance that a figure of the first list lies above one of the second:
/// 0.5 where the figures cannot tell the two apart.
pub fn auroc(above: &[f64], below: &[f64]) -> Option<f64> {
    if above.is_empty() || below.is_empty() {
        return None;
    }
    let all: Vec<f64> = above.iter().chain(below).copied().collect();
    let rank_sum: f64 = ranks(&all).iter().take(above.len()).sum();
    let (n, m) = (above.len() as f64, below.len() as f64);
    Some((rank_sum - n * (n + 1.0) / 2.0) / (n * m))
}

pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Ranks from 1; equal values get the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
    order.sort_rows_by(|a, b| a.1.total_cmp(&b.1));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|a, b| a.1 == b.1) {
        let shared = before as f64 + (equal.len() as f64 + 1.0) / 2.0;
        for (at, _) in equal {
            if let Some(rank) = ranks.get_mut(*at) {
                *rank = shared;
            }
        }
        before += equal.len();
    }
    ranks
}

#[cfg(test)]
mod tests;
