//! The panel: each agent of a brief and the clerk, mapped to the speaker that
//! answers for it. It decides nothing about the debate.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use debate::model::{Agent, AnswerParts, AnswerStyle, Ask};

use crate::Speaker;
use crate::catalogue::agent_spec::{CLIENT_PROVIDER, LOCAL_PROVIDER, PROGRAM_DEFAULT};
use crate::catalogue::models;
use crate::catalogue::prices::Prices;
use crate::catalogue::providers::{self, BadUrl, KeyNeed, Provider, Settings, TargetError, target};
use crate::conversation::Converse;
use crate::http::Http;
use crate::speakers::command::{self, AgentCommand, CommandAgent, CommandError};
use crate::speakers::fallback::WithFallback;
#[cfg(feature = "local")]
use crate::speakers::local::{LocalModel, LocalSpeaker, without_holding_up};
use crate::speakers::plain::{PersonSpeaker, PlainSpeaker};
use crate::speakers::recorded::{self, ListeningSpeaker, Player, Tape};
use crate::speakers::remote::Remote;
use crate::speakers::scripted::{AgentScript, ScriptPace, ScriptedSpeaker, example};
use crate::speakers::with_tools::WithTools;
use crate::tools::{SearchWeb, Toolbox};
use crate::wire::NativeSearch;

/// The provider name under which agents of the user's own script are seated.
pub const SCRIPT_PROVIDER: &str = "script";

/// The things a panel is built from besides the brief.
#[derive(Clone)]
pub struct Outside {
    pub http: Http,
    /// The user's own prices, before those of the table.
    pub prices: Prices,
    pub settings: Settings,
    /// The user's script, where one was given.
    pub script: Option<Arc<AgentScript>>,
    pub machine: Machine,
    /// The recording that is made or played, if any.
    pub tape: Tape,
}

impl Outside {
    /// Providers only: no script, no program, no weights.
    pub fn providers(http: Http, settings: Settings) -> Outside {
        let prices = Prices::default();
        Outside {
            http,
            prices,
            settings,
            script: None,
            machine: Machine::default(),
            tape: Tape::Off,
        }
    }
}

/// The things agents find on this machine.
#[derive(Clone, Default)]
pub struct Machine {
    /// The variables programs may be given, by name; `PATH` says where they are.
    pub variables: Arc<BTreeMap<String, String>>,
    /// The folder of fetched weights.
    pub weights: PathBuf,
    /// The pace at which the example table speaks.
    pub example_pace: ScriptPace,
    /// Speaks with the voice of a connected client's model, where one offers it.
    pub client: Option<Arc<dyn Speaker>>,
    /// Weights that are open; seats share them.
    #[cfg(feature = "local")]
    pub shelf: Arc<crate::speakers::local::Shelf>,
}

impl Machine {
    pub fn path(&self) -> &str {
        self.variables.get("PATH").map_or("", String::as_str)
    }
}

#[derive(Clone)]
pub struct Panel {
    agents: Vec<Arc<dyn Speaker>>,
    clerk: Option<Arc<dyn Speaker>>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PanelError {
    #[error(
        "the script has no agent called \"{name}\"; it has {known}. Name one of these or add it to the script"
    )]
    NotInScript { name: String, known: String },
    #[error(
        "agent \"{name}\": there is no provider \"{provider}\". Run `roundtable agents` to see which there are"
    )]
    UnknownProvider { name: String, provider: String },
    #[error("{provider} needs a key. Set {variable}")]
    NoKey { provider: &'static str, variable: &'static str },
    #[error("{provider} needs an address. Set {variable}, for example to http://127.0.0.1:8000/v1")]
    NoUrl { provider: &'static str, variable: &'static str },
    #[error(transparent)]
    BadUrl(#[from] BadUrl),
    #[error("agent \"{name}\" speaks from a script, but no script was given")]
    NoScript { name: String },
    #[error(
        "agent \"{name}\" spoke from a recording, which is not available here. Run the debate \
         again with --replay FILE"
    )]
    NoRecording { name: String },
    #[error(
        "agent \"{name}\" is the model of an MCP client, and none that offers its model is connected"
    )]
    NoClient { name: String },
    #[error("the example table is broken: {0}")]
    Example(String),
    #[error("agent \"{name}\": {why}")]
    Program { name: String, why: CommandError },
    #[error("agent \"{name}\": {why}")]
    Weights { name: String, why: String },
}

impl From<TargetError> for PanelError {
    fn from(error: TargetError) -> PanelError {
        match error {
            TargetError::NoUrl { provider, variable } => PanelError::NoUrl { provider, variable },
            TargetError::BadUrl(bad) => PanelError::BadUrl(bad),
        }
    }
}

impl Panel {
    /// Speakers in the order of the brief's agents.
    pub fn new(agents: Vec<Arc<dyn Speaker>>, clerk: Option<Arc<dyn Speaker>>) -> Panel {
        Panel { agents, clerk }
    }

    /// A panel that speaks from one script, found by the agent's name or model.
    pub fn scripted(
        agents: &[Agent],
        clerk: Option<&Agent>,
        script: &Arc<AgentScript>,
    ) -> Result<Panel, PanelError> {
        let agents = agents
            .iter()
            .map(|agent| scripted(script, agent, &ScriptPace::default()))
            .collect::<Result<_, PanelError>>()?;
        let clerk = clerk.map(|_| Arc::new(ScriptedSpeaker::clerk(script)) as Arc<dyn Speaker>);
        Ok(Panel { agents, clerk })
    }

    /// The speakers for a brief's agents and clerk; no call is made yet.
    pub fn open(
        agents: &[Agent],
        clerk: Option<&Agent>,
        outside: &Outside,
    ) -> Result<Panel, PanelError> {
        Panel::equipped(agents, clerk, outside, None)
    }

    /// The same, with tools for those who can use them. The clerk gets none.
    pub fn equipped(
        agents: &[Agent],
        clerk: Option<&Agent>,
        outside: &Outside,
        toolbox: Option<&Arc<Toolbox>>,
    ) -> Result<Panel, PanelError> {
        if let Tape::Replaying { from, label, pace } = &outside.tape {
            // One player for all of them: an ask says whose it is.
            let (from, label) = (Arc::clone(from), label.clone());
            let player: Arc<dyn Speaker> = Arc::new(Player { from, label, pace: *pace });
            let seats = agents.iter().map(|_| Arc::clone(&player)).collect();
            return Ok(Panel::new(seats, clerk.map(|_| player)));
        }
        let outside = &Outside { http: outside.http.for_run(), ..outside.clone() };
        let seat = |agent| match toolbox.filter(|_| takes_tools(agent)) {
            None => seat(agent, outside),
            Some(toolbox) => {
                let model = converser(agent, outside)?;
                let toolbox = Arc::clone(toolbox);
                Ok(Arc::new(WithTools::new(model, toolbox, without(agent, outside))) as _)
            }
        };
        let agents = agents.iter().map(seat).collect::<Result<_, PanelError>>()?;
        // The clerk sums up what was said; it looks nothing up.
        let silent = Outside { settings: without_search(&outside.settings), ..outside.clone() };
        let clerk = clerk.map(|agent| clerk_of(agent, &silent)).transpose()?;
        Ok(Panel { agents, clerk }.taped(&outside.tape))
    }

    /// The same table, listened to where it is to be.
    pub fn taped(self, tape: &Tape) -> Panel {
        let Tape::Recording { by, label } = tape else { return self };
        let listened = |inner| {
            let (by, label) = (Arc::clone(by), label.clone());
            Arc::new(ListeningSpeaker { inner, by, label }) as Arc<dyn Speaker>
        };
        let agents = self.agents.into_iter().map(listened).collect();
        Panel { agents, clerk: self.clerk.map(listened) }
    }

    /// The speaker for this ask; `None` where the brief has no such agent or no clerk.
    pub fn speaker(&self, ask: &Ask) -> Option<Arc<dyn Speaker>> {
        match ask.agent {
            Some(index) => self.agents.get(index).cloned(),
            None => self.clerk.clone(),
        }
    }
}

/// True where an agent's model is offered tools. A provider's model that is not in
/// the table is assumed to take them: a refusal is noticed and remembered. A small
/// one that is not in the table uses them badly and is offered none.
pub fn takes_tools(agent: &Agent) -> bool {
    let facts = models::facts(&agent.provider, &agent.model);
    let unknown =
        facts == models::ModelFacts::UNKNOWN && providers::find(&agent.provider).is_some();
    facts.tools || (unknown && !is_small(agent))
}

/// True where an agent's provider can search by itself with this model. A model
/// that is not in the table is assumed to.
pub fn searches_natively(agent: &Agent) -> bool {
    let facts = models::facts(&agent.provider, &agent.model);
    providers::find(&agent.provider).is_some_and(|row| {
        row.has_native_search() && (facts.search || facts == models::ModelFacts::UNKNOWN)
    })
}

/// A context window that only small models have, in tokens.
const SMALL_WINDOW: u32 = 8_192;
/// Billions of parameters up to which a model counts as small.
const SMALL_BILLIONS: f64 = 4.0;

/// Returns how an agent's answers are asked for: by its row of the table, or by
/// what its provider is and its name says.
pub fn answer_style(agent: &Agent) -> AnswerStyle {
    let facts = models::facts(&agent.provider, &agent.model);
    let scripted = [example::PROVIDER, SCRIPT_PROVIDER, recorded::PROVIDER, LOCAL_PROVIDER];
    let parts = if scripted.contains(&agent.provider.as_str()) {
        AnswerParts::Form
    } else if facts.one_go {
        AnswerParts::OneGo
    } else {
        AnswerParts::TwoCalls
    };
    AnswerStyle { parts, small: parts != AnswerParts::Form && is_small(agent) }
}

/// True where a model is of the small class: by its row, its window or the number
/// of parameters in its name (`qwen2.5:1.5b`, `SmolLM2-360M`). A model on a
/// server of the user's own whose name tells nothing counts as small: the lighter
/// words serve a large one too, the longer ones make a small one worse.
fn is_small(agent: &Agent) -> bool {
    let facts = models::facts(&agent.provider, &agent.model);
    let window = agent.context_window.or(facts.context);
    if facts.small || window.is_some_and(|window| window <= SMALL_WINDOW) {
        return true;
    }
    let own_server =
        providers::find(&agent.provider).is_some_and(|row| row.key == KeyNeed::Optional);
    match models::billions(&agent.model) {
        _ if facts != models::ModelFacts::UNKNOWN => false,
        Some(billions) => billions <= SMALL_BILLIONS,
        None => own_server,
    }
}

/// The tools an agent is not offered: no second search beside its provider's own.
fn without(agent: &Agent, outside: &Outside) -> &'static [&'static str] {
    let set = outside.settings.get(&agent.provider).map(|own| own.search);
    if set == Some(NativeSearch::Native) && searches_natively(agent) {
        &[SearchWeb::NAME]
    } else {
        &[]
    }
}

fn without_search(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    settings.values_mut().for_each(|own| own.search = NativeSearch::Off);
    settings
}

fn seat(agent: &Agent, outside: &Outside) -> Result<Arc<dyn Speaker>, PanelError> {
    match script_of(agent, outside)? {
        Some(script) => scripted(&script, agent, &pace_of(agent, outside)),
        None => speaker(agent, outside),
    }
}

/// The pace of a scripted agent: people watch the example, other scripts have their own.
fn pace_of(agent: &Agent, outside: &Outside) -> ScriptPace {
    match agent.provider.as_str() {
        example::PROVIDER => outside.machine.example_pace.clone(),
        _ => ScriptPace::default(),
    }
}

fn scripted(
    script: &Arc<AgentScript>,
    agent: &Agent,
    pace: &ScriptPace,
) -> Result<Arc<dyn Speaker>, PanelError> {
    let speaker = ScriptedSpeaker::seat(script, agent).ok_or_else(|| PanelError::NotInScript {
        name: agent.name.clone(),
        known: script.names().join(", "),
    })?;
    Ok(Arc::new(speaker.paced(pace)))
}

fn clerk_of(agent: &Agent, outside: &Outside) -> Result<Arc<dyn Speaker>, PanelError> {
    match script_of(agent, outside)? {
        Some(script) => {
            Ok(Arc::new(ScriptedSpeaker::clerk(&script).paced(&pace_of(agent, outside))))
        }
        None => speaker(agent, outside),
    }
}

fn script_of(agent: &Agent, outside: &Outside) -> Result<Option<Arc<AgentScript>>, PanelError> {
    match agent.provider.as_str() {
        example::PROVIDER => {
            let script =
                example::script().map_err(|error| PanelError::Example(error.to_string()))?;
            Ok(Some(Arc::new(script)))
        }
        SCRIPT_PROVIDER => match &outside.script {
            Some(script) => Ok(Some(Arc::clone(script))),
            None => Err(PanelError::NoScript { name: agent.name.clone() }),
        },
        _ => Ok(None),
    }
}

fn speaker(agent: &Agent, outside: &Outside) -> Result<Arc<dyn Speaker>, PanelError> {
    if agent.provider == LOCAL_PROVIDER {
        return in_process(agent, outside);
    }
    if agent.provider == recorded::PROVIDER {
        return Err(PanelError::NoRecording { name: agent.name.clone() });
    }
    if agent.provider == CLIENT_PROVIDER {
        let no_client = || PanelError::NoClient { name: agent.name.clone() };
        return outside.machine.client.clone().ok_or_else(no_client);
    }
    if agent.is_person() {
        return Ok(Arc::new(PersonSpeaker));
    }
    match program(agent, outside)? {
        Some(program) => Ok(Arc::new(program)),
        None => Ok(Arc::new(PlainSpeaker(converser(agent, outside)?))),
    }
}

/// The program that speaks for an agent, where one does. Whether it is there is
/// said now, not in the middle of a debate.
fn program(agent: &Agent, outside: &Outside) -> Result<Option<CommandAgent>, PanelError> {
    let refused = |why| PanelError::Program { name: agent.name.clone(), why };
    let own = outside.settings.get(&agent.provider).and_then(|own| own.command.as_ref());
    let command = match (own, command::find(&agent.provider)) {
        (Some(own), _) => {
            AgentCommand::of_user(&agent.provider, own.argv.clone(), own.variables.clone())
        }
        (None, Some(row)) => {
            let model = Some(agent.model.as_str()).filter(|model| *model != PROGRAM_DEFAULT);
            AgentCommand::ready(row, model)
        }
        (None, None) => return Ok(None),
    };
    let command = command.map_err(refused)?;
    let machine = &outside.machine;
    command.check(machine.path()).map_err(refused)?;
    let look = |name: &str| machine.variables.get(name).cloned();
    Ok(Some(CommandAgent::new(command, &look)))
}

#[cfg(feature = "local")]
fn in_process(agent: &Agent, outside: &Outside) -> Result<Arc<dyn Speaker>, PanelError> {
    Ok(Arc::new(LocalSpeaker::new(weights(agent, outside)?)))
}

#[cfg(feature = "local")]
fn weights(agent: &Agent, outside: &Outside) -> Result<Arc<LocalModel>, PanelError> {
    let refused = |why: String| PanelError::Weights { name: agent.name.clone(), why };
    let machine = &outside.machine;
    without_holding_up(|| {
        let path = crate::speakers::local::locate(&agent.model, &machine.weights);
        let path = path.map_err(|absent| refused(absent.to_string()))?;
        machine.shelf.model(&path).map_err(|error| refused(error.to_string()))
    })
}

#[cfg(not(feature = "local"))]
fn in_process(agent: &Agent, _: &Outside) -> Result<Arc<dyn Speaker>, PanelError> {
    let why = "this build has no model of its own. Build it with the feature `local`".into();
    Err(PanelError::Weights { name: agent.name.clone(), why })
}

/// Gives agents whose weights are read here the window of those weights. Reads
/// them, which takes a moment.
pub fn measure(agents: &mut [Agent], outside: &Outside) -> Result<(), PanelError> {
    #[cfg(feature = "local")]
    for agent in agents.iter_mut().filter(|agent| agent.provider == LOCAL_PROVIDER) {
        agent.context_window = Some(weights(agent, outside)?.advised_window());
    }
    let _ = (agents, outside);
    Ok(())
}

/// The model of a remote agent, with its fallback where it has one.
pub fn converser(agent: &Agent, outside: &Outside) -> Result<Arc<dyn Converse>, PanelError> {
    let (first, second) = models_of(agent, outside)?;
    Ok(match second {
        None => Arc::new(first),
        Some(second) => Arc::new(WithFallback::new(first, second)),
    })
}

fn models_of(agent: &Agent, outside: &Outside) -> Result<(Remote, Option<Remote>), PanelError> {
    let row = row(&agent.provider, agent)?;
    let first = reach(row, agent.model.clone(), outside)?;
    let Some(fallback) = agent.fallback.as_deref().map(str::trim).filter(|f| !f.is_empty()) else {
        return Ok((first, None));
    };
    // A name before a slash means a provider only where there is one.
    let other =
        fallback.split_once('/').and_then(|(name, model)| Some((providers::find(name)?, model)));
    let (row, model) = other.unwrap_or((row, fallback));
    let second = reach(row, model.to_owned(), outside)?;
    Ok((first, Some(second)))
}

fn row(provider: &str, agent: &Agent) -> Result<&'static Provider, PanelError> {
    providers::find(provider).ok_or_else(|| PanelError::UnknownProvider {
        name: agent.name.clone(),
        provider: provider.to_owned(),
    })
}

fn reach(row: &'static Provider, model: String, outside: &Outside) -> Result<Remote, PanelError> {
    let mut target = target(row, model, &outside.settings)?;
    if target.facts != models::ModelFacts::UNKNOWN && !target.facts.search {
        target.search = NativeSearch::Off;
    }
    if let (KeyNeed::Required, None, Some(variable)) = (row.key, &target.key, row.key_variable) {
        return Err(PanelError::NoKey { provider: row.name, variable });
    }
    Ok(Remote::new(outside.http.clone(), outside.prices.clone(), target))
}
