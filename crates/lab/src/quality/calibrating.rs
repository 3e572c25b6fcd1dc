//! The worth of stated probabilities: how far they lie from how often they were
//! right, before and after a line fitted to *other* questions, and the table that
//! debates can use.

use std::collections::BTreeMap;

use debate::learning::{STATED_CONFIDENCE, SlopePrior, VERDICT_PROBABILITY, fitted_line};
use debate::model::{CalibrationLine, Question};
use serde::Serialize;
use serde_json::{Value, json};

use crate::quality::arms::Arm;
use crate::quality::plan::QualityPlan;
use crate::quality::results::QuestionResult;
use crate::statistics::mean;

const BINS: usize = 10;
/// Questions are dealt into so many parts; each is calibrated by the others.
const PARTS: usize = 3;
/// The version of the file.
const VERSION: u32 = 1;

/// A stated probability, and how it came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatedProbability {
    pub item: usize,
    pub probability: f64,
    pub right: bool,
}

/// The distance between probabilities and what happened.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProbabilityError {
    pub brier: f64,
    /// ECE, ten bins.
    pub calibration_error: f64,
}

impl ProbabilityError {
    pub fn of(stated: &[StatedProbability]) -> Option<ProbabilityError> {
        let credit = |right: bool| f64::from(u8::from(right));
        let brier = mean(stated.iter().map(|one| (one.probability - credit(one.right)).powi(2)))?;
        let mut bins = [(0.0, 0.0); BINS];
        for one in stated {
            let bin = ((one.probability * BINS as f64) as usize).min(BINS - 1);
            if let Some((believed, right)) = bins.get_mut(bin) {
                *believed += one.probability;
                *right += credit(one.right);
            }
        }
        let apart: f64 = bins.iter().map(|(believed, right)| (believed - right).abs()).sum();
        Some(ProbabilityError { brier, calibration_error: apart / stated.len() as f64 })
    }
}

/// The same probabilities, each brought to its worth by a line that was fitted to
/// other questions; `None` where there are too few.
pub fn calibrated_by_others(
    stated: &[StatedProbability],
    prior: SlopePrior,
) -> Option<Vec<StatedProbability>> {
    let mut lines = Vec::new();
    for part in 0..PARTS {
        let others = stated.iter().filter(|one| one.item % PARTS != part);
        let pairs: Vec<(f64, bool)> = others.map(|one| (one.probability, one.right)).collect();
        lines.push(fitted_line(&pairs, prior)?);
    }
    let one = |one: &StatedProbability| {
        let line = lines.get(one.item % PARTS)?;
        Some(StatedProbability { probability: line.calibrated(one.probability), ..*one })
    };
    stated.iter().map(one).collect()
}

/// The table that debates can use, as JSON: a row for each model and kind of
/// question, with what its stated confidence and a table's verdict are worth.
pub fn table(plan: &QualityPlan, answered: &[QuestionResult]) -> Value {
    let mut by: BTreeMap<(String, &'static str), Vec<&QuestionResult>> = BTreeMap::new();
    for one in answered {
        let Some(item) = plan.questions.items.get(one.item) else { continue };
        let mut models: Vec<&str> = one.stated.iter().map(|said| said.model.as_str()).collect();
        models.sort_unstable();
        models.dedup();
        for model in models {
            by.entry((model.to_owned(), kind(&item.form()))).or_default().push(one);
        }
    }
    let rows: Vec<Value> = by.iter().map(|((model, kind), own)| row(model, kind, own)).collect();
    json!({"version": VERSION, "rows": rows})
}

fn row(model: &str, kind: &str, own: &[&QuestionResult]) -> Value {
    let said = own.iter().flat_map(|one| &one.stated).filter(|said| said.model == model);
    let stated: Vec<(f64, bool)> = said.map(|said| (said.confidence, said.right)).collect();
    let right = mean(stated.iter().map(|(_, right)| f64::from(u8::from(*right))));
    let verdict = |one: &&QuestionResult| {
        let given = one.arms.get(&Arm::Adaptive).or_else(|| one.arms.get(&Arm::Roundtable))?;
        given.read.then_some((given.probability, given.right))
    };
    let verdicts: Vec<(f64, bool)> = own.iter().filter_map(verdict).collect();
    let mut row = json!({
        "model": model, "question": kind, "questions": own.len(), "right": right.unwrap_or(0.5),
    });
    let mut add = |name: &str, line: Option<CalibrationLine>| {
        if let (Some(line), Some(fields)) = (line, row.as_object_mut()) {
            fields.insert(name.to_owned(), json!(line));
        }
    };
    add("confidence", fitted_line(&stated, STATED_CONFIDENCE));
    add("verdict", fitted_line(&verdicts, VERDICT_PROBABILITY));
    row
}

fn kind(question: &Question) -> &'static str {
    match question {
        Question::Open => "open",
        Question::YesNo => "yesNo",
        Question::Options { .. } => "options",
        Question::Number { .. } => "number",
        Question::Probability => "probability",
    }
}
