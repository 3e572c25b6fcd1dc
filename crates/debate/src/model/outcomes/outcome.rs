//! The outcome of a decision: dated entries while it is carried out, the
//! post-mortem a person writes, and the figures taken from both for learning.
//! Those figures hold no word of what was said in the debate.

use serde::{Deserialize, Serialize};

use crate::model::{Day, EvidenceType};

/// The domain of debates that name none.
pub const GENERAL_DOMAIN: &str = "general";

/// A domain's name as it is stored: lower case, words joined by hyphens.
pub fn domain_name(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join("-")
}

/// Declares an enum of words that people write, with the stored word of each.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $one:ident: $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$of])* #[serde(rename = $word)] $one,)+
        }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$one,)+];

            pub fn word(self) -> &'static str {
                match self { $($name::$one => $word,)+ }
            }

            /// Reads the word in any case, with spaces or hyphens for underscores.
            pub fn find(text: &str) -> Option<$name> {
                let plain = text.trim().to_lowercase().replace([' ', '-'], "_");
                Self::ALL.iter().copied().find(|one| one.word().eq_ignore_ascii_case(&plain))
            }
        }
    };
}

words!(
    /// The progress of carrying out a decision.
    ProgressStatus {
        OnTrack: "on_track",
        NewRequirement: "new_requirement",
        TechnicalDebt: "technical_debt",
        Blocked: "blocked",
        Completed: "completed",
        Abandoned: "abandoned",
        Reversed: "reversed",
    }
);
words!(
    /// The fate of the evidence behind one aspect of a decision.
    Validation {
        Validated: "validated",
        Refuted: "refuted",
        Incomplete: "incomplete",
        /// It was set aside in the debate and turned out to matter.
        DismissedButRelevant: "dismissed_but_relevant",
    }
);

/// A dated entry against a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressEntry {
    pub on: Day,
    pub status: ProgressStatus,
    pub event: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub impact: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub time_cost: String,
    /// 0: expected; 1: a complete surprise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surprise: Option<f64>,
}

/// A person's judgement of a decision afterwards.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PostMortem {
    /// 0: wrong in every way that mattered; 1: right in all.
    pub decision_accuracy: f64,
    /// The answer that turned out right, where that is known: an option, one of
    /// the answers the debate came to, a number, or `none` of those given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_answer: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what_went_right: Vec<AspectFinding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what_went_wrong: Vec<AspectFinding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentFinding>,
    /// The findings on the questions the debate was made to ask: which of them
    /// brought up what mattered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionFinding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<LessonLearned>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The decision a person made instead, if the debate's answer was not
    /// followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human_override: Option<String>,
    /// Puts the debate in another domain than it was held in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AspectFinding {
    pub aspect: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence_type: Option<EvidenceType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentFinding {
    /// The agent's name at the table.
    pub agent: String,
    pub accuracy: f64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QuestionFinding {
    pub question: String,
    pub surfaced: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LessonLearned {
    pub lesson: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub expected_effect: String,
    /// A question later debates of the domain must answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// A viewpoint that was missing at the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perspective: Option<String>,
}

/// The part of a judged debate that is used for learning: figures, names of
/// models, and the questions and viewpoints a person asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgedDebate {
    /// The debate's id.
    pub debate: String,
    pub on: Day,
    pub domain: String,
    pub accuracy: f64,
    /// The evidence that a person judged, one row per aspect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<JudgedEvidence>,
    /// The evidence the decision rested on, judged or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relied_on: Vec<ReliedOn>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub voices: Vec<JudgedVoice>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionFinding>,
    /// Questions this outcome asks later debates to answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked_for: Vec<String>,
    /// Viewpoints this outcome found missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perspectives: Vec<String>,
    #[serde(default)]
    pub rounds: u32,
    /// The agreement at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    /// The tokens that the debate took, where they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    #[serde(default)]
    pub origin: OutcomeOrigin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgedEvidence {
    pub evidence_type: EvidenceType,
    pub validation: Validation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReliedOn {
    pub evidence_type: EvidenceType,
    pub items: u32,
}

/// One voice of a judged debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgedVoice {
    /// `provider/model`, because names at the table change from debate to debate.
    pub agent: String,
    /// The confidence it stated with its last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The share of its vote that was right, 0 to 1, spread as the vote was.
    pub right: f64,
    /// The share of its last answer that was right.
    pub last_right: f64,
    /// The weight of the outcome as a test of this voice, 0 to 1.
    pub told: f64,
    /// A person's remark about it; it is left out when lessons are exported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// The origin of a decision: one's own or imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OutcomeOrigin {
    #[default]
    Own,
    /// It came in an imported file and counts half.
    Imported,
}

impl OutcomeOrigin {
    pub fn weight(self) -> f64 {
        match self {
            OutcomeOrigin::Own => 1.0,
            OutcomeOrigin::Imported => 0.5,
        }
    }
}
