//! The config file. All fields are optional, and unknown ones are refused.

use std::collections::BTreeMap;
use std::path::PathBuf;

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
    /// The debaters, as `provider/model` or `name=provider/model`.
    pub agents: Vec<String>,
    /// The small model that summarises and analyses.
    pub clerk: Option<String>,
    pub max_output_tokens: Option<u32>,
    pub temperature: Option<f64>,
    pub timeout_seconds: Option<u32>,
    /// The budget in USD for a debate that sets none; 0 means no limit.
    pub budget: Option<f64>,
    /// The budget in USD for all debates of a day (UTC) together; 0 means no limit.
    pub daily_budget: Option<f64>,
    /// If true, calls of unknown price are made even under a budget.
    pub allow_unpriced: Option<bool>,
    /// If false, no bell rings when a debate ends or waits for an answer.
    pub bell: Option<bool>,
    /// If false, nothing is said about the age of this program.
    pub update_notice: Option<bool>,
    pub algorithm: Option<String>,
    /// The embedder that compares positions; unset, the table inside the program.
    pub embedder: Option<EmbedderConfig>,
    pub flags: toml::Table,
    pub providers: BTreeMap<String, ProviderConfig>,
    /// One of auto, native, api or off.
    pub search: Option<String>,
    /// The search API for `auto` and `api`; unset, the first one that is
    /// configured.
    pub search_engine: Option<String>,
    /// If true, agents may ask the caller for facts that only the caller knows.
    #[serde(alias = "contextRequests")]
    pub context_requests: Option<bool>,
    /// The user's own programs that can take a seat, by name.
    pub commands: BTreeMap<String, CommandConfig>,
    pub server: ServerConfig,
    /// The domain of debates that name none; with `auto` the clerk names it.
    pub domain: Option<String>,
    /// The project of debates that name none.
    pub project: Option<String>,
    /// If true (the default), debates start with what earlier outcomes taught.
    pub learning: Option<bool>,
    pub projects: BTreeMap<String, ProjectConfig>,
    /// Prices by `provider/model`; they take precedence over the built-in table.
    pub prices: BTreeMap<String, PriceConfig>,
}

/// A named panel of agents with its settings. Options of one debate take precedence
/// over it, and it takes precedence over the rest of the file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// A description for listings.
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

/// A program that reads the prompt from standard input and answers on standard
/// output.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CommandConfig {
    /// The program and its arguments; no shell parses them.
    pub argv: Vec<String>,
    /// Environment variables passed to it besides the usual ones.
    pub variables: Vec<String>,
}

/// Settings for every debate of a project.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectConfig {
    pub domain: Option<String>,
    pub learning: Option<bool>,
}

/// Prices in USD per million tokens; for searches, per search.
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
    /// If true, the provider keeps each answer until it is stored here. An answer
    /// in flight when this program ends is then fetched, not paid for twice. If
    /// false, the provider keeps no answer longer than the call takes.
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

/// Settings of the server that runs debates for clients.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// The number of debates that run at the same time; the others wait. Default: as many
    /// as the models answer without getting slower, 8 at first and 256 at most.
    pub most_debates: Option<usize>,
    /// The number of debates that may wait for their turn; further starts are refused.
    pub most_queued: Option<usize>,
    /// The number of debates that one caller of `serve` may start in a minute.
    pub starts_per_minute: Option<usize>,
    /// Above this estimated cost in USD, the user is asked to confirm a debate
    /// first, if the client can ask; 0 always asks.
    pub confirm_above: Option<f64>,
    /// The longest wait in seconds that a call may ask for.
    pub most_wait_seconds: Option<u64>,
    /// The debates that `serve` goes on with when it starts: `own` (the default),
    /// those it was running when it was killed; `all`, every debate that was cut
    /// off; `ask`, none.
    pub resume: Option<String>,
    /// The address of a PostgreSQL server that keeps the debates of this user, for every
    /// command. `ROUNDTABLE_DATABASE_URL` takes precedence.
    pub database_url: Option<DatabaseUrl>,
    /// The files with the certificate and its key, in PEM form, if `serve` shall speak TLS.
    pub tls_cert: Option<PathBuf>,
    pub tls_key: Option<PathBuf>,
    /// The addresses and networks of proxies that may say who called, by `X-Forwarded-For`
    /// and `X-Forwarded-Proto`.
    pub trusted_proxies: Vec<String>,
    /// The form in which `serve` logs: `text` (the default), or `json` with one object a line.
    pub log: Option<String>,
    /// The OpenID provider that people sign in with.
    pub oidc: Option<OidcConfig>,
}

impl ServerConfig {
    /// The beginning of the addresses of `serve`.
    pub fn scheme(&self) -> &'static str {
        if self.tls_cert.is_some() { "https" } else { "http" }
    }
}

/// An address that may hold a password and is never shown.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(pub String);

impl std::fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DatabaseUrl")
    }
}

/// An OpenID provider, at which this server is registered as a public client.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcConfig {
    pub issuer: String,
    pub client_id: String,
    /// The address of this server as people call it. Default: the one it listens on.
    #[serde(default)]
    pub url: Option<String>,
}
