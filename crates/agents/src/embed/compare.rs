//! The similarity of texts, each with each, on the embedder's calibrated scale.

use super::{EmbedError, Embedder};

/// `result[i][j]`: the similarity of text i and text j, 0 to 1.
pub async fn compare(
    embedder: &dyn Embedder,
    texts: &[String],
) -> Result<Vec<Vec<Option<f64>>>, EmbedError> {
    let vectors = embedder.embed(texts).await?;
    let calibration = embedder.calibration();
    let row = |one: &Vec<f32>| {
        vectors.iter().map(|other| calibration.similarity(one, other)).collect::<Vec<_>>()
    };
    Ok(vectors.iter().map(row).collect())
}
