//! The engine's own figures, in one table: what it adds to the time of the
//! answers, how many debates it holds, what a round costs, how views grow, what
//! orders of speaking and rules of evidence come to. No model is asked; the
//! answers are written by simulated agents, and the table says so.

mod hall;
mod load;
mod machine;
mod orders;
mod process;
mod rules;

use serde::Serialize;

use crate::Progress;
use engine::config::Config;
use engine::error::EngineError;

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Full,
    /// A matter of seconds, to see that it works; its figures say little.
    Small,
}

impl Size {
    fn of<T>(self, full: T, small: T) -> T {
        match self {
            Size::Full => full,
            Size::Small => small,
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub group: &'static str,
    pub what: String,
    pub value: f64,
    pub unit: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl Row {
    fn new(group: &'static str, what: impl Into<String>, value: f64, unit: &'static str) -> Row {
        Row { group, what: what.into(), value, unit, note: String::new() }
    }

    fn noting(mut self, note: impl Into<String>) -> Row {
        self.note = note.into();
        self
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    pub program: &'static str,
    /// Whether the program was built to be fast; else its times mean little.
    pub optimised: bool,
    pub cores: usize,
    pub rows: Vec<Row>,
    pub not_measured: Vec<&'static str>,
}

const NOT_MEASURED: [&str; 4] = [
    "what providers and networks add: answers come from within the process",
    "whether answers are any good: see `roundtable bench quality` with live agents",
    "PostgreSQL, and several nodes on one database",
    "discounts for cached input, and tokens of hidden reasoning",
];

pub async fn measure(
    config: &Config,
    size: Size,
    progress: &dyn Progress,
) -> Result<Figures, EngineError> {
    const STEPS: usize = 6;
    let mut rows = Vec::new();
    progress.step(0, STEPS, "the machine alone");
    rows.extend(machine::cpu(size).await?);
    progress.step(1, STEPS, "views and transcripts");
    rows.extend(machine::views(size).await?);
    progress.step(2, STEPS, "tokens and money by rounds and agents");
    rows.extend(machine::costs(size).await?);
    progress.step(3, STEPS, "orders of speaking");
    rows.extend(orders::latency().await?);
    progress.step(4, STEPS, "rules of evidence");
    rows.extend(rules::tokens_of_evidence().await?);
    progress.step(5, STEPS, "many debates at once");
    rows.extend(load::load(config, size, progress).await?);
    progress.step(STEPS, STEPS, "");
    Ok(Figures {
        program: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        rows,
        not_measured: NOT_MEASURED.to_vec(),
    })
}
