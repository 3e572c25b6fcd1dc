//! The embedder that compares positions: the table inside the program, which needs
//! no network, or an endpoint of the user's.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agents::embed::{self, Calibration, Embedder, Endpoint, HttpEmbedder, StaticEmbedder};
use agents::http::json::JsonClient;
use async_recursion::async_recursion as boxed;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::clock;
use crate::config::Config;
use crate::config::keys::is_misplaced_key;
use crate::error::{At, EngineError, Problem, Refusal, Remedy};

const TIMEOUT: Duration = Duration::from_secs(60);

pub fn embedder(config: &Config) -> Result<Arc<dyn Embedder>, EngineError> {
    let Some(chosen) = &config.file.embedder else { return Ok(Arc::new(StaticEmbedder::new())) };
    let base = &chosen.base_url;
    if !(base.starts_with("http://") || base.starts_with("https://")) {
        // The address may be a key that belongs elsewhere, so it is not repeated.
        let problem =
            Problem::out_of_range("http:// or https://, such as http://127.0.0.1:11434/v1");
        return Err(Refusal::new(At::ConfigKey("embedder.base_url".into()), problem).into());
    }
    if is_misplaced_key(chosen.key_variable.as_deref()) {
        let at = At::ConfigKey("embedder.key_variable".into());
        return Err(Refusal::new(at, Problem::NotAVariable).into());
    }
    let key = match &chosen.key_variable {
        None => None,
        Some(name) => match config.environment.get(name) {
            Some(key) => Some(SecretString::from(key)),
            None => {
                let remedy = Remedy::SetVariable { names: vec![name.clone()] };
                let at = At::ConfigKey("embedder.key_variable".into());
                return Err(Refusal::new(at, Problem::NotSet).given(name).help(remedy).into());
            }
        },
    };
    let endpoint =
        Endpoint { base_url: base.clone(), model: chosen.model.clone(), key, timeout: TIMEOUT };
    let post = JsonClient::new(None).map_err(|error| {
        let problem = Problem::Failed { why: error.to_string() };
        Refusal::new(At::Embedder(chosen.model.clone()), problem)
    })?;
    let post = Arc::new(post);
    Ok(Arc::new(match kept(config) {
        Some(calibration) => HttpEmbedder::calibrated(endpoint, post, calibration),
        None => HttpEmbedder::new(endpoint, post),
    }))
}

/// A calibration of the user's embedder, stored next to the database.
#[derive(Serialize, Deserialize)]
struct SavedCalibration {
    base_url: String,
    model: String,
    calibration: Calibration,
}

fn file(config: &Config) -> PathBuf {
    config.paths.database.with_file_name("embedder-calibration.json")
}

/// Reads the calibration of the embedder that is configured now.
fn kept(config: &Config) -> Option<Calibration> {
    let chosen = config.file.embedder.as_ref()?;
    let text = std::fs::read_to_string(file(config)).ok()?;
    let kept: SavedCalibration = serde_json::from_str(&text).ok()?;
    (kept.base_url == chosen.base_url && kept.model == chosen.model).then_some(kept.calibration)
}

/// Measures the configured embedder on text pairs with known similarity, so that
/// its figures mean the same as those of every other embedder, and stores the
/// result.
#[boxed]
pub async fn calibrate(config: &Config) -> Result<String, EngineError> {
    let Some(chosen) = &config.file.embedder else {
        let expected = "nothing: the table inside the program is calibrated already";
        let problem = Problem::Missing { expected: expected.into() };
        return Err(Refusal::new(At::ConfigKey("embedder".into()), problem).into());
    };
    let embedder = embedder(config)?;
    let cannot =
        |why| Refusal::new(At::Embedder(chosen.model.clone()), Problem::NotCalibrated { why });
    let pairs = embed::own_pairs().map_err(|error| cannot(error.to_string()))?;
    let today = clock::today();
    let calibration =
        embed::calibrate(embedder.as_ref(), &pairs, "the program's own pairs", &today)
            .await
            .map_err(|error| cannot(error.to_string()))?;
    let sentence = calibration.sentence();
    let kept = SavedCalibration {
        base_url: chosen.base_url.clone(),
        model: chosen.model.clone(),
        calibration,
    };
    let path = file(config);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| cannot(error.to_string()))?;
    }
    let text = serde_json::to_string_pretty(&kept).map_err(|error| cannot(error.to_string()))?;
    std::fs::write(&path, text).map_err(|error| cannot(error.to_string()))?;
    Ok(sentence)
}
