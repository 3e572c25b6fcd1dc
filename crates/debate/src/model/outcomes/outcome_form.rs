//! A post-mortem as a person (or a light model, for a person to correct) writes
//! it, before anything in it is checked. Names may be written `likeThis` or
//! `like_this`; a name that does not exist is refused.

use serde::{Deserialize, Serialize};

use crate::model::{AgentFinding, QuestionFinding};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct OutcomeForm {
    /// 0 to 1.
    #[serde(alias = "decision_accuracy", skip_serializing_if = "Option::is_none")]
    pub decision_accuracy: Option<f64>,
    #[serde(alias = "right_answer", skip_serializing_if = "Option::is_none")]
    pub right_answer: Option<String>,
    #[serde(alias = "what_went_right", skip_serializing_if = "Vec::is_empty")]
    pub what_went_right: Vec<FindingForm>,
    #[serde(alias = "what_went_wrong", skip_serializing_if = "Vec::is_empty")]
    pub what_went_wrong: Vec<FindingForm>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentFinding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionFinding>,
    #[serde(
        alias = "lessons_learned",
        alias = "lessonsLearned",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub lessons: Vec<LessonForm>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    #[serde(alias = "human_override", skip_serializing_if = "Option::is_none")]
    pub human_override: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FindingForm {
    pub aspect: String,
    #[serde(alias = "evidence_type", alias = "evidence", skip_serializing_if = "Option::is_none")]
    pub evidence_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LessonForm {
    pub lesson: String,
    #[serde(alias = "actionable", skip_serializing_if = "String::is_empty")]
    pub action: String,
    #[serde(
        alias = "expected_effect",
        alias = "estimatedImpact",
        alias = "estimated_impact",
        skip_serializing_if = "String::is_empty"
    )]
    pub expected_effect: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perspective: Option<String>,
}
