//! Analysing a stored debate again, with other thresholds, another algorithm or
//! another embedder. No agent is asked, and the stored debate stays as it is.

use agents::embed::{self, Embedder};
use debate::model::{Algorithm, TextSimilarities, Thresholds};
use debate::{Debate, Reanalysis, ReanalysisResult};

use crate::config::{self, Config};
use crate::error::EngineError;
use crate::sessions::list;
use crate::table::embedder;
use crate::table::order;

#[derive(Debug, Clone, Default)]
pub struct OtherAnalysis {
    pub algorithm: Option<String>,
    /// `name=value`.
    pub thresholds: Vec<String>,
    /// `flag=value`.
    pub flags: Vec<String>,
}

pub struct AnalysedDebate {
    pub id: String,
    pub debate: Debate,
    pub anew: ReanalysisResult,
}

pub async fn analyse(
    config: &Config,
    id: &str,
    other: &OtherAnalysis,
) -> Result<AnalysedDebate, EngineError> {
    let session = list::show(config, id).await?;
    let mut by = session.debate.own_settings();
    settings(other, &mut by)?;
    let embedder = embedder::embedder(config)?;
    for record in &session.debate.room().rounds {
        by.compared.push(compared(embedder.as_ref(), &session.debate, record.number).await);
    }
    let anew = session.debate.reanalyse(&by);
    Ok(AnalysedDebate { id: session.id, debate: session.debate, anew })
}

fn settings(other: &OtherAnalysis, by: &mut Reanalysis) -> Result<(), EngineError> {
    let mut faults = Vec::new();
    if let Some(name) = &other.algorithm {
        match Algorithm::ALL.into_iter().find(|algorithm| algorithm.word() == name) {
            Some(algorithm) => by.algorithm = algorithm,
            None => {
                let hint = config::did_you_mean(name, &Algorithm::ALL.map(Algorithm::word));
                faults.push(format!("algorithm: {name:?} is unknown; {hint}"));
            }
        }
    }
    by.thresholds = thresholds(&by.thresholds, &other.thresholds, &mut faults);
    let pairs = order::pairs(&other.flags, &mut faults);
    match config::overlay(&by.flags, &pairs) {
        Ok(flags) => by.flags = flags,
        Err(error) => faults.extend(error.to_string().lines().map(str::to_owned)),
    }
    if faults.is_empty() { Ok(()) } else { Err(EngineError::Input(faults)) }
}

/// Returns the thresholds with some of them set as `name=value`, each from 0 to 1.
pub fn thresholds(own: &Thresholds, set: &[String], faults: &mut Vec<String>) -> Thresholds {
    let mut values = serde_json::to_value(own).unwrap_or_default();
    let known: Vec<String> =
        values.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
    for pair in set {
        let Some((name, value)) = pair.split_once('=') else {
            faults.push(format!("threshold: {pair:?} is not NAME=VALUE"));
            continue;
        };
        let name = name.trim();
        if !known.iter().any(|one| one == name) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let hint = config::did_you_mean(name, &known);
            faults.push(format!("threshold: there is no {name:?}; {hint}"));
            continue;
        }
        match value.trim().parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share)) {
            Some(share) => values[name] = share.into(),
            None => faults.push(format!(
                "threshold {name}: {value:?} is not allowed; allowed: a number from 0 to 1"
            )),
        }
    }
    serde_json::from_value(values).unwrap_or_else(|_| own.clone())
}

async fn compared(
    embedder: &dyn Embedder,
    debate: &Debate,
    round: u32,
) -> Result<TextSimilarities, String> {
    let texts: Vec<String> =
        debate.texts_of_round(round).into_iter().map(|text| text.text).collect();
    match embed::compare(embedder, &texts).await {
        Ok(similarities) => Ok(TextSimilarities { embedder: embedder.name().into(), similarities }),
        Err(error) => Err(error.to_string()),
    }
}
