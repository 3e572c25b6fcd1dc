//! What a name on the command line stands for: a run, one scenario of it, the
//! newest results of a scenario, or a file that was exported.

use std::path::Path;

use serde::Deserialize;

use crate::export;
use crate::runs::{self, BenchRun, HeldDebate};
use engine::error::EngineError;

/// One side of a comparison.
#[derive(Debug, Clone)]
pub struct ComparedSide {
    pub name: String,
    /// Who spoke, in words.
    pub source: String,
    pub held: Vec<HeldDebate>,
}

impl ComparedSide {
    pub fn modes(&self) -> Vec<String> {
        let mut modes: Vec<String> = Vec::new();
        for held in &self.held {
            if !modes.contains(&held.mode) {
                modes.push(held.mode.clone());
            }
        }
        modes
    }
}

pub fn side(bench: &Path, given: &str) -> Result<ComparedSide, EngineError> {
    let file = Path::new(given);
    let found = if file.extension().is_some_and(|end| end == "json") {
        from_file(file)?
    } else if let Some((run, scenario)) = given.split_once(':') {
        of_scenario(&runs::load(bench, run)?, scenario, given)?
    } else if runs::names(bench).iter().any(|name| name == given) {
        of_run(&runs::load(bench, given)?, given)
    } else {
        newest(bench, given)?
    };
    if found.held.is_empty() {
        Err(EngineError::input(format!(
            "{given}: no debate of it has been held yet; go on with `roundtable bench run --resume`"
        )))
    } else {
        Ok(found)
    }
}

fn of_run(run: &BenchRun, name: &str) -> ComparedSide {
    let source = export::sources(&run.head.plan);
    ComparedSide { name: name.into(), source, held: run.held().cloned().collect() }
}

fn of_scenario(run: &BenchRun, scenario: &str, name: &str) -> Result<ComparedSide, EngineError> {
    let mut side = of_run(run, name);
    side.held.retain(|held| held.scenario == scenario);
    let known: Vec<&str> =
        run.head.plan.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    if known.contains(&scenario) {
        Ok(side)
    } else {
        let hint = engine::spelling::did_you_mean(scenario, &known);
        Err(EngineError::input(format!(
            "{}: it has no scenario {scenario:?}; {hint}",
            run.head.name
        )))
    }
}

/// The newest run in which the scenario was held.
fn newest(bench: &Path, scenario: &str) -> Result<ComparedSide, EngineError> {
    let mut newest: Option<BenchRun> = None;
    for name in runs::names(bench) {
        let run = runs::load(bench, &name)?;
        let later = newest.as_ref().is_none_or(|other| run.head.started >= other.head.started);
        if later && run.held().any(|held| held.scenario == scenario) {
            newest = Some(run);
        }
    }
    match newest {
        Some(run) => of_scenario(&run, scenario, scenario),
        // The message that lists what there is.
        None => runs::load(bench, scenario).map(|run| of_run(&run, scenario)),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExportedRun {
    name: String,
    source: String,
    debates: Vec<HeldDebate>,
}

fn from_file(path: &Path) -> Result<ComparedSide, EngineError> {
    let place = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| EngineError::input(format!("{place}: {error}")))?;
    let exported: ExportedRun = serde_json::from_str(&text).map_err(|error| {
        EngineError::input(format!(
            "{place}, line {}: {error}. Give a file made with `roundtable bench run --export`",
            error.line()
        ))
    })?;
    Ok(ComparedSide { name: exported.name, source: exported.source, held: exported.debates })
}
