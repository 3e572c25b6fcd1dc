//! The scenarios that come with the program: for every mode its own order of
//! speaking, and the same with everybody but the last speaking at once.

use std::path::Path;

use crate::file::SourceText;
use crate::scenario::Scenario;
use engine::error::EngineError;

/// The two scenarios of every mode, the baseline first; `{mode}` stands for its name.
const KINDS: [(&str, &str); 2] = [
    ("baseline", include_str!("../scenarios/baseline.toml")),
    ("parallel", include_str!("../scenarios/parallel.toml")),
];

/// Name and text, mode by mode.
fn shipped() -> impl Iterator<Item = (String, String)> {
    debate::modes::all().iter().flat_map(|plan| {
        KINDS.map(|(kind, text)| {
            (format!("{}-{kind}", plan.name), text.replace("{mode}", plan.name))
        })
    })
}

/// Words that stand for several of them.
const GROUPS: [(&str, &str); 3] =
    [("baseline", "-baseline"), ("parallel", "-parallel"), ("all", "")];

pub fn all() -> Result<Vec<Scenario>, EngineError> {
    shipped().map(parsed).collect()
}

fn parsed((name, text): (String, String)) -> Result<Scenario, EngineError> {
    Scenario::of(&SourceText::own(&name, &text), Path::new(".")).map_err(EngineError::Face)
}

/// The scenarios that words on the command line stand for: files, shipped ones,
/// or groups of these. Everything wrong is said at once.
pub fn find(given: &[String]) -> Result<Vec<Scenario>, EngineError> {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for word in given {
        match one(word) {
            Ok(scenarios) => found.extend(scenarios),
            Err(EngineError::Face(more)) => faults.extend(more),
            Err(trouble) => return Err(trouble),
        }
    }
    if faults.is_empty() { Ok(found) } else { Err(EngineError::Face(faults)) }
}

fn one(word: &str) -> Result<Vec<Scenario>, EngineError> {
    if let Some(row) = shipped().find(|(name, _)| name == word) {
        return Ok(vec![parsed(row)?]);
    }
    if let Some((_, ending)) = GROUPS.iter().find(|(name, _)| *name == word) {
        return shipped().filter(|(name, _)| name.ends_with(ending)).map(parsed).collect();
    }
    let path = Path::new(word);
    if path.extension().is_none() && !path.exists() {
        let names: Vec<String> = shipped().map(|(name, _)| name).collect();
        let mut known: Vec<&str> = names.iter().map(String::as_str).collect();
        known.extend(GROUPS.map(|(name, _)| name));
        let hint = engine::spelling::did_you_mean(word, &known);
        return Err(EngineError::input(format!(
            "there is no scenario {word:?}; {hint} (`roundtable bench list` shows them; a file of \
             your own ends in .toml or .yaml)"
        )));
    }
    Ok(vec![Scenario::load(path).map_err(EngineError::Face)?])
}
