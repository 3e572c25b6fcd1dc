//! The models that are known: their providers, abilities and prices, from the
//! tables of this program and the config. No server is asked. Weights are
//! downloaded only on command.

use std::path::PathBuf;

use agents::models::{self, ModelFacts};
use agents::prices::Prices;
use agents::providers::{PROVIDERS, Settings, Tier};
use async_recursion::async_recursion as boxed;
use debate::model::Usage;
use serde::Serialize;

use crate::config::Config;
use crate::error::EngineError;
#[cfg(feature = "local")]
use crate::error::{At, Problem, Refusal, Remedy};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelOverview {
    /// The date on which the table was last compared with the providers' pages.
    pub date: &'static str,
    pub models: Vec<KnownWeights>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownWeights {
    pub provider: &'static str,
    pub model: String,
    /// `heavy` or `light`, if the provider's name alone selects this model.
    pub tiers: Vec<&'static str>,
    pub context: Option<u32>,
    pub output: Option<u32>,
    pub can: Vec<&'static str>,
    /// The price in USD per million tokens, if known.
    pub input_usd: Option<f64>,
    pub output_usd: Option<f64>,
}

/// Some prices rise with the length of a call; this is the length whose price is
/// shown.
const SMALL_CALL: u64 = 10_000;

const TIERS: [(Tier, &str); 2] = [(Tier::Heavy, "heavy"), (Tier::Light, "light")];

pub fn known(settings: &Settings, prices: &Prices) -> ModelOverview {
    let listed = models::listed();
    let mut rows = Vec::new();
    for row in PROVIDERS {
        let set = settings.get(row.name);
        let tiers: Vec<(Option<String>, &str)> =
            TIERS.iter().map(|(tier, word)| (row.model(*tier, set), *word)).collect();
        let mut names: Vec<String> = Vec::new();
        let of_table = listed.iter().filter(|known| known.provider == row.name);
        let of_table = of_table.map(|known| known.model.clone());
        for name in tiers.iter().filter_map(|(model, _)| model.clone()).chain(of_table) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        rows.extend(names.into_iter().map(|model| {
            let facts = models::facts(row.name, &model);
            let meant = |(name, _): &&(Option<String>, &str)| name.as_deref() == Some(&model);
            let million = |input, output| {
                let usage = Usage { input: Some(input), output: Some(output), ..Usage::default() };
                let cost = prices.price(row.name, &model, &usage, 0)?;
                Some(cost.usd() * (1_000_000 / SMALL_CALL) as f64)
            };
            KnownWeights {
                provider: row.name,
                tiers: tiers.iter().filter(meant).map(|(_, word)| *word).collect(),
                context: facts.context,
                output: facts.output,
                can: abilities(&facts),
                input_usd: million(SMALL_CALL, 0),
                output_usd: million(0, SMALL_CALL),
                model,
            }
        }));
    }
    rows.extend(in_process());
    ModelOverview { date: models::date(), models: rows }
}

/// Models that run inside this program.
#[cfg(feature = "local")]
fn in_process() -> Vec<KnownWeights> {
    let row = |model: &agents::local::known::KnownModel| KnownWeights {
        provider: agents::local::PROVIDER,
        model: model.name.into(),
        tiers: Vec::new(),
        context: None,
        output: None,
        can: vec!["structured"],
        input_usd: Some(0.0),
        output_usd: Some(0.0),
    };
    agents::local::known::KNOWN.iter().map(row).collect()
}

#[cfg(not(feature = "local"))]
fn in_process() -> Vec<KnownWeights> {
    Vec::new()
}

/// For a model that is not in the table, no abilities are claimed.
fn abilities(facts: &ModelFacts) -> Vec<&'static str> {
    if *facts == ModelFacts::UNKNOWN {
        return Vec::new();
    }
    let all = [
        (facts.structured, "structured"),
        (facts.tools, "tools"),
        (facts.search, "search"),
        (facts.reasoning, "reasoning"),
    ];
    all.into_iter().filter(|(can, _)| *can).map(|(_, word)| word).collect()
}

/// Returns the name and the size in bytes of the smallest model that can be downloaded.
#[cfg(feature = "local")]
pub fn smallest() -> Option<(&'static str, u64)> {
    let smallest = agents::local::known::KNOWN.iter().min_by_key(|model| model.bytes)?;
    Some((smallest.name, smallest.bytes))
}

#[cfg(not(feature = "local"))]
pub fn smallest() -> Option<(&'static str, u64)> {
    None
}

/// Downloads the weights of a model that runs in this process. `tell` is called at
/// every tenth. Existing weights are not downloaded again.
#[cfg(feature = "local")]
#[boxed]
pub async fn fetch(
    config: &Config,
    name: &str,
    from: Option<&str>,
    tell: &(dyn Fn(u64) + Sync),
) -> Result<PathBuf, EngineError> {
    use agents::local::{AbsentModel, download, known, locate};
    let folder = &config.paths.models;
    let model = known::find(name).ok_or_else(|| {
        let all: Vec<&str> = known::KNOWN.iter().map(|model| model.name).collect();
        let problem = Problem::unknown(name, &all);
        Refusal::new(At::Weights(name.into()), problem).given(name)
    })?;
    match locate(name, folder) {
        Ok(path) => return Ok(path),
        Err(AbsentModel::NotFetched { .. }) => {}
        Err(damaged) => {
            let problem = Problem::Failed { why: damaged.to_string() };
            let refusal = Refusal::new(At::Weights(name.into()), problem);
            return Err(refusal.help(Remedy::RemoveFile).into());
        }
    }
    let client = agents::http::web::WeightsClient::new(crate::table::seats::proxy(config))
        .map_err(|error| {
            Refusal::new(At::Weights(name.into()), Problem::Failed { why: error.to_string() })
        })?;
    let told = std::sync::atomic::AtomicU64::new(0);
    let progress = |progress: download::DownloadProgress| {
        let tenths = progress.done * 10 / progress.total.max(1);
        if told.swap(tenths, std::sync::atomic::Ordering::Relaxed) < tenths {
            tell(tenths);
        }
    };
    let url = from.map_or_else(|| model.url(), str::to_owned);
    let cancel = agents::CancellationToken::new();
    let fetched = download::download(model, &url, folder, &client, &progress, &cancel).await;
    fetched.map_err(|error| EngineError::Fetch(error.to_string()))
}

#[cfg(not(feature = "local"))]
#[boxed]
pub async fn fetch(
    _: &Config,
    _: &str,
    _: Option<&str>,
    _: &(dyn Fn(u64) + Sync),
) -> Result<PathBuf, EngineError> {
    let why = "this build has no model of its own. Build it with the feature `local`";
    Err(EngineError::Fetch(why.into()))
}
