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

use std::path::PathBuf;

use serde::Serialize;

use crate::Progress;
use engine::error::EngineError;

/// The extent of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureSize {
    Full,
    /// A matter of seconds, to see that it works; its figures say little.
    Small,
}

impl FigureSize {
    fn of<T>(self, full: T, small: T) -> T {
        match self {
            FigureSize::Full => full,
            FigureSize::Small => small,
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FigureRow {
    pub group: &'static str,
    pub what: String,
    pub value: f64,
    pub unit: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl FigureRow {
    fn new(
        group: &'static str,
        what: impl Into<String>,
        value: f64,
        unit: &'static str,
    ) -> FigureRow {
        FigureRow { group, what: what.into(), value, unit, note: String::new() }
    }

    fn noting(mut self, note: impl Into<String>) -> FigureRow {
        self.note = note.into();
        self
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineFigures {
    pub program: &'static str,
    /// True for a build that is made to be fast; else its times mean little.
    pub optimised: bool,
    pub cores: usize,
    pub rows: Vec<FigureRow>,
    pub not_measured: Vec<&'static str>,
}

const NOT_MEASURED: [&str; 4] = [
    "what providers and networks add: answers come from within the process",
    "whether answers are any good: see `roundtable bench quality` with live agents",
    "PostgreSQL, and several nodes on one database",
    "discounts for cached input, and tokens of hidden reasoning",
];

/// Where a measurement works and which program it starts.
#[derive(Debug, Clone)]
pub struct FigurePlaces {
    /// Databases are made in it and removed again.
    pub folder: PathBuf,
    /// The program whose start-up is timed; without it those rows are left out.
    pub program: Option<PathBuf>,
}

pub async fn measure(
    places: &FigurePlaces,
    size: FigureSize,
    progress: &dyn Progress,
) -> Result<EngineFigures, EngineError> {
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
    rows.extend(load::load(places, size, progress).await?);
    progress.step(STEPS, STEPS, "");
    Ok(EngineFigures {
        program: env!("CARGO_PKG_VERSION"),
        optimised: !cfg!(debug_assertions),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        rows,
        not_measured: NOT_MEASURED.to_vec(),
    })
}
