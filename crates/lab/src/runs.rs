//! Results on the disk: one folder per run with what was planned and one line
//! per debate that was held, so that a run that was cut off goes on where it
//! stood.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::metrics::Metrics;
use crate::run::plan::Plan;
use engine::error::EngineError;

/// The version of what is written here.
pub const VERSION: u32 = 1;
const HEAD: &str = "run.json";
const RESULTS: &str = "results.jsonl";

/// A run as it was planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    pub version: u32,
    pub name: String,
    pub program: String,
    /// Milliseconds since 1970.
    pub started: i64,
    pub plan: Plan,
}

/// What became of one debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "what")]
pub enum RunEntry {
    /// A live debate is in the database under this id.
    Begun {
        label: String,
        debate: String,
    },
    Held(Box<HeldDebate>),
    Failed {
        label: String,
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldDebate {
    pub label: String,
    pub scenario: String,
    pub mode: String,
    /// Which of the scenario's topics, from 0.
    pub case: usize,
    pub seed: u64,
    /// The debate in the database, where it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debate: Option<String>,
    pub answer: String,
    pub exit_reason: String,
    pub metrics: Metrics,
}

/// A run and everything that came of it so far.
#[derive(Debug, Clone)]
pub struct BenchRun {
    pub head: Head,
    pub entries: Vec<RunEntry>,
    folder: PathBuf,
}

impl BenchRun {
    pub fn held(&self) -> impl Iterator<Item = &HeldDebate> {
        self.entries.iter().filter_map(|entry| match entry {
            RunEntry::Held(held) => Some(held.as_ref()),
            RunEntry::Begun { .. } | RunEntry::Failed { .. } => None,
        })
    }

    /// Debates that failed and have not been held since.
    pub fn failed(&self) -> Vec<(&str, &str)> {
        let mut failed: Vec<(&str, &str)> = Vec::new();
        for entry in &self.entries {
            if let RunEntry::Failed { label, why } = entry {
                failed.retain(|(other, _)| other != label);
                failed.push((label, why));
            }
        }
        failed.retain(|(label, _)| !self.held().any(|held| held.label == *label));
        failed
    }

    pub fn is_held(&self, label: &str) -> bool {
        self.held().any(|held| held.label == label)
    }

    /// A live debate that was begun and not finished.
    pub fn begun(&self, label: &str) -> Option<&str> {
        self.entries.iter().rev().find_map(|entry| match entry {
            RunEntry::Begun { label: other, debate } if other == label => Some(debate.as_str()),
            _ => None,
        })
    }

    pub fn spent_usd(&self) -> f64 {
        self.held().map(|held| held.metrics.effort.cost_usd).sum()
    }

    /// Writes down what became of a debate before anything is built on it.
    pub fn add(&mut self, entry: RunEntry) -> Result<(), EngineError> {
        let path = self.folder.join(RESULTS);
        let line = serde_json::to_string(&entry).unwrap_or_default();
        let written = OpenOptions::new().create(true).append(true).open(&path);
        written
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
            .map_err(|error| cannot(&path, &error))?;
        self.entries.push(entry);
        Ok(())
    }
}

fn cannot(path: &Path, error: &dyn std::fmt::Display) -> EngineError {
    EngineError::Tape(format!("cannot write {}: {error}", path.display()))
}

/// Begins a run under a name of its own: the wanted one, with a number where it
/// is taken.
pub fn begin(
    bench: &Path,
    wanted: &str,
    started: i64,
    plan: Plan,
) -> Result<BenchRun, EngineError> {
    let folder = |name: &str| bench.join("runs").join(name);
    let numbered = (1_u32..).map(|number| format!("{wanted}-{number}"));
    let name = numbered.into_iter().find(|name| !folder(name).exists()).unwrap_or_default();
    let folder = folder(&name);
    let program = env!("CARGO_PKG_VERSION").to_owned();
    let head = Head { version: VERSION, name, program, started, plan };
    fs::create_dir_all(&folder).map_err(|error| cannot(&folder, &error))?;
    let text = serde_json::to_string_pretty(&head).unwrap_or_default();
    let path = folder.join(HEAD);
    fs::write(&path, text).map_err(|error| cannot(&path, &error))?;
    Ok(BenchRun { head, entries: Vec::new(), folder })
}

/// The names of all runs, in order.
pub fn names(bench: &Path) -> Vec<String> {
    let entries = fs::read_dir(bench.join("runs")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join(HEAD).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

pub fn load(bench: &Path, name: &str) -> Result<BenchRun, EngineError> {
    let folder = bench.join("runs").join(name);
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != ".." && name != ".";
    let path = folder.join(HEAD);
    if !plain || !path.is_file() {
        let known = names(bench);
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let hint = if known.is_empty() {
            "none has been made yet; make one with `roundtable bench run`".into()
        } else {
            engine::spelling::did_you_mean(name, &known)
        };
        return Err(EngineError::input(format!("there is no run {name:?}; {hint}")));
    }
    let broken = |path: &Path, line: usize, why: &dyn std::fmt::Display| {
        EngineError::input(format!("{}, line {line}: {why}", path.display()))
    };
    let text = fs::read_to_string(&path).map_err(|error| broken(&path, 1, &error))?;
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| broken(&path, error.line(), &error))?;
    let version = value.get("version").and_then(serde_json::Value::as_u64);
    if version != Some(u64::from(VERSION)) {
        let found = version.map_or("none".into(), |found| found.to_string());
        let why = format!(
            "the run has version {found}, this program reads version {VERSION}; run it again"
        );
        return Err(broken(&path, 1, &why));
    }
    let head: Head = serde_json::from_value(value).map_err(|error| broken(&path, 1, &error))?;
    let path = folder.join(RESULTS);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let mut entries = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(entry) => entries.push(entry),
            // The last line may have been cut off with the process that wrote it.
            Err(_) if index + 1 == lines.len() && !text.ends_with('\n') => {}
            Err(error) => return Err(broken(&path, index + 1, &error)),
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        mend(&path, &text)?;
    }
    Ok(BenchRun { head, entries, folder })
}

/// Drops a line that was cut off, so that the next one begins on its own.
fn mend(path: &Path, text: &str) -> Result<(), EngineError> {
    let whole = text.rfind('\n').map_or("", |at| text.get(..=at).unwrap_or_default());
    fs::write(path, whole).map_err(|error| cannot(path, &error))
}
