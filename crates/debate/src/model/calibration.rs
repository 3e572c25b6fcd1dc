//! What a model's stated confidence, and the probability of a verdict, were
//! worth when somebody measured them: one row for each model and kind of
//! question. `bench quality` writes such a table as JSON, a debate carries the
//! rows of the models at its table in its brief, and outcomes add their own
//! lines beside it (see [`super::Lessons`]).

use serde::{Deserialize, Serialize};

use super::{CalibrationLine, Question};

/// The version of the file that this program writes.
pub const CALIBRATION_VERSION: u32 = 1;

/// A measured calibration: `{"version": 1, "rows": […]}` in its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CalibrationTable {
    pub version: u32,
    pub rows: Vec<CalibrationRow>,
}

impl Default for CalibrationTable {
    fn default() -> Self {
        CalibrationTable { version: CALIBRATION_VERSION, rows: Vec::new() }
    }
}

impl CalibrationTable {
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row of a model (`provider/model`) for a kind of question.
    pub fn row(&self, model: &str, question: &Question) -> Option<&CalibrationRow> {
        let kind = QuestionKind::of(question);
        self.rows.iter().find(|row| row.model == model && row.question == kind)
    }

    /// The rows of these models alone, as a brief carries them.
    pub fn for_models(&self, models: &[String]) -> CalibrationTable {
        let wanted = |row: &&CalibrationRow| models.contains(&row.model);
        CalibrationTable {
            version: self.version,
            rows: self.rows.iter().filter(wanted).cloned().collect(),
        }
    }
}

/// What was measured for one model and one kind of question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CalibrationRow {
    /// `provider/model`.
    pub model: String,
    pub question: QuestionKind,
    /// Questions behind the row.
    pub questions: u32,
    /// The share of its sealed first answers that were right.
    pub right: f64,
    /// What its stated confidence is worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<CalibrationLine>,
    /// What the weighed probability of the leading answer is worth at a table of
    /// this model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<CalibrationLine>,
}

/// The form of a question without its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum QuestionKind {
    Open,
    YesNo,
    Options,
    Number,
    Probability,
}

impl QuestionKind {
    pub fn of(question: &Question) -> QuestionKind {
        match question {
            Question::Open => QuestionKind::Open,
            Question::YesNo => QuestionKind::YesNo,
            Question::Options { .. } => QuestionKind::Options,
            Question::Number { .. } => QuestionKind::Number,
            Question::Probability => QuestionKind::Probability,
        }
    }
}
