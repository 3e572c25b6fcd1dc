//! Applies the constitution to a brief. An order that violates it is refused, never
//! silently changed.

use agents::embed;
use async_recursion::async_recursion as boxed;
use debate::model::{Algorithm, Brief};

use crate::config::Config;
use crate::error::{At, EngineError, Problem, Refusal, SeatProblem, SettingName};
use crate::table::embedder;
use crate::table::order::Order;

/// Requires evidence, unless the debate asks for another way to decide.
pub fn algorithm(config: &Config, order: &Order, brief: &mut Brief, faults: &mut Vec<Refusal>) {
    faults.extend(config.constitution.folder_fault.clone());
    if config.constitution.require_evidence != Some(true) {
        return;
    }
    let wanted = Algorithm::EvidenceBasedDebate;
    if order.algorithm.is_some() && brief.algorithm != wanted {
        let problem = Problem::Unconstitutional { allowed: Some(wanted.word().into()) };
        faults.push(Refusal::setting(SettingName::Algorithm, brief.algorithm.word(), problem));
    }
    brief.algorithm = wanted;
    brief.require_evidence = true;
}

/// Returns the embedder that tracks convergence, or none if it is not tracked.
#[boxed]
pub async fn embedder(config: &Config) -> Result<Option<String>, EngineError> {
    let track = config.constitution.track_convergence;
    if track == Some(false) {
        return Ok(None);
    }
    let embedder = embedder::embedder(config)?;
    if track == Some(true) {
        let probe = ["one position".to_owned(), "another position".to_owned()];
        embed::compare(embedder.as_ref(), &probe).await.map_err(|error| {
            let (embedder, why) = (embedder.name().to_string(), error.to_string());
            Refusal::new(At::Order, Problem::Seat(SeatProblem::NotComparable { embedder, why }))
        })?;
    }
    Ok(Some(embedder.name().to_string()))
}
