//! The example table: three scripted agents and a clerk who debate one fixed topic, so that
//! a first run works with no model at all. They are not models and do not
//! pretend to be; whatever they are asked, they speak to [`TOPIC`] only.

use debate::model::Agent;

use super::{AgentScript, ScriptError};

pub use crate::catalogue::agent_spec::EXAMPLE_PROVIDER as PROVIDER;

/// The only topic the example table debates.
pub const TOPIC: &str =
    "Should a five-person startup build its product as microservices or as a modular monolith?";

/// Shown wherever the example table is used.
pub const NOTICE: &str = "This is a scripted example, not real models. To debate your own \
    question, add a model: `roundtable agents`.";

const NAMES: [&str; 3] = ["Ada", "Brook", "Chen"];
const TEXT: &str = include_str!("example.toml");

pub fn script() -> Result<AgentScript, ScriptError> {
    AgentScript::from_toml(TEXT, "example.toml")
}

/// The three agents, ready for a brief.
pub fn agents() -> Vec<Agent> {
    NAMES.into_iter().map(agent).collect()
}

/// The clerk of the example, scripted as well.
pub fn clerk() -> Agent {
    agent("clerk")
}

fn agent(name: &str) -> Agent {
    Agent {
        name: name.into(),
        provider: PROVIDER.into(),
        model: name.to_lowercase(),
        family: None,
        context_window: None,
        temperature: None,
        fallback: None,
    }
}
