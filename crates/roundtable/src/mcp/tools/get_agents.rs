//! Lists the agents that could debate.

use debate::model::counted;
use engine::nouns::CLIENT_PROVIDER;
use futures::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::call::{Call, ToolHints, ToolReply, ToolRow, arguments};
use crate::mcp::result::schema;
use crate::mcp::result::shapes::LengthWord;
use crate::mcp::result::shaping::short;
use crate::mcp::result::shown::ShownResult;
use engine::config::Config;
use engine::error::EngineError;
use engine::machine::found;
use engine::table::order::Order;
use engine::table::{profile, seats};

pub const ROW: ToolRow = ToolRow {
    name: "get_agents",
    title: "See who can debate",
    description: include_str!("../words/get_agents.md"),
    hints: ToolHints::Reads,
    input: schema::of_input::<AgentsArguments>,
    output: schema::of_output::<AgentsView>,
    call: |call, given| look(call, given).boxed(),
};

/// Models shown per provider where it is not asked for all.
const MODELS: usize = 6;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentsArguments {
    /// Also those not set up, and how to add them.
    pub include_missing: Option<bool>,
    /// detailed: all models.
    pub response_format: Option<LengthWord>,
}

/// Providers and their models.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsView {
    /// The agents of a debate that names none, from the config file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub panel: Vec<String>,
    pub agents: Vec<AgentRow>,
    /// Providers that could be added.
    pub missing: Vec<AgentRow>,
    pub note: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentRow {
    /// Name it in agents as "provider" or "provider/model".
    pub provider: String,
    pub title: String,
    pub models: Vec<String>,
    pub note: String,
}

async fn look(call: Call, given: Value) -> Result<ToolReply, EngineError> {
    let args: AgentsArguments = arguments(given)?;
    let outside = seats::outside(call.host().config())?;
    let lines = found::overview(&outside).await;
    let most = match args.response_format.unwrap_or_default() {
        LengthWord::Concise => MODELS,
        LengthWord::Detailed => usize::MAX,
    };
    let row = |line: &found::FoundProvider| AgentRow {
        provider: line.provider.clone(),
        title: line.title.clone(),
        models: line.models.iter().take(most).map(|name| short(name, 100)).collect(),
        note: short(&line.note, 300),
    };
    let (ready, missing): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.ready);
    let mut agents: Vec<AgentRow> = ready.into_iter().map(row).collect();
    if call.can_sample() {
        agents.push(AgentRow {
            provider: CLIENT_PROVIDER.into(),
            title: "your client's own model".into(),
            models: Vec::new(),
            note: "your client lends its model; it may ask its user each time".into(),
        });
    }
    let total = missing.len();
    let shown = args.include_missing == Some(true) || agents.is_empty();
    let missing: Vec<AgentRow> = missing.into_iter().filter(|_| shown).map(row).collect();
    let note = match agents.len() {
        0 => "No model is set up. Tell the user to set a key or start a local server as missing \
              says, then to restart this server. Only the built-in example can be debated."
            .into(),
        _ if shown => String::from("Name agents as provider or provider/model."),
        _ => format!(
            "{} could be set up; see them with includeMissing.",
            counted(total, "more provider")
        ),
    };
    let panel = panel(call.host().config())?;
    Ok(ShownResult::of(&AgentsView { panel, agents, missing, note }).into())
}

/// The agents that debate where none are named, as the config file or its profile says.
fn panel(config: &Config) -> Result<Vec<String>, EngineError> {
    let filled = profile::fill(config, &Order::default())?;
    let agents = if filled.agents.is_empty() { &config.file.agents } else { &filled.agents };
    Ok(agents.iter().map(|agent| short(agent, 100)).collect())
}
