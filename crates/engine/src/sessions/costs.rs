//! Spending by day, provider, model and debate, and what is left of today's budget.

use async_recursion::async_recursion as boxed;
use debate::model::{Brief, MicroUsd};
use serde::Serialize;
use store::{CostsBy, Reach, StoreError};

use crate::config::Config;
use crate::error::EngineError;
use crate::people::caller::Operation;
use crate::sessions::past::PastDebates;
use crate::table::{money, seats};

/// All spending, summed in four ways.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CostOverview {
    pub by_day: Vec<CostTotal>,
    pub by_provider: Vec<CostTotal>,
    pub by_model: Vec<CostTotal>,
    pub by_debate: Vec<CostTotal>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CostTotal {
    /// A day, a provider, a model or a debate's id.
    pub key: String,
    pub calls: u64,
    pub spent_usd: f64,
    /// Reserved for calls in flight.
    pub held_usd: f64,
    /// The most that calls of unknown fate can have cost.
    pub possibly_billed_usd: f64,
    pub ambiguous_calls: u64,
    /// Calls of unknown price, which are in no sum.
    pub unpriced_calls: u64,
    pub input_tokens: u64,
    /// The tokens among these that came from providers' caches.
    pub cached_tokens: u64,
    /// The amount that the caches saved, as far as prices are known.
    pub saved_usd: f64,
}

impl CostTotal {
    pub fn spent(&self) -> MicroUsd {
        MicroUsd::from_usd(self.spent_usd)
    }
}

/// Returns what is left of today's budget; `None` if there is no limit.
#[boxed]
pub async fn left_today(
    config: &Config,
    past: &PastDebates<'_>,
    brief: &Brief,
) -> Result<Option<MicroUsd>, EngineError> {
    let Some(cap) = money::caps(config, brief)?.day else { return Ok(None) };
    let today = crate::clock::today();
    let days = match past.store().await? {
        // The limit is everybody's.
        Some(store) => store.reaching(Reach::default()).costs(CostsBy::Day).await?,
        None => Vec::new(),
    };
    let spent = days
        .into_iter()
        .map(line)
        .find(|line| line.key == today)
        .map_or(0.0, |line| line.spent_usd + line.held_usd + line.possibly_billed_usd);
    Ok(Some(MicroUsd::from_usd((cap.usd() - spent).max(0.0))))
}

#[boxed]
pub async fn overview(config: &Config) -> Result<CostOverview, EngineError> {
    let store = match config.existing_store(Operation::Read).await {
        // No debate has been held yet, so nothing was spent.
        Err(StoreError::Missing { .. }) => None,
        other => Some(other?),
    };
    let prices = seats::prices(config)?;
    let mut sums = Vec::new();
    for by in CostsBy::ALL {
        let (lines, cached) = match &store {
            Some(store) => (store.costs(by).await?, store.cached(by).await?),
            None => Default::default(),
        };
        let mut lines: Vec<CostTotal> = lines.into_iter().map(line).collect();
        for one in cached {
            let saved = prices.saved(&one.provider, &one.model, one.cached_tokens);
            if let Some(line) = lines.iter_mut().find(|line| line.key == one.key) {
                line.saved_usd += saved.usd();
            }
        }
        sums.push(lines);
    }
    if let Some(store) = store {
        store.close().await;
    }
    let mut sums = sums.into_iter();
    let mut next = || sums.next().unwrap_or_default();
    Ok(CostOverview { by_day: next(), by_provider: next(), by_model: next(), by_debate: next() })
}

fn line(costs: store::CostLine) -> CostTotal {
    CostTotal {
        key: costs.key,
        calls: costs.calls,
        spent_usd: costs.spent.usd(),
        held_usd: costs.held.usd(),
        possibly_billed_usd: costs.possibly_billed.usd(),
        ambiguous_calls: costs.ambiguous_calls,
        unpriced_calls: costs.unpriced_calls,
        input_tokens: costs.input_tokens,
        cached_tokens: costs.cached_tokens,
        saved_usd: 0.0,
    }
}
