//! The budget, and the runner that keeps to it.
//!
//! The rule for unknown prices: under a limit that the user set, the call is
//! refused unless `allow_unpriced` is set. Without one, and under the default daily
//! limit, the call is made and counted as unpriced.

use std::sync::Arc;

use agents::tools::NATIVE_SEARCH;
use agents::{CancellationToken, MOST_SEARCHES, Outside, Panel};
use debate::model::{Ask, Brief, DebateEffort, Input, MicroUsd, Step};
use store::{SpendingCaps, Store};

use crate::config::{Config, FileConfig};
use crate::error::EngineError;
use crate::run::{FailPoints, Mailbox, OwnPrices, PriceTable, Pricing, Runner, Throttle, Watchers};
use crate::sessions::start::PreparedDebate;
use crate::table::order::Order;
use crate::table::seats::Table;
use crate::table::tools;

/// The default daily limit (UTC) for all debates of this database together.
pub const USUAL_DAILY_USD: f64 = 50.0;

/// Parses an amount in dollars; zero means no limit.
pub fn amount(name: &str, text: &str, faults: &mut Vec<String>) -> Option<MicroUsd> {
    let usd = text.trim().trim_start_matches('$').parse::<f64>();
    match usd.ok().filter(|usd| usd.is_finite() && *usd >= 0.0) {
        Some(usd) => Some(MicroUsd::from_usd(usd)).filter(|amount| *amount > MicroUsd::ZERO),
        None => {
            faults.push(format!(
                "{name}: {text:?} is not an amount in USD; allowed: 0 (none) or more"
            ));
            None
        }
    }
}

/// Returns the limit of one debate: the order's, else the config file's.
pub fn of(order: &Order, file: &FileConfig, faults: &mut Vec<String>) -> Option<MicroUsd> {
    match (&order.budget, file.budget) {
        (Some(text), _) => amount("--budget", text, faults),
        (None, Some(usd)) => amount("config file: budget", &usd.to_string(), faults),
        (None, None) => None,
    }
}

/// Returns the limits for a debate with this brief.
pub fn caps(config: &Config, brief: &Brief) -> Result<SpendingCaps, EngineError> {
    let mut faults = Vec::new();
    let file = &config.file;
    let daily = file.daily_budget.unwrap_or(USUAL_DAILY_USD);
    let day = amount("config file: daily_budget", &daily.to_string(), &mut faults);
    if !faults.is_empty() {
        return Err(EngineError::Input(faults));
    }
    let set_by_somebody = (file.daily_budget.is_some() && day.is_some()) || brief.budget.is_some();
    let allow_unpriced = file.allow_unpriced.unwrap_or(!set_by_somebody);
    Ok(SpendingCaps { debate: brief.budget, day, allow_unpriced })
}

/// Parses a new limit for a debate that is resumed.
pub fn raised(given: Option<&str>) -> Result<Option<MicroUsd>, EngineError> {
    let mut faults = Vec::new();
    let cap = given.and_then(|text| amount("budget", text, &mut faults));
    if faults.is_empty() { Ok(cap) } else { Err(EngineError::Input(faults)) }
}

/// Returns the pricing of calls, from the table and the user's own prices.
pub fn pricing(brief: &Brief, outside: &Outside) -> Arc<dyn Pricing> {
    Arc::new(PriceTable {
        plain: OwnPrices { script: outside.script.clone() },
        prices: outside.prices.clone(),
        tries: outside.http.retry.tries,
        searches: if brief.tools.iter().any(|tool| tool == NATIVE_SEARCH) {
            MOST_SEARCHES
        } else {
            0
        },
    })
}

/// Builds the runner for a table.
pub fn runner(
    config: &Config,
    brief: &Brief,
    table: &Table,
    store: &Store,
    watched: (Watchers, CancellationToken),
) -> Result<Runner, EngineError> {
    let (watchers, interrupt) = watched;
    let tools::Equipment { outside, toolbox } = tools::open(config, brief, &table.outside)?;
    let panel = Panel::equipped(&table.agents, table.clerk.as_ref(), &outside, toolbox.as_ref());
    Ok(Runner {
        store: store.clone(),
        panel: panel.map_err(|error| EngineError::input(error.to_string()))?,
        embedder: Some(crate::table::embedder::embedder(config)?),
        watchers,
        interrupt,
        mailbox: Mailbox::open(store),
        throttle: Throttle::default(),
        pricing: pricing(brief, &outside),
        caps: caps(config, brief)?,
        fail: FailPoints::armed_by(|name| config.environment.get(name)),
        toolbox,
    })
}

/// Searches by the provider itself that one step may make.
fn searches(brief: &Brief) -> u32 {
    if brief.tools.iter().any(|tool| tool == NATIVE_SEARCH) { MOST_SEARCHES } else { 0 }
}

/// Estimates the most a debate may cost if no call is repeated: the highest cost of
/// the first asks, for every seat and round. Calls of unknown price are not
/// included.
pub fn estimate(prepared: &PreparedDebate) -> MicroUsd {
    let outside = &prepared.table.outside;
    let pricing = PriceTable {
        plain: OwnPrices { script: outside.script.clone() },
        prices: outside.prices.clone(),
        tries: 1,
        searches: searches(&prepared.debate.room().brief),
    };
    let mut debate = prepared.debate.clone();
    debate.hear(Input::Go);
    let Step::Ask(asks) = debate.next_step() else { return MicroUsd::ZERO };
    let room = debate.room();
    let worst = |ask: &Ask| pricing.worst(room.brief.agents.get(ask.agent?)?, ask);
    let known: Vec<MicroUsd> = asks.iter().filter_map(worst).collect();
    let dearest: u64 = known.iter().map(|cost| cost.0).sum();
    // Agents that speak later in a round are assumed to cost as much as the first
    // ones.
    let seats = room.seats.len() as u64;
    let per_round = dearest * seats / (known.len() as u64).max(1);
    MicroUsd(per_round.saturating_mul(most_rounds(&room.brief, seats)))
}

/// The rounds at most: those that are planned, and the sealed ones before them.
fn most_rounds(brief: &Brief, seats: u64) -> u64 {
    let planned = u64::from(brief.rounds);
    let sealed = (u64::from(brief.samples) / seats.max(1)).max(1);
    match brief.effort {
        DebateEffort::Adaptive => planned.saturating_sub(1).saturating_add(sealed),
        DebateEffort::Vote if brief.question.is_closed() => sealed,
        DebateEffort::Vote => 1,
        DebateEffort::Debate => planned,
    }
}
