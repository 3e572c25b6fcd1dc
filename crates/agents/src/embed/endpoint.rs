//! Embedders behind an OpenAI-compatible `/embeddings` endpoint: a provider's or
//! a local server's. Builds the request and reads the response; the bytes are
//! sent by whatever [`JsonPost`] it is given.
//!
//! It checks that there is one finite vector per text, all of one length and of
//! the same length as ever before, and refuses the whole answer otherwise.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::http::json::{JsonPost, JsonRequest};

use super::{Calibration, EmbedError, Embedder, NoVector};

/// The address, model and key that vectors are fetched with.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Up to and including the version, such as `http://localhost:8080/v1`.
    pub base_url: String,
    pub model: String,
    pub key: Option<SecretString>,
    pub timeout: Duration,
}

/// Texts per request: the smallest limit among the known providers is 100.
const BATCH: usize = 96;

/// An embedder at the other end of an endpoint.
pub struct HttpEmbedder {
    endpoint: Endpoint,
    url: String,
    post: Arc<dyn JsonPost>,
    calibration: Calibration,
    /// The vectors' length, learnt from the first answer and held ever after.
    dims: OnceLock<usize>,
}

impl HttpEmbedder {
    /// An embedder that was not measured yet. No provider publishes how its
    /// cosines relate to judgements, so none is assumed.
    pub fn new(endpoint: Endpoint, post: Arc<dyn JsonPost>) -> HttpEmbedder {
        let why = format!("{} was not measured; its cosines are shown as they are", endpoint.model);
        HttpEmbedder::calibrated(endpoint, post, Calibration::uncalibrated(why))
    }

    /// An embedder with a calibration fitted earlier.
    pub fn calibrated(
        endpoint: Endpoint,
        post: Arc<dyn JsonPost>,
        calibration: Calibration,
    ) -> HttpEmbedder {
        let url = format!("{}/embeddings", endpoint.base_url.trim_end_matches('/'));
        HttpEmbedder { endpoint, url, post, calibration, dims: OnceLock::new() }
    }

    async fn vectors(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if let Some(at) = texts.iter().position(|text| text.trim().is_empty()) {
            return Err(EmbedError::NoVector { number: at + 1, why: NoVector::Empty });
        }
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let posting = JsonRequest {
                url: &self.url,
                key: self.endpoint.key.as_ref(),
                body: request(&self.endpoint.model, batch),
                timeout: self.endpoint.timeout,
            };
            let body = self.post.post(posting).await.map_err(|failure| EmbedError::Failed {
                embedder: self.endpoint.model.clone(),
                failure: Box::new(failure),
            })?;
            vectors.extend(self.checked(&body, batch.len())?);
        }
        Ok(vectors)
    }

    fn checked(&self, body: &Value, asked: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let embedder = || self.endpoint.model.clone();
        let vectors =
            read(body, asked).map_err(|why| EmbedError::Unusable { embedder: embedder(), why })?;
        let Some(first) = vectors.first().map(Vec::len) else { return Ok(vectors) };
        // Within an answer first: an answer that contradicts itself must not
        // settle the length for all that follow.
        let odd = |expected: usize| vectors.iter().map(Vec::len).find(|got| *got != expected);
        if let Some(got) = odd(first) {
            return Err(EmbedError::Dimension { embedder: embedder(), expected: first, got });
        }
        let expected = *self.dims.get_or_init(|| first);
        match odd(expected) {
            Some(got) => Err(EmbedError::Dimension { embedder: embedder(), expected, got }),
            None => Ok(vectors),
        }
    }
}

impl Embedder for HttpEmbedder {
    fn name(&self) -> &str {
        &self.endpoint.model
    }

    fn embed<'a>(
        &'a self,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        self.vectors(texts).boxed()
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}

/// The body that asks for the vectors of these texts.
pub fn request(model: &str, texts: &[String]) -> Value {
    json!({ "model": model, "input": texts })
}

/// The vectors of a response, in the order of the texts.
pub fn read(body: &Value, asked: usize) -> Result<Vec<Vec<f32>>, String> {
    let data =
        body.get("data").and_then(Value::as_array).ok_or("the answer has no list named data")?;
    if data.len() != asked {
        return Err(format!("{asked} texts were sent and {} vectors came back", data.len()));
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; asked];
    for (place, entry) in data.iter().enumerate() {
        let index = match entry.get("index") {
            None | Some(Value::Null) => place,
            Some(index) => index
                .as_u64()
                .and_then(|index| usize::try_from(index).ok())
                .ok_or_else(|| format!("an index is no number: {index}"))?,
        };
        let number = index.saturating_add(1);
        let slot = vectors
            .get_mut(index)
            .ok_or_else(|| format!("a vector came for text {number}, which was not sent"))?;
        if slot.replace(vector(entry, number)?).is_some() {
            return Err(format!("two vectors came for text {number}"));
        }
    }
    vectors.into_iter().collect::<Option<_>>().ok_or_else(|| "a text got no vector".into())
}

fn vector(entry: &Value, number: usize) -> Result<Vec<f32>, String> {
    let numbers = entry
        .get("embedding")
        .and_then(Value::as_array)
        .ok_or_else(|| format!("text {number} got no list named embedding"))?;
    let values: Option<Vec<f32>> = numbers
        .iter()
        .map(|value| value.as_f64().map(|value| value as f32).filter(|value| value.is_finite()))
        .collect();
    let values = values.ok_or_else(|| format!("the vector of text {number} holds no numbers"))?;
    if values.iter().all(|value| *value == 0.0) {
        return Err(format!("the vector of text {number} is empty or all zeros"));
    }
    Ok(values)
}

#[cfg(test)]
mod tests;
