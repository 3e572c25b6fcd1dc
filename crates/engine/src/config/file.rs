//! The config file: few fields, all optional, unknown ones refused.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FileConfig {
    /// The profile of every debate that names none.
    pub profile: Option<String>,
    /// Named panels of agents with their settings.
    pub profiles: BTreeMap<String, Profile>,
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
    /// Whether agents may ask the caller for what only the caller knows.
    #[serde(alias = "contextRequests")]
    pub context_requests: Option<bool>,
    /// Programs of the user's own that can take a seat, by name.
    pub commands: BTreeMap<String, CommandConfig>,
    pub server: ServerConfig,
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

/// A panel of agents with its settings, under a name. What is named for one
/// debate comes before it, what stands in the rest of the file after it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// What it is for, shown in listings.
    pub about: Option<String>,
    pub agents: Vec<String>,
    pub clerk: Option<String>,
    pub mode: Option<String>,
    pub rounds: Option<u32>,
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<f64>,
    pub timeout_seconds: Option<u32>,
    pub budget: Option<f64>,
    pub algorithm: Option<String>,
    pub search: Option<String>,
    pub flags: toml::Table,
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
    /// Whether the provider keeps answers until they are stored here, so that
    /// one that was on its way when this program ended is fetched and not paid
    /// for twice. Off, nothing is left with it longer than it takes.
    pub retrievable: Option<bool>,
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

/// What holds while debates are held for clients.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// How many debates run at the same time; the others wait for their turn.
    pub most_debates: Option<usize>,
    /// A debate that may cost more than this, in USD, is confirmed first where
    /// the client can ask its user; 0 asks always.
    pub confirm_above: Option<f64>,
    /// The longest a call may be asked to wait, in seconds.
    pub most_wait_seconds: Option<u64>,
}
