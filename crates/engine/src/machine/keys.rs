//! Keys of providers and search APIs, kept where only their owner can read them. A
//! key is read from standard input, never from an argument, and is never shown.

use agents::providers::PROVIDERS;
use agents::search_engines::ENGINES;

use crate::config::Config;
use crate::config::keys::{self, KeyPlace};
use crate::error::{At, EngineError, Problem, Refusal, Remedy};

/// The place where a key is to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyDestination {
    File,
    Keyring,
}

/// Returns the providers whose keys people have, each with the page where it makes them.
pub fn pages() -> Vec<(&'static str, &'static str)> {
    PROVIDERS.iter().filter_map(|row| Some((row.name, row.key_page?))).collect()
}

/// Returns the names that can have a key, with the environment variable of each.
pub fn holders() -> Vec<(&'static str, &'static str)> {
    let providers = PROVIDERS.iter().filter_map(|row| Some((row.name, row.key_variable?)));
    let engines = ENGINES.iter().filter_map(|row| Some((row.name, row.key_variable?)));
    providers.chain(engines).collect()
}

/// Refuses names that have no key, before a key is asked for.
pub fn holder(given: &str) -> Result<(&'static str, &'static str), EngineError> {
    let all = holders();
    let found = all.iter().find(|(name, _)| name.eq_ignore_ascii_case(given.trim()));
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        let problem = Problem::unknown(given, &names);
        // The name may be a key that was typed in the wrong place, so it is not
        // repeated.
        let given = if given.len() > 20 { "that name" } else { given };
        Refusal::new(At::Provider(given.into()), problem).given(given).into()
    })
}

/// Stores a key and says what was done.
pub fn set(
    config: &Config,
    name: &str,
    given: &str,
    where_to: KeyDestination,
) -> Result<String, EngineError> {
    let (name, variable) = holder(name)?;
    let path = &config.paths.keys;
    let key = keys::fit(given)?;
    let place = match where_to {
        KeyDestination::File => {
            keys::keep(path, name, &key)?;
            format!("{} (readable by you alone)", path.display())
        }
        KeyDestination::Keyring => {
            keys::keep_in_keyring(name, &key)?;
            "the system keyring".into()
        }
    };
    let wins = match config.environment.get(variable) {
        Some(_) => format!("\n{variable} is set too, and wins while it is."),
        None => String::new(),
    };
    Ok(format!("The key of {name} is kept in {place}.{wins}"))
}

pub fn remove(config: &Config, name: &str) -> Result<String, EngineError> {
    let (name, variable) = holder(name)?;
    let path = &config.paths.keys;
    let from = keys::remove(path, name)?;
    if from.is_empty() {
        let refusal = Refusal::new(At::Provider(name.into()), Problem::NotSet);
        let set = config.environment.get(variable).is_some();
        let remedy = set.then(|| Remedy::RemoveWhereSet { variable: variable.into() });
        return Err(Refusal { remedy, ..refusal }.into());
    }
    let places: Vec<String> = from
        .iter()
        .map(|kept| match kept {
            KeyPlace::File => path.display().to_string(),
            KeyPlace::Keyring => "the system keyring".into(),
        })
        .collect();
    Ok(format!("The key of {name} is removed from {}.", places.join(" and ")))
}
