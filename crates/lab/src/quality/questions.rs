//! A set of questions with known answers: multiple choice, yes or no, numbers.
//! A file with a fault is refused whole; every fault names its line.

use std::path::Path;

use debate::model::{Choice, Question};
use serde::Deserialize;
use serde_json::Value;

use crate::file::SourceText;

#[derive(Debug, Clone, PartialEq)]
pub struct Questions {
    pub name: String,
    pub items: Vec<QuestionItem>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct QuestionItem {
    pub question: String,
    pub kind: RightAnswer,
    pub domain: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RightAnswer {
    /// `truth`: the place of the right option.
    Choice {
        options: Vec<String>,
        truth: usize,
    },
    Number {
        truth: f64,
        tolerance: f64,
        unit: Option<String>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSet {
    #[serde(default)]
    name: Option<String>,
    #[serde(rename = "item")]
    items: Vec<WrittenItem>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenItem {
    question: String,
    #[serde(default)]
    options: Vec<String>,
    answer: Value,
    /// How far a number may lie off, as a share of the right one.
    #[serde(default)]
    tolerance: Option<f64>,
    #[serde(default)]
    unit: Option<String>,
    #[serde(default)]
    domain: Option<String>,
}

const MOST_OPTIONS: usize = 10;
const USUAL_TOLERANCE: f64 = 0.001;
const YES_NO: [&str; 2] = ["yes", "no"];

impl Questions {
    pub fn load(path: &Path) -> Result<Questions, Vec<String>> {
        let written = SourceText::read(path).map_err(|fault| vec![fault])?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Questions::of(&written, stem)
    }

    pub fn of(written: &SourceText, name: String) -> Result<Questions, Vec<String>> {
        let set: WrittenSet = written.parse().map_err(|fault| vec![fault])?;
        if set.items.is_empty() {
            return Err(vec![
                written.fault(1, "item: there is none; write [[item]] with a question"),
            ]);
        }
        let (mut items, mut faults) = (Vec::new(), Vec::new());
        for (place, item) in set.items.into_iter().enumerate() {
            match item.checked() {
                Ok(item) => items.push(item),
                // Found by the question, which every item has exactly once.
                Err(what) => faults.push(written.fault_at(
                    "question",
                    place,
                    &format!("item {}: {what}", place + 1),
                )),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Questions { name: set.name.unwrap_or(name), items })
    }
}

impl WrittenItem {
    fn checked(self) -> Result<QuestionItem, String> {
        let length = self.question.trim().chars().count();
        if !(1..=10_000).contains(&length) {
            return Err(format!("the question has {length} characters; allowed: 1 to 10,000"));
        }
        let kind = match (self.options.is_empty(), &self.answer) {
            (false, answer) => chosen(self.options, answer)?,
            (true, Value::Number(number)) => {
                let truth = number.as_f64().filter(|value| value.is_finite());
                let truth = truth.ok_or_else(|| format!("answer: {number} is no finite number"))?;
                let tolerance = self.tolerance.unwrap_or(USUAL_TOLERANCE);
                if !(0.0..=1.0).contains(&tolerance) {
                    return Err(format!(
                        "tolerance: {tolerance} is not allowed; allowed: a share from 0 to 1"
                    ));
                }
                RightAnswer::Number { truth, tolerance, unit: self.unit.clone() }
            }
            (true, Value::Bool(yes)) => yes_no(*yes),
            (true, Value::String(word)) if YES_NO.contains(&word.to_lowercase().as_str()) => {
                yes_no(word.eq_ignore_ascii_case("yes"))
            }
            (true, other) => {
                return Err(format!(
                    "answer: {other} cannot be used; allowed: yes or no, a number, or one of the \
                     options where there are options"
                ));
            }
        };
        if !matches!(kind, RightAnswer::Number { .. })
            && (self.tolerance.is_some() || self.unit.is_some())
        {
            return Err("tolerance and unit belong to answers that are numbers".into());
        }
        Ok(QuestionItem { question: self.question, kind, domain: self.domain })
    }
}

fn yes_no(yes: bool) -> RightAnswer {
    let options = YES_NO.map(String::from).to_vec();
    RightAnswer::Choice { options, truth: if yes { 0 } else { 1 } }
}

fn chosen(options: Vec<String>, answer: &Value) -> Result<RightAnswer, String> {
    if !(2..=MOST_OPTIONS).contains(&options.len()) {
        return Err(format!("{} options; allowed: 2 to {MOST_OPTIONS}", options.len()));
    }
    for (place, option) in options.iter().enumerate() {
        let same = |other: &String| other.trim().eq_ignore_ascii_case(option.trim());
        if option.trim().is_empty() {
            return Err("an option is empty".into());
        }
        if options.iter().take(place).any(same) {
            return Err(format!("the option {option:?} stands there twice"));
        }
    }
    let word = match answer {
        Value::String(word) => word.clone(),
        other => other.to_string(),
    };
    let same = |option: &String| option.trim().eq_ignore_ascii_case(word.trim());
    match options.iter().position(same) {
        Some(truth) => Ok(RightAnswer::Choice { options, truth }),
        None => Err(format!("answer: {word:?} is none of the options: {}", options.join(", "))),
    }
}

/// A question with a seed, and the name under which it is recorded.
pub struct AskedItem<'a> {
    pub number: usize,
    pub item: &'a QuestionItem,
    pub seed: u64,
    pub label: String,
}

impl QuestionItem {
    pub fn is_yes_no(&self) -> bool {
        matches!(&self.kind, RightAnswer::Choice { options, .. } if options.iter().eq(YES_NO.iter()))
    }

    /// The form in which agents are asked.
    pub fn form(&self) -> Question {
        match &self.kind {
            RightAnswer::Choice { options, .. } if options.iter().eq(YES_NO.iter()) => {
                Question::YesNo
            }
            RightAnswer::Choice { options, .. } => Question::Options { options: options.clone() },
            RightAnswer::Number { unit, .. } => Question::Number { unit: unit.clone() },
        }
    }

    /// Returns true for the right answer. An answer that could not be read is wrong.
    pub fn is_right(&self, given: Option<&Choice>) -> bool {
        match (&self.kind, given) {
            (RightAnswer::Choice { options, truth }, Some(Choice::Option(word))) => options
                .get(*truth)
                .is_some_and(|right| right.trim().eq_ignore_ascii_case(word.trim())),
            (RightAnswer::Number { truth, tolerance, .. }, Some(Choice::Number(value))) => {
                (value - truth).abs() <= tolerance * truth.abs() + 1e-12
            }
            _ => false,
        }
    }
}
