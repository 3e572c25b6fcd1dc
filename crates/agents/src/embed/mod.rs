//! Turning texts into vectors, and vectors into a similarity that means the
//! same whichever embedder made them.
//!
//! Similarity tells whether two texts speak of the same thing. It does not tell
//! whether they agree: a sentence and its negation lie close together. It feeds
//! the convergence figures and nothing else. A text that has no vector is an
//! error with its reason; no vector is ever made up.

mod calibration;
mod calibration_rows;
mod compare;
pub mod endpoint;
mod judged;
mod measure;
mod punctuation;
mod static_table;
mod table;
mod wordpiece;

use debate::model::Failure;
use futures::future::BoxFuture;

pub use crate::http::json::{JsonPost, JsonRequest};
pub use calibration::{Basis, Calibration, FitError, Knot, fit};
pub use compare::compare;
pub use endpoint::{Endpoint, HttpEmbedder};
pub use judged::{CsvError, JudgedPair, csv_rows, judged_pairs, own_pairs};
pub use measure::{auroc, mean, spearman};
pub use static_table::{StaticEmbedder, TextVector};

/// Whatever turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// The name that stands beside every figure made with it.
    fn name(&self) -> &str;

    /// One vector per text, in order, all of one length; or no vectors at all.
    fn embed<'a>(&'a self, texts: &'a [String])
    -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>>;

    /// The map from this embedder's cosines to the common scale.
    fn calibration(&self) -> &Calibration;

    /// True where vectors are computed here, without a request.
    fn is_at_hand(&self) -> bool {
        false
    }
}

/// Why there are no vectors.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EmbedError {
    /// One of the texts cannot be placed.
    #[error("text {number} has no vector: {why}")]
    NoVector { number: usize, why: NoVector },
    /// The table in this binary cannot be read: a fault of the build.
    #[error("the embedding table in this program is damaged ({0}); reinstall it")]
    Table(String),
    /// The endpoint gave no answer.
    #[error("{embedder} gave no vectors: {}", failure.message)]
    Failed { embedder: String, failure: Box<Failure> },
    /// The endpoint answered with something else than vectors.
    #[error("{embedder} sent no usable vectors: {why}")]
    Unusable { embedder: String, why: String },
    /// Vectors of different lengths cannot be compared.
    #[error(
        "{embedder} sent a vector of {got} numbers where {expected} were expected; \
         the model behind it may have changed: compare only vectors of one model"
    )]
    Dimension { embedder: String, expected: usize, got: usize },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoVector {
    #[error("it is empty")]
    Empty,
    #[error("it holds no word the table knows (the table knows Latin script, best in English)")]
    NothingKnown,
}

/// Embeds both sides of every pair and fits the embedder's calibration to the
/// judgements. `set` and `date` say where the figures come from.
pub async fn calibrate(
    embedder: &dyn Embedder,
    pairs: &[JudgedPair],
    set: &str,
    date: &str,
) -> Result<Calibration, CalibrateError> {
    let measured: Vec<(f64, f64)> = cosines(embedder, pairs)
        .await?
        .into_iter()
        .zip(pairs)
        .map(|(cosine, pair)| (cosine, pair.similarity))
        .collect();
    Ok(fit(&measured)?.named(set, date))
}

/// The cosine of every pair.
pub async fn cosines(
    embedder: &dyn Embedder,
    pairs: &[JudgedPair],
) -> Result<Vec<f64>, EmbedError> {
    let (left, right): (Vec<String>, Vec<String>) =
        pairs.iter().map(|pair| (pair.a.clone(), pair.b.clone())).unzip();
    let left = embedder.embed(&left).await?;
    let right = embedder.embed(&right).await?;
    left.iter()
        .zip(&right)
        .map(|(a, b)| {
            cosine(a, b).ok_or_else(|| EmbedError::Dimension {
                embedder: embedder.name().to_owned(),
                expected: a.len(),
                got: b.len(),
            })
        })
        .collect()
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CalibrateError {
    #[error(transparent)]
    Embed(#[from] EmbedError),
    #[error(transparent)]
    Fit(#[from] FitError),
}

/// The cosine of two vectors, −1 to 1; `None` where they differ in length or
/// one has no direction.
pub fn cosine(a: &[f32], b: &[f32]) -> Option<f64> {
    if a.len() != b.len() {
        return None;
    }
    let (mut dot, mut aa, mut bb) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (&x, &y) in a.iter().zip(b) {
        let (x, y) = (f64::from(x), f64::from(y));
        dot += x * y;
        aa += x * x;
        bb += y * y;
    }
    // One root of each, so that swapping the two changes not a single bit.
    let cosine = dot / (aa.sqrt() * bb.sqrt());
    cosine.is_finite().then(|| cosine.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests;
