//! Flags from their four sources, merged field by field: the override for this
//! debate, the environment, the config file, the default.

use std::collections::BTreeMap;

use debate::model::{Flags, ParallelLevel, ToolLevel};
use serde_json::Value;

use crate::config::{ConfigError, Environment, ValueSource};
use crate::error::{At, Problem, Refusal, SettingName};

/// One settable flag.
pub struct FlagRow {
    pub key: &'static str,
    pub variable: Option<&'static str>,
    pub kind: FlagKind,
    pub help: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagKind {
    OnOff,
    Share,
    Count,
    Parallel,
    Tool,
}

/// Precedes the name of a mode, for a level of that mode alone.
const MODE_LEVEL: &str = "sequentialParallelization.modes.";

pub const ROWS: [FlagRow; 15] = [
    row(
        "sequentialParallelization.enabled",
        Some("ROUNDTABLE_PARALLEL_ENABLED"),
        FlagKind::OnOff,
        "let agents that would wait for one another answer at once",
    ),
    row(
        "sequentialParallelization.level",
        Some("ROUNDTABLE_PARALLEL_LEVEL"),
        FlagKind::Parallel,
        "how far: none, last-only or full",
    ),
    row("toolEnforcement.enabled", None, FlagKind::OnOff, "enforce the tool policy"),
    row(
        "toolEnforcement.level",
        Some("ROUNDTABLE_TOOL_ENFORCEMENT"),
        FlagKind::Tool,
        "how strictly: strict, normal or relaxed",
    ),
    row(
        "toolEnforcement.minCalls",
        Some("ROUNDTABLE_TOOL_MIN_CALLS"),
        FlagKind::Count,
        "the fewest tool calls of a turn",
    ),
    row(
        "toolEnforcement.maxCalls",
        Some("ROUNDTABLE_TOOL_MAX_CALLS"),
        FlagKind::Count,
        "the most tool calls of a turn",
    ),
    row(
        "groupthinkDetection.enabled",
        Some("ROUNDTABLE_GROUPTHINK_ENABLED"),
        FlagKind::OnOff,
        "warn of agreement that came too easily",
    ),
    row(
        "groupthinkDetection.threshold",
        Some("ROUNDTABLE_GROUPTHINK_THRESHOLD"),
        FlagKind::Share,
        "the agreement from which it may be groupthink",
    ),
    row(
        "exitCriteria.enabled",
        Some("ROUNDTABLE_EXIT_ENABLED"),
        FlagKind::OnOff,
        "end a debate early when its algorithm says so",
    ),
    row(
        "exitCriteria.consensusThreshold",
        Some("ROUNDTABLE_EXIT_CONSENSUS"),
        FlagKind::Share,
        "the agreement that ends a debate",
    ),
    row(
        "exitCriteria.convergenceRounds",
        Some("ROUNDTABLE_EXIT_CONVERGENCE_ROUNDS"),
        FlagKind::Count,
        "how many rounds positions must stay unchanged",
    ),
    row(
        "exitCriteria.confidenceThreshold",
        None,
        FlagKind::Share,
        "the confidence that ends a debate when every agent reaches it",
    ),
    row(
        "sequentialMode.useLightModel",
        None,
        FlagKind::OnOff,
        "a lighter model and shorter answers where agents wait for one another",
    ),
    row("sequentialMode.maxTokens", None, FlagKind::Count, "the answer limit that goes with it"),
    row("sequentialMode.cacheToolResults", None, FlagKind::OnOff, "share search results"),
];

const fn row(
    key: &'static str,
    variable: Option<&'static str>,
    kind: FlagKind,
    help: &'static str,
) -> FlagRow {
    FlagRow { key, variable, kind, help }
}

/// Flags with the source of each value, by key.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedFlags {
    pub flags: Flags,
    pub sources: BTreeMap<&'static str, ValueSource>,
}

/// Merges the sources. `file`: the `[flags]` table of the config file as JSON.
/// `overrides`: the keys and values given for this debate, as text.
pub fn resolve(
    file: &Value,
    environment: &Environment,
    overrides: &[(String, String)],
) -> Result<ResolvedFlags, ConfigError> {
    let mut faults = unknown_keys(file, overrides);
    let mut merged = serde_json::to_value(Flags::default()).unwrap_or_default();
    if let Some(modes) = file.pointer("/sequentialParallelization/modes") {
        merged["sequentialParallelization"]["modes"] = modes.clone();
    }
    for (key, text) in overrides {
        let Some(mode) = key.strip_prefix(MODE_LEVEL) else { continue };
        match FlagKind::Parallel.parse(text) {
            Some(level) => merged["sequentialParallelization"]["modes"][mode] = level,
            None => {
                let problem = Problem::malformed(FlagKind::Parallel.allowed());
                faults.push(Refusal::setting(SettingName::Flag, format!("{key}={text}"), problem));
            }
        }
    }
    let mut sources = BTreeMap::new();
    for row in &ROWS {
        let pointer = format!("/{}", row.key.replace('.', "/"));
        let from_override = overrides.iter().rev().find(|(key, _)| key == row.key);
        let from_environment =
            row.variable.and_then(|name| Some((name, environment.get(name)?.to_string())));
        let in_file = file.pointer(&pointer).filter(|value| !value.is_null());
        let found = match (from_override, from_environment, in_file) {
            (Some((_, text)), _, _) => {
                Some((row.kind.parse(text), text.clone(), ValueSource::ThisDebate))
            }
            (None, Some((name, text)), _) => {
                Some((row.kind.parse(&text), text, ValueSource::Environment(name.to_string())))
            }
            (None, None, Some(value)) => {
                let text = plain(value);
                Some((row.kind.parse(&text), text, ValueSource::File))
            }
            (None, None, None) => None,
        };
        let Some((value, text, source)) = found else {
            sources.insert(row.key, ValueSource::Default);
            continue;
        };
        match (value, merged.pointer_mut(&pointer)) {
            (Some(value), Some(place)) => *place = value,
            _ => {
                let problem = Problem::malformed(row.kind.allowed());
                // In a file the value may be a key that belongs elsewhere.
                let given = Some(text).filter(|_| source != ValueSource::File);
                faults.push(Refusal { given, ..Refusal::new(source.at(row.key), problem) });
            }
        }
        sources.insert(row.key, source);
    }
    if !faults.is_empty() {
        return Err(ConfigError::Values(faults));
    }
    let flags = serde_json::from_value(merged).map_err(|error| {
        let problem = Problem::Failed { why: error.to_string() };
        ConfigError::Values(vec![Refusal::new(At::Setting(SettingName::Flag), problem)])
    })?;
    Ok(ResolvedFlags { flags, sources })
}

/// Returns whether a key sets the level of a mode that exists.
fn is_mode_level(key: &str) -> bool {
    key.strip_prefix(MODE_LEVEL).is_some_and(|mode| debate::modes::find(mode).is_some())
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn unknown_keys(file: &Value, overrides: &[(String, String)]) -> Vec<Refusal> {
    let groups = file.as_object().into_iter().flatten();
    let in_file = groups.flat_map(|(group, fields)| {
        let fields = fields.as_object().into_iter().flatten();
        fields.map(move |(field, _)| format!("{group}.{field}"))
    });
    in_file
        .filter(|key| key != "sequentialParallelization.modes")
        .map(|key| (At::ConfigKey("flags".into()), key))
        .chain(overrides.iter().map(|(key, _)| (At::Setting(SettingName::Flag), key.clone())))
        .filter(|(_, key)| !ROWS.iter().any(|row| row.key == key) && !is_mode_level(key))
        .map(|(at, key)| {
            let known: Vec<&str> = ROWS.iter().map(|row| row.key).collect();
            Refusal::new(at, Problem::unknown(&key, &known)).given(key)
        })
        .collect()
}

impl FlagKind {
    fn parse(self, text: &str) -> Option<Value> {
        let text = text.trim();
        match self {
            FlagKind::OnOff => match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "yes" | "1" => Some(Value::Bool(true)),
                "false" | "off" | "no" | "0" => Some(Value::Bool(false)),
                _ => None,
            },
            FlagKind::Share => {
                text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share)).map(Into::into)
            }
            FlagKind::Count => text.parse::<u32>().ok().map(Into::into),
            FlagKind::Parallel => word(text, ParallelLevel::ALL.map(ParallelLevel::word)),
            FlagKind::Tool => word(text, ToolLevel::ALL.map(ToolLevel::word)),
        }
    }

    pub fn allowed(self) -> String {
        match self {
            FlagKind::OnOff => "true or false".into(),
            FlagKind::Share => "a number from 0 to 1".into(),
            FlagKind::Count => "a whole number".into(),
            FlagKind::Parallel => ParallelLevel::ALL.map(ParallelLevel::word).join(", "),
            FlagKind::Tool => ToolLevel::ALL.map(ToolLevel::word).join(", "),
        }
    }
}

fn word<const N: usize>(text: &str, allowed: [&'static str; N]) -> Option<Value> {
    allowed.iter().find(|word| word.eq_ignore_ascii_case(text)).map(|word| (*word).into())
}
