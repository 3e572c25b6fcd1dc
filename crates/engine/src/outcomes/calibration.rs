//! The measured calibration that debates start with: a file beside the database,
//! as `roundtable bench quality` writes it. Without it nothing is calibrated.

use std::path::{Path, PathBuf};

use debate::model::{Brief, CALIBRATION_VERSION, CalibrationTable};

use crate::config::Config;
use crate::error::{EngineError, FileKind, FileProblem, Refusal, Remedy};

/// The name of the file in the data directory.
pub const FILE: &str = "calibration.json";

/// Where the calibration is kept.
pub fn path(config: &Config) -> PathBuf {
    config.paths.database.with_file_name(FILE)
}

/// Gives the brief the rows of the models at its table.
pub fn apply(config: &Config, brief: &mut Brief) -> Result<(), EngineError> {
    let path = path(config);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(unreadable(&path, &error)),
    };
    let table: CalibrationTable =
        serde_json::from_str(&text).map_err(|error| unreadable(&path, &error))?;
    if table.version > CALIBRATION_VERSION {
        return Err(unreadable(&path, &"a newer version of Roundtable wrote it"));
    }
    let models: Vec<String> =
        brief.agents.iter().map(|agent| format!("{}/{}", agent.provider, agent.model)).collect();
    brief.calibration = table.for_models(&models);
    Ok(())
}

fn unreadable(path: &Path, why: &dyn std::fmt::Display) -> EngineError {
    let problem = FileProblem::Broken { what: FileKind::Calibration, why: why.to_string() };
    Refusal::file(path, problem).help(Remedy::MeasureAgain).into()
}
