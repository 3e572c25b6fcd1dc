//! The budget, and the runner that keeps to it.
//!
//! The rule for unknown prices: under a limit that the user set, for the debate or
//! the day, the call is refused unless `allow_unpriced` is set. Under the default
//! daily limit the call is made and counted as unpriced, and the user is told (see
//! [`crate::table::affordable`]).

use std::sync::Arc;

use agents::tools::NATIVE_SEARCH;
use agents::{CancellationToken, MOST_SEARCHES, Outside, Panel};
use debate::model::{Brief, MicroUsd};
use store::{SpendingCaps, Store};

use crate::config::{Config, FileConfig};
use crate::error::{At, EngineError, Problem, Refusal, SettingName, refuse_all};
use crate::run::{FailPoints, Mailbox, OwnPrices, PriceTable, Pricing, Runner, Throttle, Watchers};
use crate::table::order::Order;
use crate::table::seats::Table;
use crate::table::tools;

/// The default daily limit (UTC) for all debates of this database together.
pub const USUAL_DAILY_USD: f64 = 50.0;

/// Parses an amount in dollars; zero means no limit.
pub fn amount(at: At, text: &str, faults: &mut Vec<Refusal>) -> Option<MicroUsd> {
    let usd = text.trim().trim_start_matches('$').parse::<f64>();
    match usd.ok().filter(|usd| usd.is_finite() && *usd >= 0.0) {
        Some(usd) => Some(MicroUsd::from_usd(usd)).filter(|amount| *amount > MicroUsd::ZERO),
        None => {
            let problem = Problem::malformed("an amount in USD, 0 (none) or more");
            faults.push(Refusal::new(at, problem).given(text));
            None
        }
    }
}

/// Returns the limit of one debate: the order's, else the config file's. A caller
/// from elsewhere may lower the config file's limit, never lift it.
pub fn of(order: &Order, file: &FileConfig, faults: &mut Vec<Refusal>) -> Option<MicroUsd> {
    let own = file.budget.and_then(|usd| amount(file_budget(), &usd.to_string(), faults));
    let Some(text) = &order.budget else { return own };
    let wanted = amount(At::Setting(SettingName::Budget), text, faults);
    if order.caller.is_remote { lower(wanted, own) } else { wanted }
}

/// The place of the config file's limit.
fn file_budget() -> At {
    At::ConfigKey("budget".into())
}

/// Returns the lower of two limits; `None` is no limit.
pub fn lower(one: Option<MicroUsd>, other: Option<MicroUsd>) -> Option<MicroUsd> {
    one.zip(other).map(|(one, other)| one.min(other)).or(one).or(other)
}

/// Returns the limit of the config file, which no caller from elsewhere may lift.
pub fn ceiling(config: &Config) -> Option<MicroUsd> {
    let usd = config.file.budget?;
    amount(file_budget(), &usd.to_string(), &mut Vec::new())
}

/// Returns the limits for a debate with this brief.
pub fn caps(config: &Config, brief: &Brief) -> Result<SpendingCaps, EngineError> {
    let mut faults = Vec::new();
    let file = &config.file;
    let daily = file.daily_budget.unwrap_or(USUAL_DAILY_USD);
    let day = amount(At::ConfigKey("daily_budget".into()), &daily.to_string(), &mut faults);
    refuse_all(faults)?;
    let set_by_somebody = (file.daily_budget.is_some() && day.is_some()) || brief.budget.is_some();
    let allow_unpriced = file.allow_unpriced.unwrap_or(!set_by_somebody);
    let owner_allows_unpriced = file.allow_unpriced == Some(true);
    Ok(SpendingCaps { debate: brief.budget, day, allow_unpriced, owner_allows_unpriced })
}

/// Parses a new limit for a debate that is resumed.
pub fn raised(given: Option<&str>) -> Result<Option<MicroUsd>, EngineError> {
    let mut faults = Vec::new();
    let at = At::Setting(SettingName::Budget);
    let cap = given.and_then(|text| amount(at, text, &mut faults));
    refuse_all(faults)?;
    Ok(cap)
}

/// Returns the pricing of calls, from the table and the user's own prices.
pub fn pricing(brief: &Brief, outside: &Outside) -> Arc<dyn Pricing> {
    Arc::new(price_table(brief, outside))
}

pub fn price_table(brief: &Brief, outside: &Outside) -> PriceTable {
    let searches = brief.tools.iter().any(|tool| tool == NATIVE_SEARCH);
    PriceTable {
        plain: OwnPrices { script: outside.script.clone() },
        prices: outside.prices.clone(),
        searches: if searches { MOST_SEARCHES } else { 0 },
    }
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
        panel: panel?,
        embedder: Some(crate::table::embedder::embedder(config)?),
        watchers,
        interrupt,
        mailbox: Mailbox::open(store),
        throttle: Throttle::default(),
        pricing: pricing(brief, &outside),
        caps: caps(config, brief)?,
        fail: FailPoints::armed_by(|name| config.environment.get(name)),
        toolbox,
        serves: false,
    })
}
