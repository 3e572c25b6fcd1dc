//! Locations of the config file, the user's own templates, the database and other
//! files.

use std::path::PathBuf;

use etcetera::BaseStrategy;

use crate::config::{ConfigError, Environment};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    pub config_file: PathBuf,
    /// Tells whether the user named the config file, which then must exist.
    pub config_named: NamedBy,
    pub words: PathBuf,
    /// Keys of providers, readable by their owner alone.
    pub keys: PathBuf,
    pub database: PathBuf,
    /// Weights of models that run in this process.
    pub models: PathBuf,
    /// Results of benchmarks.
    pub bench: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    ByUser,
    ByConvention,
}

impl Paths {
    pub fn find(environment: &Environment) -> Result<Paths, ConfigError> {
        let base = etcetera::choose_base_strategy();
        let folder = |chosen: Option<&str>, variable: &'static str, usual: fn(&_) -> PathBuf| match (
            chosen, &base,
        ) {
            (Some(path), _) => Ok(PathBuf::from(path)),
            (None, Ok(base)) => Ok(usual(base).join("roundtable")),
            (None, Err(_)) => Err(ConfigError::NoHome { variable }),
        };
        let data = folder(
            environment.get("ROUNDTABLE_DATA_DIR"),
            "ROUNDTABLE_DATA_DIR",
            BaseStrategy::data_dir,
        )?;
        let named = environment.get("ROUNDTABLE_CONFIG");
        let config_file = match named {
            Some(file) => PathBuf::from(file),
            None => {
                folder(None, "ROUNDTABLE_CONFIG", BaseStrategy::config_dir)?.join("config.toml")
            }
        };
        let words = config_file.parent().map(|dir| dir.join("words")).unwrap_or_default();
        let keys = config_file.with_file_name("keys.toml");
        let config_named = if named.is_some() { NamedBy::ByUser } else { NamedBy::ByConvention };
        let (database, models) = (data.join("roundtable.db"), data.join("models"));
        let bench = data.join("bench");
        Ok(Paths { config_file, config_named, words, keys, database, models, bench })
    }
}
