//! How much may be spent, and the runner that keeps to it.
//!
//! The rule for a price that is not known: under a limit somebody set, the call
//! is refused, unless `allow_unpriced` is set; without one, and under the daily
//! limit that holds by default, it is made and counted as unpriced.

use std::sync::Arc;

use agents::tools::NATIVE_SEARCH;
use agents::{CancellationToken, MOST_SEARCHES, Outside, Panel};
use debate::model::{Ask, Brief, Input, MicroUsd, Step};
use store::{Caps, Store};

use crate::config::{Config, FileConfig};
use crate::error::EngineError;
use crate::run::{FailPoints, Mailbox, OwnPrices, PriceTable, Pricing, Runner, Throttle, Watchers};
use crate::sessions::start::PreparedDebate;
use crate::table::order::Order;
use crate::table::seats::Table;
use crate::table::tools;

/// Per day in UTC, for all debates of this database together.
pub const USUAL_DAILY_USD: f64 = 50.0;

/// An amount in dollars as typed; zero is none.
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

/// The limit of one debate: the order's, else the config file's.
pub fn of(order: &Order, file: &FileConfig, faults: &mut Vec<String>) -> Option<MicroUsd> {
    match (&order.budget, file.budget) {
        (Some(text), _) => amount("--budget", text, faults),
        (None, Some(usd)) => amount("config file: budget", &usd.to_string(), faults),
        (None, None) => None,
    }
}

/// The limits for a debate with this brief.
pub fn caps(config: &Config, brief: &Brief) -> Result<Caps, EngineError> {
    let mut faults = Vec::new();
    let file = &config.file;
    let daily = file.daily_budget.unwrap_or(USUAL_DAILY_USD);
    let day = amount("config file: daily_budget", &daily.to_string(), &mut faults);
    if !faults.is_empty() {
        return Err(EngineError::Input(faults));
    }
    let set_by_somebody = (file.daily_budget.is_some() && day.is_some()) || brief.budget.is_some();
    let allow_unpriced = file.allow_unpriced.unwrap_or(!set_by_somebody);
    Ok(Caps { debate: brief.budget, day, allow_unpriced })
}

/// A limit given for a debate that goes on, in place of its own.
pub fn raised(given: Option<&str>) -> Result<Option<MicroUsd>, EngineError> {
    let mut faults = Vec::new();
    let cap = given.and_then(|text| amount("budget", text, &mut faults));
    if faults.is_empty() { Ok(cap) } else { Err(EngineError::Input(faults)) }
}

/// What calls can cost, by the table and the user's own prices.
pub fn pricing(brief: &Brief, outside: &Outside) -> Arc<dyn Pricing> {
    Arc::new(PriceTable {
        plain: OwnPrices { script: outside.script.clone() },
        prices: outside.prices.clone(),
        tries: outside.http.retry.tries,
        searches: match brief.tools.iter().any(|tool| tool == NATIVE_SEARCH) {
            true => MOST_SEARCHES,
            false => 0,
        },
    })
}

/// The runner for a table, with everything it needs.
pub fn runner(
    config: &Config,
    brief: &Brief,
    table: &Table,
    store: &Store,
    watched: (Watchers, CancellationToken),
) -> Result<Runner, EngineError> {
    let (bus, interrupt) = watched;
    let tools::Equipment { outside, toolbox } = tools::open(config, brief, &table.outside)?;
    let panel = Panel::equipped(&table.agents, table.clerk.as_ref(), &outside, toolbox.as_ref());
    Ok(Runner {
        store: store.clone(),
        panel: panel.map_err(|error| EngineError::input(error.to_string()))?,
        embedder: Some(crate::table::embedder::embedder(config)?),
        bus,
        interrupt,
        post: Mailbox::open(store),
        pace: Throttle::default(),
        pricing: pricing(brief, &outside),
        caps: caps(config, brief)?,
        fail: FailPoints::armed_by(|name| config.environment.get(name)),
        toolbox,
    })
}

/// Searches of the provider's own that one step may make.
fn searches(brief: &Brief) -> u32 {
    match brief.tools.iter().any(|tool| tool == NATIVE_SEARCH) {
        true => MOST_SEARCHES,
        false => 0,
    }
}

/// About what a debate may cost at most, if no call has to be repeated: the first
/// asks at their dearest, for every seat and round. Calls without a known price
/// are not in it.
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
    // Those who speak later in a round are taken to cost what the first ones do.
    let seats = room.seats.len() as u64;
    let per_round = dearest * seats / (known.len() as u64).max(1);
    MicroUsd(per_round.saturating_mul(u64::from(room.brief.rounds)))
}
