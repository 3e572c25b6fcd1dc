//! Analysing a stored debate again, with other thresholds, another algorithm or
//! another embedder. No agent is asked, and the stored debate stays as it is.

use agents::embed::{self, Embedder};
use async_recursion::async_recursion as boxed;
use debate::model::{Algorithm, TextSimilarities};
use debate::{Debate, Reanalysis, ReanalysisResult};

use crate::config::{self, Config};
use crate::error::{EngineError, Problem, Refusal, SettingName, refuse_all};
use crate::sessions::list;
use crate::table::brief::faults;
use crate::table::embedder;

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

#[boxed]
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
                let problem = Problem::unknown(name, &Algorithm::ALL.map(Algorithm::word));
                faults.push(Refusal::setting(SettingName::Algorithm, name, problem));
            }
        }
    }
    by.thresholds = faults::thresholds(&by.thresholds, &other.thresholds, &mut faults);
    let pairs = faults::pairs(&other.flags, &mut faults);
    match config::overlay(&by.flags, &pairs) {
        Ok(flags) => by.flags = flags,
        Err(error) => faults.extend(error.refusals()),
    }
    refuse_all(faults)
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
