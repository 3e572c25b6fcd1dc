//! Configuration: the only reader of the environment and the config files. Every
//! value knows where it came from.

mod constitution;
mod environment;
mod file;
mod flags;
pub mod keys;
mod paths;
mod settings;
mod shared_http;
mod stores;
#[cfg(test)]
mod tests;
pub(crate) mod toml_fault;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use debate::model::Flags;
use store::StoreAddress;

use crate::bounded_file;
use crate::error::{At, EngineError, FileKind, FileProblem, Problem, Refusal, Remedy};
use crate::people::caller::Caller;

pub use constitution::Constitution;
pub use environment::{Environment, PagerProgram, PagingWish};
use file::DatabaseUrl;
pub use file::{FileConfig, OidcConfig, Profile, ServerConfig};
pub use flags::{FlagKind, FlagRow, ROWS as FLAG_ROWS, ResolvedFlags};
pub use paths::{NamedBy, Paths};
pub use settings::{ROWS as SETTING_ROWS, SettingKind, TABLES};
pub use shared_http::SharedHttp;
pub use toml_fault::toml_fault;

/// No template is this large.
const LARGEST_TEMPLATE: u64 = 1024 * 1024;

#[derive(Debug, Clone)]
pub struct Config {
    pub environment: Environment,
    pub paths: Paths,
    pub file: FileConfig,
    /// The user's own templates, by file name.
    pub words: BTreeMap<String, String>,
    /// Rules that every debate must follow.
    pub constitution: Constitution,
    pub http: SharedHttp,
    /// Where debates are kept: the file of `paths`, or a server.
    pub store: StoreAddress,
    /// The one for whom everything is done.
    pub caller: Caller,
}

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueSource {
    Default,
    File,
    Environment(String),
    ThisDebate,
}

impl ValueSource {
    fn at(&self, key: &str) -> At {
        match self {
            ValueSource::Environment(variable) => At::Variable(variable.clone()),
            ValueSource::File => At::ConfigKey(format!("flags.{key}")),
            ValueSource::ThisDebate | ValueSource::Default => At::Flag(key.into()),
        }
    }
}

impl fmt::Display for ValueSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueSource::Default => f.write_str("default"),
            ValueSource::File => f.write_str("config file"),
            ValueSource::Environment(variable) => write!(f, "environment {variable}"),
            ValueSource::ThisDebate => f.write_str("this debate"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("no home directory was found, so nothing can be kept")]
    NoHome,
    #[error("cannot read {}: {why}", path.display())]
    Unreadable { path: PathBuf, why: std::io::Error },
    #[error("the config file {} cannot be used: {why}", path.display())]
    Broken { path: PathBuf, why: String },
    #[error("the constitution {} cannot be used: {why}", path.display())]
    Constitution { path: PathBuf, why: String },
    #[error("{0:?}")]
    Values(Vec<Refusal>),
}

impl ConfigError {
    /// Returns everything that is wrong, one refusal each.
    pub fn refusals(self) -> Vec<Refusal> {
        match self {
            ConfigError::NoHome => {
                let problem = Problem::File(FileProblem::NoHome);
                vec![Refusal::new(At::Order, problem).help(Remedy::SetHome)]
            }
            ConfigError::Unreadable { path, why } => {
                vec![Refusal::file(path, FileProblem::Unreadable { why: why.to_string() })]
            }
            ConfigError::Broken { path, why } => {
                let what = FileKind::Config;
                vec![Refusal::file(path, FileProblem::Broken { what, why })]
            }
            ConfigError::Constitution { path, why } => {
                let what = FileKind::Constitution;
                vec![Refusal::file(path, FileProblem::Broken { what, why })]
            }
            ConfigError::Values(faults) => faults,
        }
    }
}

impl From<ConfigError> for EngineError {
    fn from(error: ConfigError) -> EngineError {
        EngineError::Refused(error.refusals())
    }
}

impl Config {
    pub fn load(environment: Environment) -> Result<Config, ConfigError> {
        let paths = Paths::find(&environment);
        let file = read_file(&paths)?;
        let words = read_words(&paths.words)?;
        let constitution = Constitution::find(&paths.config_file)?;
        let store = store_address(&environment, &file, &paths)?;
        let http = SharedHttp::default();
        let caller = Caller::default();
        Ok(Config { environment, paths, file, words, constitution, http, store, caller })
    }

    /// Refuses what needs a place to keep things, if there is none.
    pub fn needs_home(&self) -> Result<(), ConfigError> {
        if self.paths.is_homeless { Err(ConfigError::NoHome) } else { Ok(()) }
    }

    pub fn flags(&self, overrides: &[(String, String)]) -> Result<ResolvedFlags, ConfigError> {
        let file = serde_json::to_value(&self.file.flags).unwrap_or_default();
        flags::resolve(&file, &self.environment, overrides)
    }
}

/// Tells whether debates are kept in a file, before anything is loaded. Settings that cannot be read
/// name no server; they are refused when they are loaded.
pub fn keeps_file(environment: &Environment) -> bool {
    let paths = Paths::find(environment);
    let address = read_file(&paths).and_then(|file| store_address(environment, &file, &paths));
    !matches!(address, Ok(StoreAddress::Server(_)))
}

/// The server that `ROUNDTABLE_DATABASE_URL` or the config file names, or else the file of this
/// user.
fn store_address(
    environment: &Environment,
    file: &FileConfig,
    paths: &Paths,
) -> Result<StoreAddress, ConfigError> {
    const VARIABLE: &str = "ROUNDTABLE_DATABASE_URL";
    let (text, at) = match (environment.get(VARIABLE), &file.server.database_url) {
        (Some(text), _) => (text, At::Variable(VARIABLE.into())),
        (None, Some(DatabaseUrl(text))) => {
            (text.as_str(), At::ConfigKey("server.database_url".into()))
        }
        (None, None) => return Ok((&paths.database).into()),
    };
    // The text may hold a password, so it is not repeated.
    let allowed = "an address such as postgres://USER@HOST/DATABASE".into();
    let wrong = Refusal::new(at, Problem::Malformed { allowed });
    StoreAddress::server(text).ok_or_else(|| ConfigError::Values(vec![wrong]))
}

/// Returns the flags with some of them set.
pub fn overlay(flags: &Flags, set: &[(String, String)]) -> Result<Flags, ConfigError> {
    let own = serde_json::to_value(flags).unwrap_or_default();
    Ok(flags::resolve(&own, &Environment::default(), set)?.flags)
}

fn read_file(paths: &Paths) -> Result<FileConfig, ConfigError> {
    let path = &paths.config_file;
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error)
            if error.kind() == std::io::ErrorKind::NotFound
                && paths.config_named == NamedBy::ByConvention =>
        {
            return Ok(FileConfig::default());
        }
        Err(why) => return Err(ConfigError::Unreadable { path: path.clone(), why }),
    };
    parse(&text, path)
}

/// Parses the text of a config file.
pub fn parse(text: &str, path: &Path) -> Result<FileConfig, ConfigError> {
    toml::from_str(text).map_err(|error| ConfigError::Broken {
        path: path.into(),
        why: toml_fault(text, error.message(), error.span()),
    })
}

/// Reads the user's own templates: every `.md` file of a folder, by name. Their
/// names and contents are checked when a debate is opened.
pub fn read_words(folder: &Path) -> Result<BTreeMap<String, String>, ConfigError> {
    let unreadable = |path: &Path, why| ConfigError::Unreadable { path: path.into(), why };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(why) => return Err(unreadable(folder, why)),
    };
    let mut words = BTreeMap::new();
    for entry in entries {
        let path = entry.map_err(|why| unreadable(folder, why))?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let text = bounded_file::read_text(&path, LARGEST_TEMPLATE)
                .map_err(|fault| unreadable(&path, std::io::Error::other(fault.to_string())))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            words.insert(name, text);
        }
    }
    Ok(words)
}

/// Parses YAML; the error names the line in one sentence.
pub fn yaml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let words = error.to_string();
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}
