//! A scenario: what is debated, how, by whom and how often. It is checked whole
//! before anything runs; every fault names its line.

use std::path::{Path, PathBuf};

use crate::simulated::regimes::REGIMES;
use crate::simulated::{Regime, lively::Manner};
use debate::model::{Algorithm, Flags, Question};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::file::SourceText;
use crate::quality::questions::Questions;
use engine::config::{self, FLAG_ROWS};
use engine::error::Problem;
use engine::table::order::Order;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub name: String,
    /// What it is for, in one line.
    #[serde(default)]
    pub about: String,
    #[serde(default)]
    pub topic: Option<String>,
    /// A file of questions, each of which is debated; beside the scenario.
    #[serde(default)]
    pub questions: Option<PathBuf>,
    /// The answers to choose from, where there are such.
    #[serde(default)]
    pub options: Vec<String>,
    pub mode: String,
    /// Who debates, as after `--agents`; empty: simulated agents.
    #[serde(default)]
    pub agents: Vec<String>,
    #[serde(default)]
    pub clerk: Option<String>,
    /// A file that speaks for the agents; beside the scenario.
    #[serde(default)]
    pub script: Option<PathBuf>,
    #[serde(default)]
    pub simulated: SimulatedTable,
    #[serde(default = "usual_rounds")]
    pub rounds: u32,
    /// How many debates are held, each with the next seed.
    #[serde(default = "usual_repeat")]
    pub repeat: u32,
    #[serde(default = "usual_seed")]
    pub seed: u64,
    #[serde(default)]
    pub algorithm: Option<String>,
    #[serde(default)]
    pub max_tokens: Option<u32>,
    #[serde(default)]
    pub temperature: Option<f64>,
    /// By group and name, as in the config file.
    #[serde(default)]
    pub flags: serde_json::Map<String, Value>,
    /// What is debated; read from `topic` or `questions`, kept beside the scenario.
    #[serde(skip)]
    pub cases: Vec<Case>,
}

/// One thing to debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Case {
    pub topic: String,
    pub question: Question,
}

/// Who sits at a simulated table and how they answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SimulatedTable {
    /// The name of a regime.
    pub table: String,
    /// By agent; the last one holds for all further ones.
    pub answer_ms: Vec<u64>,
    pub jitter: f64,
    pub words: usize,
}

impl Default for SimulatedTable {
    fn default() -> Self {
        let Manner { answer_ms, jitter, words } = Manner::default();
        SimulatedTable { table: "three equals".into(), answer_ms, jitter, words }
    }
}

impl SimulatedTable {
    pub fn regime(&self) -> Option<&'static Regime> {
        regime(&self.table)
    }

    pub fn manner(&self) -> Manner {
        Manner { answer_ms: self.answer_ms.clone(), jitter: self.jitter, words: self.words }
    }
}

pub fn regime(name: &str) -> Option<&'static Regime> {
    REGIMES.iter().find(|regime| regime.name.eq_ignore_ascii_case(name.trim()))
}

/// The regimes that could have been meant. Their names hold commas.
pub fn known_regimes(given: &str) -> String {
    let known: Vec<String> = REGIMES.iter().map(|regime| format!("{:?}", regime.name)).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    engine::spelling::did_you_mean(given, &known)
}

fn usual_rounds() -> u32 {
    2
}

fn usual_repeat() -> u32 {
    5
}

fn usual_seed() -> u64 {
    1
}

const LONGEST_NAME: usize = 60;
const MOST_REPEATS: u32 = 10_000;

impl Scenario {
    pub fn load(path: &Path) -> Result<Scenario, Vec<String>> {
        let written = SourceText::read(path).map_err(|fault| vec![fault])?;
        Scenario::of(&written, path.parent().unwrap_or(Path::new(".")))
    }

    /// `folder`: where files it names are looked for.
    pub fn of(written: &SourceText, folder: &Path) -> Result<Scenario, Vec<String>> {
        let mut scenario: Scenario = written.parse().map_err(|fault| vec![fault])?;
        scenario.name = scenario.name.trim().to_owned();
        scenario.script = scenario.script.map(|file| folder.join(file));
        let mut faults = scenario.faults(written);
        match scenario.found_cases(written, folder) {
            Ok(cases) => scenario.cases = cases,
            Err(more) => faults.extend(more),
        }
        if faults.is_empty() { Ok(scenario) } else { Err(faults) }
    }

    fn faults(&self, written: &SourceText) -> Vec<String> {
        let mut faults = Vec::new();
        let mut add = |field: &str, what: String| faults.push(written.fault_at(field, 0, &what));
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let length = self.name.chars().count();
        if !(1..=LONGEST_NAME).contains(&length) || !self.name.chars().all(plain) {
            let allowed = "1 to 60 letters, digits, - _ and .";
            add("name", format!("{:?} is not allowed; allowed: {allowed}", self.name));
        }
        let modes: Vec<&str> = debate::modes::all().iter().map(|plan| plan.name).collect();
        if !modes.contains(&self.mode.as_str()) {
            let hint = engine::spelling::did_you_mean(&self.mode, &modes);
            add("mode", format!("{:?} is unknown; {hint}", self.mode));
        }
        if !(1..=20).contains(&self.rounds) {
            add("rounds", format!("{} is not allowed; allowed: 1 to 20", self.rounds));
        }
        if !(1..=MOST_REPEATS).contains(&self.repeat) {
            add("repeat", format!("{} is not allowed; allowed: 1 to {MOST_REPEATS}", self.repeat));
        }
        if let Some(name) = &self.algorithm {
            let known = Algorithm::ALL.map(Algorithm::word);
            if !known.contains(&name.as_str()) {
                let hint = engine::spelling::did_you_mean(name, &known);
                add("algorithm", format!("{name:?} is unknown; {hint}"));
            }
        }
        if self.simulated.regime().is_none() {
            let name = &self.simulated.table;
            add("table", format!("{name:?} is unknown; {}", known_regimes(name)));
        }
        if !(0.0..=1.0).contains(&self.simulated.jitter) {
            let jitter = self.simulated.jitter;
            add("jitter", format!("{jitter} is not allowed; allowed: a share from 0 to 1"));
        }
        if let Some(file) = self.script.as_ref().filter(|file| !file.is_file()) {
            add("script", format!("there is no file {}", file.display()));
        }
        for pair in self.pairs() {
            let Err(error) = config::overlay(&Flags::default(), std::slice::from_ref(&pair)) else {
                continue;
            };
            let (group, field) = pair.0.split_once('.').unwrap_or(("flags", &pair.0));
            let line = written.line_within(group, field);
            let what = error.refusals().into_iter().map(|fault| in_words(&pair.0, &fault.problem));
            faults.extend(what.map(|what| written.fault(line, &what)));
        }
        faults
    }

    fn found_cases(&self, written: &SourceText, folder: &Path) -> Result<Vec<Case>, Vec<String>> {
        match (&self.topic, &self.questions) {
            (Some(topic), None) => {
                let length = topic.trim().chars().count();
                if !(1..=10_000).contains(&length) {
                    let what = format!("has {length} characters; allowed: 1 to 10,000");
                    return Err(vec![written.fault_at("topic", 0, &what)]);
                }
                let question = match self.options.as_slice() {
                    [] => Question::Open,
                    options => Question::Options { options: options.to_vec() },
                };
                Ok(vec![Case { topic: topic.clone(), question }])
            }
            (None, Some(file)) => {
                let questions = Questions::load(&folder.join(file))?;
                let case = |item: &crate::quality::questions::QuestionItem| Case {
                    topic: item.question.clone(),
                    question: item.form(),
                };
                Ok(questions.items.iter().map(case).collect())
            }
            (Some(_), Some(_)) => {
                Err(vec![written.fault_at("questions", 0, "give a topic or questions, not both")])
            }
            (None, None) => {
                Err(vec![written.fault(1, "topic: missing; give a topic or questions")])
            }
        }
    }

    /// The flags as `group.name` and value.
    fn pairs(&self) -> Vec<(String, String)> {
        let fields = self.flags.iter().flat_map(|(group, fields)| {
            let inner = fields.as_object().into_iter().flatten();
            inner.map(move |(name, value)| (format!("{group}.{name}"), plain(value)))
        });
        let stray = self.flags.iter().filter(|(_, value)| !value.is_object());
        let stray = stray.map(|(name, value)| (name.clone(), plain(value)));
        fields.chain(stray).collect()
    }

    /// The order for one of its debates. Every flag is said, so that neither the
    /// environment nor the config file changes what is measured.
    pub fn order(&self, case: &Case, seed: u64) -> Order {
        let flags = config::overlay(&Flags::default(), &self.pairs()).unwrap_or_default();
        let values = serde_json::to_value(&flags).unwrap_or_default();
        let flag = |row: &config::FlagRow| {
            let value = values.pointer(&format!("/{}", row.key.replace('.', "/")))?;
            (!value.is_null()).then(|| format!("{}={}", row.key, plain(value)))
        };
        Order {
            topic: Some(case.topic.clone()),
            mode: Some(self.mode.clone()),
            agents: self.agents.clone(),
            rounds: Some(self.rounds.to_string()),
            question: case.question.clone(),
            flags: FLAG_ROWS.iter().filter_map(flag).collect(),
            algorithm: Some(
                self.algorithm.clone().unwrap_or_else(|| Algorithm::default().word().to_owned()),
            ),
            temperature: self.temperature.map(|value| value.to_string()),
            max_output_tokens: self.max_tokens.map(|value| value.to_string()),
            seed: Some(seed.to_string()),
            script: self.script.clone(),
            clerk: self.clerk.clone(),
            ..Order::default()
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The fault of a flag, as a scenario's file is told.
fn in_words(flag: &str, problem: &Problem) -> String {
    match problem {
        Problem::Unknown { near, all } if near.is_empty() => {
            format!("flags: there is no flag {flag:?}; there are: {}", all.join(", "))
        }
        Problem::Unknown { near, .. } => {
            format!("flags: there is no flag {flag:?}; did you mean {}?", near.join(", "))
        }
        Problem::Malformed { allowed } | Problem::OutOfRange { allowed } => {
            format!("flag {flag}: allowed: {allowed}")
        }
        other => format!("flag {flag}: {other:?}"),
    }
}
