//! Reads the values of an order and collects everything that is wrong with them, so
//! that all faults are reported together.

use std::collections::BTreeMap;
use std::str::FromStr;

use debate::model::{Brief, Flags, Thresholds};

use crate::config::{self, Config, ConfigError};
use crate::error::{At, FileProblem, Problem, Refusal, SettingName};
use crate::table::order::Order;

/// The faults found so far. Each reader returns a usable value either way, so that
/// reading can continue.
#[derive(Default)]
pub(super) struct OrderFaults(pub Vec<Refusal>);

impl OrderFaults {
    /// Returns this debate's value, else the config file's, else the default.
    pub fn number<T: FromStr>(
        &mut self,
        name: SettingName,
        given: &Option<String>,
        from_file: Option<T>,
        usual: T,
        allowed: &str,
    ) -> T {
        match given.as_ref().map(|text| (text, text.trim().parse::<T>())) {
            None => from_file.unwrap_or(usual),
            Some((_, Ok(value))) => value,
            Some((text, Err(_))) => {
                self.0.push(Refusal::setting(name, text, Problem::malformed(allowed)));
                usual
            }
        }
    }

    pub fn word<T: Copy + Default, const N: usize>(
        &mut self,
        name: SettingName,
        given: Option<&String>,
        all: [T; N],
        word: fn(T) -> &'static str,
    ) -> T {
        let given: Vec<String> = given.cloned().into_iter().collect();
        self.words(name, &given, all, word).first().copied().unwrap_or_default()
    }

    pub fn words<T: Copy, const N: usize>(
        &mut self,
        name: SettingName,
        given: &[String],
        all: [T; N],
        word: fn(T) -> &'static str,
    ) -> Vec<T> {
        let mut found = Vec::new();
        for text in given {
            match all.into_iter().find(|value| word(*value).eq_ignore_ascii_case(text.trim())) {
                Some(value) => found.push(value),
                None => {
                    let problem = Problem::unknown(text, &all.map(word));
                    self.0.push(Refusal::setting(name, text, problem));
                }
            }
        }
        found
    }

    pub fn flags(&mut self, config: &Config, given: &[String]) -> Flags {
        let pairs = pairs(given, &mut self.0);
        match config.flags(&pairs) {
            Ok(resolved) => resolved.flags,
            Err(error) => {
                self.0.extend(error.refusals());
                Flags::default()
            }
        }
    }

    pub fn templates(&mut self, config: &Config, order: &Order) -> BTreeMap<String, String> {
        let read = match &order.words {
            None => return config.words.clone(),
            Some(folder) if folder.is_dir() => {
                config::read_words(folder).map_err(ConfigError::refusals)
            }
            Some(folder) => {
                let problem = Problem::File(FileProblem::FolderMissing);
                let at = At::Setting(SettingName::Words);
                Err(vec![Refusal::new(at, problem).given(folder.display().to_string())])
            }
        };
        read.unwrap_or_else(|faults| {
            self.0.extend(faults);
            BTreeMap::new()
        })
    }
}

/// Returns the faults of a brief, except those of its seats.
pub fn faults_of(brief: &Brief) -> Vec<Refusal> {
    let names: Vec<&str> = debate::modes::all().iter().map(|plan| plan.name).collect();
    debate::casting::check(brief, debate::modes::find(&brief.mode), &names)
        .into_iter()
        .filter(|fault| !fault.field.is_about_agents())
        .map(Refusal::from)
        .collect()
}

/// Splits `FLAG=VALUE` pairs.
pub fn pairs(given: &[String], faults: &mut Vec<Refusal>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for flag in given {
        match flag.split_once('=') {
            Some((key, value)) => pairs.push((key.trim().into(), value.trim().into())),
            None => {
                let problem = Problem::malformed("FLAG=VALUE");
                faults.push(Refusal::setting(SettingName::Flag, flag, problem));
            }
        }
    }
    pairs
}

/// Returns the thresholds with some of them set as `name=value`, each from 0 to 1.
pub fn thresholds(own: &Thresholds, set: &[String], faults: &mut Vec<Refusal>) -> Thresholds {
    let mut values = serde_json::to_value(own).unwrap_or_default();
    let known: Vec<String> =
        values.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
    for pair in set {
        let Some((name, value)) = pair.split_once('=') else {
            let problem = Problem::malformed("NAME=VALUE");
            faults.push(Refusal::setting(SettingName::Threshold, pair, problem));
            continue;
        };
        let name = name.trim();
        if !known.iter().any(|one| one == name) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let problem = Problem::unknown(name, &known);
            faults.push(Refusal::setting(SettingName::Threshold, name, problem));
            continue;
        }
        match value.trim().parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share)) {
            Some(share) => values[name] = share.into(),
            None => {
                let problem = Problem::out_of_range("a number from 0 to 1");
                let at = At::Threshold(name.into());
                faults.push(Refusal::new(at, problem).given(value));
            }
        }
    }
    serde_json::from_value(values).unwrap_or_else(|_| own.clone())
}
