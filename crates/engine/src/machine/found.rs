//! The models that can be used here: local servers that answer, keys that are set,
//! programs on the PATH, weights on the disk.

use agents::agent_spec::LOCAL_PROVIDER;
use agents::command::{self, ROWS};
use agents::discovery::Health;
use agents::providers::{KeyNeed, PROVIDERS, Provider, ProviderPlace, ProviderSettings};
use agents::{Outside, discovery};
use async_recursion::async_recursion as boxed;
use futures::future::join_all;
use serde::Serialize;

const OLLAMA: &str = "ollama";
/// Ollama silently truncates input that exceeds its context window, and its
/// OpenAI-compatible port cannot be told to use a larger one.
const OLLAMA_WINDOW: &str = ". It silently drops what exceeds its window: start it with \
                             OLLAMA_CONTEXT_LENGTH=16384 or more";

/// One provider as `roundtable agents` shows it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundProvider {
    pub provider: String,
    pub title: String,
    pub ready: bool,
    /// True if the user configured it, so that it should be ready.
    pub set_up: bool,
    pub models: Vec<String>,
    /// The finding, or instructions to add it.
    pub note: String,
}

#[boxed]
pub async fn overview(outside: &Outside) -> Vec<FoundProvider> {
    let settings = &outside.settings;
    let (found, asked) = tokio::join!(discovery::servers(&outside.http, settings), async {
        join_all(PROVIDERS.iter().map(|row| health(outside, row))).await
    });
    let providers = PROVIDERS.iter().zip(asked).map(|(row, health)| {
        let server = found.iter().find(|server| server.provider == row.name);
        let placed = settings.get(row.name).is_some_and(|own| own.base_url.is_some());
        let set_up = health.is_some() || placed;
        let (ready, note) = match (row.place, server) {
            (ProviderPlace::Local, Some(server)) => {
                (!server.models.is_empty(), served(row.name, server))
            }
            (ProviderPlace::Local, None) => {
                let own = settings.get(row.name).and_then(|own| own.base_url.as_deref());
                let place = own.or(row.base_url).unwrap_or_default();
                let variable = row.url_variables.first().copied().unwrap_or_default();
                (false, format!("nothing answers at {place}; start it or set {variable}"))
            }
            (ProviderPlace::Remote, _) => elsewhere(row, settings.get(row.name), health),
        };
        let models = server.map(|server| server.models.clone()).unwrap_or_default();
        FoundProvider {
            provider: row.name.into(),
            title: row.title.into(),
            ready,
            set_up,
            models,
            note,
        }
    });
    let others = programs(outside).into_iter().chain(own(outside)).chain([in_process(outside)]);
    providers.chain(others).collect()
}

/// Checks a provider only if it is configured, by requesting its list of models,
/// which costs nothing.
async fn health(outside: &Outside, row: &'static Provider) -> Option<Health> {
    let own = outside.settings.get(row.name)?;
    let set_up = match row.key {
        KeyNeed::Required => own.key.is_some(),
        KeyNeed::Optional => own.base_url.is_some(),
    };
    if row.place == ProviderPlace::Remote && set_up {
        Some(discovery::health(&outside.http, row, &outside.settings).await)
    } else {
        None
    }
}

fn served(name: &str, server: &discovery::FoundServer) -> String {
    let mut note = format!("answers at {}", server.base_url);
    if server.models.is_empty() {
        note.push_str(", and has no model yet");
    } else if name == OLLAMA {
        note.push_str(OLLAMA_WINDOW);
    }
    note
}

fn elsewhere(
    row: &Provider,
    own: Option<&ProviderSettings>,
    health: Option<Health>,
) -> (bool, String) {
    let url = row.url_variables.first().copied().unwrap_or_default();
    let key = row.key_variable.unwrap_or_default();
    let from = own.and_then(|own| own.key_from.as_deref());
    let base = own.and_then(|own| own.base_url.as_deref()).or(row.base_url).unwrap_or_default();
    let with = from.map_or_else(|| format!("at {base}"), |from| format!("key from {from}"));
    match (health, row.key) {
        (None, KeyNeed::Required) => {
            (false, format!("set {key}, or run `roundtable config set-key {}`", row.name))
        }
        (None, KeyNeed::Optional) => (false, format!("set {url}")),
        (Some(Health::Answers), _) => (true, format!("answers; {with}")),
        (Some(Health::KeyRefused), _) => {
            (false, format!("refuses the key; {with}. Set another, or correct {url}"))
        }
        (Some(Health::Status(status)), _) => {
            (false, format!("answers with status {status} at {base}; {with}. Try again later"))
        }
        (Some(Health::Distrusted(fault)), _) => {
            (false, format!("at {base}: {fault}. {}", fault.advice()))
        }
        (Some(Health::Silent), _) => {
            (false, format!("does not answer at {base}; {with}. Check the network and {url}"))
        }
    }
}

fn programs(outside: &Outside) -> Vec<FoundProvider> {
    let path = outside.machine.path();
    let line = |row: &command::ProgramRow| {
        let place = command::on_path(row.program, path);
        let note = match &place {
            Some(place) => {
                let model = if row.needs_model() { ", name its model" } else { "" };
                format!("is {}{model}", place.display())
            }
            None => format!("no `{}` on the PATH; {}", row.program, lower(row.install)),
        };
        let (provider, title) = (row.name.into(), row.title.into());
        let (ready, set_up) = (place.is_some(), false);
        FoundProvider { provider, title, ready, set_up, models: Vec::new(), note }
    };
    ROWS.iter().map(line).collect()
}

/// Returns the user's own commands.
fn own(outside: &Outside) -> Vec<FoundProvider> {
    let path = outside.machine.path();
    let named =
        outside.settings.iter().filter_map(|(name, own)| Some((name, own.command.as_ref()?)));
    let line = |(name, own): (&String, &agents::providers::OwnCommand)| {
        let program = own.argv.first().map_or("", String::as_str);
        let place = command::on_path(program, path);
        let note = match &place {
            Some(place) => format!("is {}, from the config file", place.display()),
            None => format!("there is no program {program:?}; correct commands.{name}"),
        };
        let title = "a command of your own".into();
        let (provider, ready, set_up) = (name.clone(), place.is_some(), true);
        FoundProvider { provider, title, ready, set_up, models: Vec::new(), note }
    };
    named.map(line).collect()
}

#[cfg(feature = "local")]
fn in_process(outside: &Outside) -> FoundProvider {
    let folder = &outside.machine.weights;
    let (here, away): (Vec<_>, Vec<_>) =
        agents::local::known::KNOWN.iter().partition(|model| folder.join(model.file).exists());
    let note = match (here.is_empty(), away.first()) {
        (false, _) => format!("weights in {}; {}", folder.display(), agents::local::NOTICE),
        (true, Some(model)) => format!(
            "run `roundtable models fetch {}` ({} MB), or name weights as local/PATH.gguf",
            model.name,
            model.bytes / 1_000_000
        ),
        (true, None) => "name weights as local/PATH.gguf".into(),
    };
    let models = here.iter().map(|model| model.name.into()).collect();
    line_in_process(!here.is_empty(), models, note)
}

#[cfg(not(feature = "local"))]
fn in_process(_: &Outside) -> FoundProvider {
    line_in_process(false, Vec::new(), "this build has none; build with the feature `local`".into())
}

fn line_in_process(ready: bool, models: Vec<String>, note: String) -> FoundProvider {
    let (provider, title) = (LOCAL_PROVIDER.into(), "in this process".into());
    FoundProvider { provider, title, ready, set_up: false, models, note }
}

/// Changes a sentence into the second half of another.
fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}
