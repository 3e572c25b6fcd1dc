//! Personas: the manner that a person gives a seat, behind a colon and a blank in the
//! agent's spec: `sceptic=anthropic: asks for the failure mode first`. Names of models
//! have colons too, but no blank behind them.

use crate::error::{EngineError, LengthUnit, Problem, Refusal, SettingName};

const LONGEST: usize = 500;

/// Parts specs and their personas, which are empty where none is given.
pub fn parted(specs: &[String]) -> (Vec<String>, Vec<String>) {
    let part = |spec: &String| match spec.split_once(": ") {
        Some((spec, persona)) => (spec.trim().to_owned(), persona.trim().to_owned()),
        None => (spec.trim().trim_end_matches(':').to_owned(), String::new()),
    };
    specs.iter().map(part).unzip()
}

/// The personas of a table of so many agents, in the order of their specs; none where
/// nobody has one.
pub fn of_table(specs: &[String], agents: usize) -> Result<Vec<String>, EngineError> {
    let (_, personas) = parted(specs);
    let long = |text: &&String| text.chars().count() > LONGEST;
    if let Some(found) = personas.iter().find(long).map(|text| text.chars().count()) {
        let allowed = format!("at most {LONGEST}");
        let problem = Problem::Length { found, unit: LengthUnit::Characters, allowed };
        return Err(Refusal::new(crate::error::At::Setting(SettingName::Agents), problem).into());
    }
    if personas.iter().all(String::is_empty) {
        return Ok(Vec::new());
    }
    // One agent named alone takes several seats.
    Ok(personas.iter().cycle().take(agents).cloned().collect())
}
