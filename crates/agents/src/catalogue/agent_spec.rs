//! Reads how people name an agent: `provider`, `provider/model`,
//! `name=provider/model`, each with `|fallback` behind it where another model
//! may take over. A model of the table and the name of a family (`claude`, `gpt`) are
//! enough without their provider. `me` is a person. Any other name is refused with the nearest ones.

#[cfg(test)]
mod tests;

use debate::model::{Agent, PERSON_MODEL, PERSON_PROVIDER};
use debate::sorting::SortRows;

use crate::catalogue::models;
use crate::catalogue::programs::{self, ProgramRow};
use crate::catalogue::providers::{self, PROVIDERS, Provider, Settings, Tier};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("\"{spec}\" names no provider. Write provider/model, for example ollama/llama3.2")]
    Empty { spec: String },
    #[error("\"{spec}\" has an empty name before the =. Write name=provider/model")]
    NoName { spec: String },
    #[error("there is no provider \"{provider}\" (in \"{spec}\"). {}", hint(near, known))]
    UnknownProvider { spec: String, provider: String, near: Vec<String>, known: Vec<String> },
    #[error("\"{spec}\" names no model and {provider} has no default. Write {provider}/<model>")]
    NoModel { spec: String, provider: String },
    #[error("\"{spec}\" names no model after the |. Write provider/model|fallback-model")]
    NoFallback { spec: String },
    #[error(
        "\"{spec}\": {provider} cannot have a fallback. Only models at a provider can; leave out the |"
    )]
    FallbackOfProgram { spec: String, provider: String },
}

/// The provider name under which models of this process are seated.
pub const LOCAL_PROVIDER: &str = "local";
/// The provider name under which the example agents are seated.
pub const EXAMPLE_PROVIDER: &str = "example";
/// The provider name under which the model of a connected client is seated.
pub const CLIENT_PROVIDER: &str = "client";
/// Stands for the model that a program uses when none is named.
pub const PROGRAM_DEFAULT: &str = "default";
/// The model of this process that `local` alone means.
const LOCAL_DEFAULT: &str = "smollm2-135m";

/// The thing that a provider's name stands for.
enum ProviderMeaning {
    Example,
    Local,
    /// The model of the calling client, asked through the connection.
    Client,
    /// A person at the terminal or on the page.
    Person,
    Program(&'static ProgramRow),
    /// A command of the user's own.
    Own(String),
    Row(&'static Provider),
}

fn meant(provider: &str, settings: &Settings) -> Option<ProviderMeaning> {
    let is = |name: &str| provider.eq_ignore_ascii_case(name);
    if is(EXAMPLE_PROVIDER) {
        return Some(ProviderMeaning::Example);
    }
    if is(LOCAL_PROVIDER) {
        return Some(ProviderMeaning::Local);
    }
    if is(CLIENT_PROVIDER) {
        return Some(ProviderMeaning::Client);
    }
    if is(PERSON_PROVIDER) {
        return Some(ProviderMeaning::Person);
    }
    let own = settings.iter().find(|(name, own)| is(name) && own.command.is_some());
    if let Some((name, _)) = own {
        return Some(ProviderMeaning::Own(name.clone()));
    }
    programs::find(provider)
        .map(ProviderMeaning::Program)
        .or_else(|| providers::find(provider).map(ProviderMeaning::Row))
}

impl ProviderMeaning {
    fn name(&self) -> &str {
        match self {
            ProviderMeaning::Example => EXAMPLE_PROVIDER,
            ProviderMeaning::Local => LOCAL_PROVIDER,
            ProviderMeaning::Client => CLIENT_PROVIDER,
            ProviderMeaning::Person => PERSON_PROVIDER,
            ProviderMeaning::Program(row) => row.name,
            ProviderMeaning::Own(name) => name,
            ProviderMeaning::Row(row) => row.name,
        }
    }

    fn model(&self, tier: Tier, settings: &Settings) -> Option<String> {
        match self {
            ProviderMeaning::Example => None,
            ProviderMeaning::Local => Some(LOCAL_DEFAULT.into()),
            ProviderMeaning::Program(row) => (!row.needs_model()).then(|| PROGRAM_DEFAULT.into()),
            ProviderMeaning::Own(_) | ProviderMeaning::Client => Some(PROGRAM_DEFAULT.into()),
            ProviderMeaning::Person => Some(PERSON_MODEL.into()),
            ProviderMeaning::Row(row) => row.model(tier, settings.get(row.name)),
        }
    }
}

/// One agent from one spec. The tier decides which default model is meant.
pub fn parse(spec: &str, tier: Tier, settings: &Settings) -> Result<Agent, SpecError> {
    let spec = spec.trim();
    let (name, rest) = match spec.split_once('=') {
        Some((name, _)) if name.trim().is_empty() => {
            return Err(SpecError::NoName { spec: spec.into() });
        }
        Some((name, rest)) => (Some(name.trim()), rest.trim()),
        None => (None, spec),
    };
    let (rest, fallback) = match rest.split_once('|') {
        Some((_, second)) if second.trim().is_empty() => {
            return Err(SpecError::NoFallback { spec: spec.into() });
        }
        Some((first, second)) => (first.trim(), Some(second.trim().to_owned())),
        None => (rest, None),
    };
    // Only the first slash divides: many model names have slashes of their own.
    let (provider, model) = match rest.split_once('/') {
        Some((provider, model)) => (provider.trim(), Some(model.trim()).filter(|m| !m.is_empty())),
        None => (rest, None),
    };
    if provider.is_empty() {
        return Err(SpecError::Empty { spec: spec.into() });
    }
    let known = if model.is_none() { by_model(provider, settings) } else { None };
    let (provider, model) = known.unwrap_or((provider, model));
    let meant = meant(provider, settings).ok_or_else(|| unknown(spec, provider, settings))?;
    let no_model = || SpecError::NoModel { spec: spec.into(), provider: meant.name().into() };
    let model = model.map(str::to_owned).or_else(|| meant.model(tier, settings));
    let model = model.ok_or_else(no_model)?;
    if fallback.is_some() && !matches!(meant, ProviderMeaning::Row(_)) {
        let provider = meant.name().to_owned();
        return Err(SpecError::FallbackOfProgram { spec: spec.into(), provider });
    }
    let called =
        if [PROGRAM_DEFAULT, PERSON_MODEL].contains(&&*model) { meant.name() } else { &model };
    let name = name.map_or_else(|| short_name(called), str::to_owned);
    let context_window = models::facts(meant.name(), &model).context;
    Ok(Agent {
        name,
        provider: meant.name().into(),
        model,
        family: None,
        context_window,
        temperature: None,
        fallback,
    })
}

/// Families of models as people call them, by the beginning of their names, and the
/// provider that has them.
const FAMILIES: [(&str, &str); 16] = [
    ("claude", "anthropic"),
    ("opus", "anthropic"),
    ("sonnet", "anthropic"),
    ("haiku", "anthropic"),
    ("chatgpt", "openai"),
    ("gpt", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("google", "gemini"),
    ("sonar", "perplexity"),
    ("pplx", "perplexity"),
    ("grok", "xai"),
    ("llama", "ollama"),
    ("qwen", "ollama"),
    ("gemma", "ollama"),
];

fn family(word: &str) -> Option<(&'static str, &'static str)> {
    let word = word.to_lowercase();
    FAMILIES.into_iter().find(|(family, _)| word.starts_with(family))
}

/// The provider that is meant by a word that names a model of the table, or a family whose
/// provider has a model of its own choice.
fn by_model<'a>(word: &'a str, settings: &Settings) -> Option<(&'a str, Option<&'a str>)> {
    if meant(word, settings).is_some() {
        return None;
    }
    let is_model = |row: &&Provider| models::facts(row.name, word) != models::ModelFacts::UNKNOWN;
    if let Some(row) = PROVIDERS.iter().find(is_model) {
        return Some((row.name, Some(word)));
    }
    let (family, provider) = family(word)?;
    let row = providers::find(provider)?;
    let has_model = row.model(Tier::Heavy, settings.get(row.name)).is_some();
    (word.eq_ignore_ascii_case(family) && has_model).then_some((provider, None))
}

/// Several agents, with names kept apart: the second `llama3.2` becomes
/// `llama3.2 2`.
pub fn parse_all(specs: &[String], settings: &Settings) -> Result<Vec<Agent>, Vec<SpecError>> {
    let (mut agents, mut errors): (Vec<Agent>, Vec<SpecError>) = (Vec::new(), Vec::new());
    for spec in specs {
        match parse(spec, Tier::Heavy, settings) {
            Ok(agent) => agents.push(agent),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    keep_apart(&mut agents);
    Ok(agents)
}

/// Numbers the later ones of agents that share a name.
pub fn keep_apart(agents: &mut [Agent]) {
    let mut taken: Vec<String> = Vec::new();
    for agent in agents {
        let wanted = agent.name.clone();
        let is_taken = |name: &str| taken.iter().any(|other| other.eq_ignore_ascii_case(name));
        let mut number = 2;
        while is_taken(&agent.name) {
            agent.name = format!("{wanted} {number}");
            number += 1;
        }
        taken.push(agent.name.clone());
    }
}

/// The endings of files that hold weights; they are left out of names.
const WEIGHTS: [&str; 2] = [".gguf", ".whl"];

fn short_name(model: &str) -> String {
    let name = model.rsplit('/').find(|part| !part.is_empty()).unwrap_or(model);
    let stem = WEIGHTS.iter().find_map(|ending| name.strip_suffix(ending));
    stem.filter(|stem| !stem.is_empty()).unwrap_or(name).to_owned()
}

fn unknown(spec: &str, provider: &str, settings: &Settings) -> SpecError {
    let own = settings.iter().filter(|(_, own)| own.command.is_some());
    let own: Vec<&str> = own.map(|(name, _)| name.as_str()).collect();
    let known = || {
        let rows = PROVIDERS.iter().map(|row| row.name);
        let programs = programs::ROWS.iter().map(|row| row.name);
        let others = [LOCAL_PROVIDER, CLIENT_PROVIDER, PERSON_PROVIDER, EXAMPLE_PROVIDER];
        rows.chain(programs).chain(others).chain(own.iter().copied())
    };
    let wanted = provider.to_lowercase();
    let mut near: Vec<(f64, &str)> =
        known().map(|name| (strsim::jaro_winkler(&wanted, name), name)).collect();
    near.retain(|(likeness, _)| *likeness > 0.8);
    near.sort_rows_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<String> = match family(provider) {
        // The provider is known, the model is not; it may be a new one.
        Some((_, of)) if !spec.contains('/') => {
            let alone = models::default_model(of, Tier::Heavy).map(|_| of.to_owned());
            [format!("{of}/{provider}")].into_iter().chain(alone).collect()
        }
        _ => near.into_iter().take(2).map(|(_, name)| name.to_owned()).collect(),
    };
    let known = known().map(str::to_owned).collect();
    SpecError::UnknownProvider { spec: spec.into(), provider: provider.into(), near, known }
}

fn hint(near: &[String], known: &[String]) -> String {
    if near.is_empty() {
        format!("Known are {}.", known.join(", "))
    } else {
        format!("Did you mean {}?", near.join(" or "))
    }
}
