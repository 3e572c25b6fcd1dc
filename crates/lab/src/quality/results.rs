//! The answers of every arm to every question, and their file: answers of live
//! agents are written down as they come, so that the same command picks up where
//! it left off.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::quality::arms::Arm;
use crate::quality::plan::{QualityPlan, Speakers};
use engine::config::Config;
use engine::error::EngineError;

/// One question with one seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionResult {
    pub item: usize,
    pub seed: u64,
    pub arms: BTreeMap<Arm, ArmAnswer>,
    /// Of every seat: whether its first answer was right, and its last.
    pub ways: Vec<(bool, bool)>,
    /// All that was really paid for it.
    pub spent_usd: f64,
    /// The seats' sealed first answers that stated a confidence.
    #[serde(default)]
    pub stated: Vec<StatedFirst>,
    #[serde(default)]
    pub checks: DebateChecks,
}

/// A first answer with the confidence its model stated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatedFirst {
    /// `provider/model`.
    pub model: String,
    pub confidence: f64,
    pub right: bool,
}

/// Counts of what must not happen in a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DebateChecks {
    /// Answers of seats, and those of them without an answer or a confidence.
    pub answers: u32,
    pub lacking: u32,
    /// Answers that are no vote because the seat cannot say, and answers that had to
    /// be asked for again.
    #[serde(default)]
    pub abstained: u32,
    #[serde(default)]
    pub asked_again: u32,
    /// Answers that were judged for safety, and judgements against one.
    #[serde(default)]
    pub judged: u32,
    #[serde(default)]
    pub refused: u32,
    /// Rounds whose agreement is known, and those where it contradicts the votes.
    pub rounds: u32,
    pub contradicted: u32,
}

impl DebateChecks {
    pub fn plus(self, other: DebateChecks) -> DebateChecks {
        DebateChecks {
            answers: self.answers + other.answers,
            lacking: self.lacking + other.lacking,
            abstained: self.abstained + other.abstained,
            asked_again: self.asked_again + other.asked_again,
            judged: self.judged + other.judged,
            refused: self.refused + other.refused,
            rounds: self.rounds + other.rounds,
            contradicted: self.contradicted + other.contradicted,
        }
    }
}

/// The answer of an arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArmAnswer {
    pub right: bool,
    /// True if there was an answer that could be read.
    pub read: bool,
    pub probability: f64,
    pub cost: Cost,
}

/// The cost of an answer, were it the only thing asked for.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    pub usd: f64,
    /// True if every call had a price.
    pub priced: bool,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub calls: u32,
}

impl Cost {
    /// For setting costs against each other: dollars where all are known, else
    /// tokens, of which a written one costs four times a read one.
    pub fn weight(&self) -> f64 {
        if self.priced && self.usd > 0.0 {
            self.usd
        } else {
            (self.input_tokens + 4 * self.output_tokens) as f64
        }
    }

    pub fn plus(self, other: Cost) -> Cost {
        Cost {
            usd: self.usd + other.usd,
            priced: self.priced && other.priced,
            input_tokens: self.input_tokens + other.input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            calls: self.calls + other.calls,
        }
    }
}

/// Answers so far; on the disk where they cost money.
pub struct AnswerFile {
    pub answered: Vec<QuestionResult>,
    file: Option<PathBuf>,
}

impl AnswerFile {
    pub fn open(config: &Config, plan: &QualityPlan) -> Result<AnswerFile, EngineError> {
        let Speakers::Live { agents, clerk } = &plan.speakers else {
            return Ok(AnswerFile { answered: Vec::new(), file: None });
        };
        let what = format!(
            "{}\n{agents:?} {clerk:?} {} {} {} {:?}",
            plan.text, plan.mode, plan.rounds, plan.seed, plan.arms
        );
        let digest: String = blake3::hash(what.as_bytes()).to_hex().chars().take(16).collect();
        let folder = config.paths.bench.join("quality");
        fs::create_dir_all(&folder).map_err(|error| cannot(&folder, &error))?;
        let file = folder.join(format!("{digest}.jsonl"));
        let text = fs::read_to_string(&file).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |at| text.get(..=at).unwrap_or_default());
        if whole.len() < text.len() {
            // A line that was cut off with the process that wrote it.
            fs::write(&file, whole).map_err(|error| cannot(&file, &error))?;
        }
        let mut answered = Vec::new();
        for (index, line) in whole.lines().enumerate() {
            let one: QuestionResult = serde_json::from_str(line).map_err(|error| {
                EngineError::input(format!(
                    "{}, line {}: {error}. Remove the file to begin anew",
                    file.display(),
                    index + 1
                ))
            })?;
            answered.push(one);
        }
        let last = plan.seed.saturating_add(u64::from(plan.seeds));
        answered.retain(|one| (plan.seed..last).contains(&one.seed));
        Ok(AnswerFile { answered, file: Some(file) })
    }

    pub fn has(&self, item: usize, seed: u64) -> bool {
        self.answered.iter().any(|one| one.item == item && one.seed == seed)
    }

    pub fn spent_usd(&self) -> f64 {
        self.answered.iter().map(|one| one.spent_usd).sum()
    }

    pub fn add(&mut self, answered: QuestionResult) -> Result<(), EngineError> {
        if let Some(file) = &self.file {
            let line = serde_json::to_string(&answered).unwrap_or_default();
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(file)
                .and_then(|mut out| out.write_all(format!("{line}\n").as_bytes()))
                .map_err(|error| cannot(file, &error))?;
        }
        self.answered.push(answered);
        Ok(())
    }
}

fn cannot(path: &std::path::Path, error: &dyn std::fmt::Display) -> EngineError {
    EngineError::Tape(format!("cannot write {}: {error}", path.display()))
}
