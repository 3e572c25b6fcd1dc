//! The plan of a run: its scenarios, who speaks in them, and the money cap.

use std::path::PathBuf;

use debate::model::MicroUsd;
use serde::{Deserialize, Serialize};

use crate::scenario::{Case, Scenario};

/// Everything that decides what a run does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub scenarios: Vec<Scenario>,
    /// The topics of each, in the same order.
    pub cases: Vec<Vec<Case>>,
    pub source: Source,
    /// The most all of it may cost.
    #[serde(default)]
    pub cap: Option<MicroUsd>,
    #[serde(default)]
    pub record: Option<PathBuf>,
}

/// The speakers of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum Source {
    /// The agents that the scenario names.
    AsWritten,
    Simulated,
    Live {
        agents: Vec<String>,
        clerk: Option<String>,
    },
    Script {
        file: PathBuf,
    },
    Recording {
        file: PathBuf,
        speed: Option<String>,
    },
}

impl Source {
    /// The speakers of one scenario.
    pub fn of(&self, scenario: &Scenario) -> Source {
        match self {
            Source::AsWritten => match (&scenario.script, scenario.agents.as_slice()) {
                (Some(file), _) => Source::Script { file: file.clone() },
                (None, []) => Source::Simulated,
                (None, agents) => {
                    Source::Live { agents: agents.to_vec(), clerk: scenario.clerk.clone() }
                }
            },
            given => given.clone(),
        }
    }

    pub fn word(&self) -> &'static str {
        match self {
            Source::AsWritten => "as written",
            Source::Simulated => "simulated agents",
            Source::Live { .. } => "live agents",
            Source::Script { .. } => "scripted agents",
            Source::Recording { .. } => "a recording",
        }
    }
}
