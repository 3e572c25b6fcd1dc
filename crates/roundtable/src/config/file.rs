//! The config file: few fields, all optional, unknown ones refused.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileConfig {
    pub mode: Option<String>,
    pub rounds: Option<u32>,
    /// Who debates, as `provider/model` or `name=provider/model`.
    pub agents: Vec<String>,
    /// The light model that sums up and analyses.
    pub clerk: Option<String>,
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<f64>,
    pub timeout_seconds: Option<u32>,
    /// For every debate that names none, in USD; 0 is none.
    pub budget: Option<f64>,
    /// For all debates of a day (UTC) together, in USD; 0 is none.
    pub daily_budget: Option<f64>,
    /// Whether calls whose price is not known are made under a budget.
    pub allow_unpriced: Option<bool>,
    pub algorithm: Option<String>,
    /// What compares positions; without it, the table inside the program.
    pub embedder: Option<EmbedderConfig>,
    pub flags: toml::Table,
    pub providers: BTreeMap<String, ProviderConfig>,
    /// auto, native, api or off.
    pub search: Option<String>,
    /// The search API for `auto` and `api`; unset, the first that is set up.
    pub search_engine: Option<String>,
    /// Programs of the user's own that can take a seat, by name.
    pub commands: BTreeMap<String, CommandConfig>,
    /// The domain of debates that name none; `auto` has the clerk name it.
    pub domain: Option<String>,
    /// The project of debates that name none.
    pub project: Option<String>,
    /// Whether debates start with what earlier outcomes taught [default: true].
    pub learning: Option<bool>,
    pub projects: BTreeMap<String, ProjectConfig>,
    /// By `provider/model`; they come before the table's.
    pub prices: BTreeMap<String, PriceConfig>,
}

/// A program that takes the prompt on standard input and answers on standard
/// output.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CommandConfig {
    /// The program first; no shell reads it.
    pub argv: Vec<String>,
    /// Names of environment variables it is given besides the usual ones.
    pub variables: Vec<String>,
}

/// What holds for every debate of a project.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectConfig {
    pub domain: Option<String>,
    pub learning: Option<bool>,
}

/// In USD for a million tokens; a search by the piece.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceConfig {
    pub input: f64,
    pub output: f64,
    pub cached: Option<f64>,
    #[serde(default)]
    pub search: f64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProviderConfig {
    pub base_url: Option<String>,
    /// The environment variable that holds the key; never the key itself.
    pub key_variable: Option<String>,
    pub headers: BTreeMap<String, String>,
    pub model: Option<String>,
    pub light_model: Option<String>,
}

/// An OpenAI-compatible `/embeddings` endpoint.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedderConfig {
    pub base_url: String,
    pub model: String,
    /// The environment variable that holds the key; never the key itself.
    #[serde(default)]
    pub key_variable: Option<String>,
}
