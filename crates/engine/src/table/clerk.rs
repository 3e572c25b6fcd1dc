//! The clerk: the small model that reads the debate and never takes part. The user
//! names it, or it is chosen from another family than the debaters if possible.

use agents::providers::{KeyNeed, PROVIDERS, Tier};
use agents::{Outside, agent_spec};
use debate::casting;
use debate::model::Agent;

use crate::config::Config;
use crate::error::EngineError;
use crate::table::order::Order;

/// The word that disables the clerk.
const NONE: &str = "none";
const NAME: &str = "clerk";

pub fn seat(
    config: &Config,
    order: &Order,
    outside: &Outside,
    debaters: &[Agent],
) -> Result<Option<Agent>, EngineError> {
    match named(config, order) {
        _ if is_off(config, order) => Ok(None),
        Some(spec) => agent_spec::parse(spec, Tier::Light, &outside.settings)
            .map(|agent| Some(Agent { name: NAME.into(), ..agent }))
            .map_err(EngineError::from),
        None => Ok(chosen(outside, debaters)),
    }
}

/// True where the user wants no clerk.
pub fn is_off(config: &Config, order: &Order) -> bool {
    named(config, order).is_some_and(|word| word.eq_ignore_ascii_case(NONE))
}

fn named<'a>(config: &'a Config, order: &'a Order) -> Option<&'a str> {
    order.clerk.as_deref().or(config.file.clerk.as_deref())
}

/// Tries small models of every provider with a key, then those of the debaters' own
/// providers.
fn chosen(outside: &Outside, debaters: &[Agent]) -> Option<Agent> {
    let keyed = PROVIDERS.iter().filter(|row| {
        row.key == KeyNeed::Required
            && outside.settings.get(row.name).is_some_and(|own| own.key.is_some())
    });
    let light =
        keyed.filter_map(|row| agent_spec::parse(row.name, Tier::Light, &outside.settings).ok());
    let own =
        debaters.iter().filter(|agent| PROVIDERS.iter().any(|row| row.name == agent.provider));
    let candidates: Vec<Agent> = light
        .chain(own.cloned())
        .map(|agent| Agent { name: NAME.into(), temperature: None, ..agent })
        .collect();
    casting::choose_clerk(&candidates, debaters).and_then(|at| candidates.get(at).cloned())
}
