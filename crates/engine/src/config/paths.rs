//! Locations of the config file, the user's own templates, the database and other
//! files.

use std::path::PathBuf;

use etcetera::BaseStrategy;

use crate::clock;
use crate::config::Environment;

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
    /// The token of `roundtable serve`, readable by its owner alone.
    pub server_token: PathBuf,
    /// Results of benchmarks.
    pub bench: PathBuf,
    /// True if there is no home directory and the user named no folders: the paths
    /// lead to a temporary folder, and nothing can be kept.
    pub is_homeless: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    ByUser,
    ByConvention,
}

impl Paths {
    pub fn find(environment: &Environment) -> Paths {
        let base = etcetera::choose_base_strategy().ok();
        let (data, named) =
            (environment.get("ROUNDTABLE_DATA_DIR"), environment.get("ROUNDTABLE_CONFIG"));
        let is_homeless = base.is_none() && (data.is_none() || named.is_none());
        // A folder that does not exist and whose name cannot be guessed: what is
        // written there is gone with the process.
        let nowhere = format!("roundtable-{}", clock::new_secret());
        let passing = Environment::temporary_folder().join(nowhere);
        let folder = |usual: fn(&_) -> PathBuf| {
            base.as_ref().map_or_else(|| passing.clone(), |base| usual(base).join("roundtable"))
        };
        let data = data.map_or_else(|| folder(BaseStrategy::data_dir), PathBuf::from);
        let usual = || folder(BaseStrategy::config_dir).join("config.toml");
        let config_file = named.map_or_else(usual, PathBuf::from);
        let words = config_file.parent().map(|dir| dir.join("words")).unwrap_or_default();
        let keys = config_file.with_file_name("keys.toml");
        let config_named = if named.is_some() { NamedBy::ByUser } else { NamedBy::ByConvention };
        let (database, models) = (data.join("roundtable.db"), data.join("models"));
        let (bench, server_token) = (data.join("bench"), data.join("server-token"));
        Paths {
            config_file,
            config_named,
            words,
            keys,
            database,
            models,
            server_token,
            bench,
            is_homeless,
        }
    }
}
