//! The finer settings of a start: the same as the options of the command line, and the
//! flags of the config file. What is left out keeps its value.

use debate::model::TeamOrder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use engine::config::{FLAG_ROWS, FlagKind};
use engine::table::order::{LearningWish, Order};

macro_rules! words {
    ($case:literal, $name:ident { $($word:ident),* }) => {
        #[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
        #[serde(rename_all = $case)]
        pub enum $name { $($word),* }
    };
}

/// Returns a word as the command line writes it.
pub fn word(one: impl Serialize) -> String {
    let word = serde_json::to_value(one).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}

words!("snake_case", AnswerForm { Open, YesNo, Number, Estimate, Probability });
words!("snake_case", EffortWord { Debate, Adaptive, Vote });
words!("snake_case", AlgorithmWord { Agreement, Votes, EvidenceBasedDebate });
words!("lowercase", DepthWord { Standard, Extended, Auto });
words!("lowercase", SearchWord { Auto, Native, Api, Off });
words!("kebab-case", StakeWord { SecurityAbuse, MedicalLegal, RealWorldEffects, SafetyCritical });
words!("lowercase", ImportanceWord { Normal, High, Critical });
words!("lowercase", HorizonWord { Short, Medium, Long });
words!("lowercase", ImpactWord { Low, Medium, High });

/// Settings that few debates need.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SettingsArguments {
    /// Of a number.
    #[schemars(length(max = 100))]
    pub unit: Option<String>,
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<f64>,
    /// Per answer.
    #[schemars(range(min = 5, max = 1800))]
    pub timeout_seconds: Option<u64>,
    pub seed: Option<u64>,
    #[schemars(length(max = 4))]
    pub stakes: Option<Vec<StakeWord>>,
    /// These five: for depth auto.
    pub importance: Option<ImportanceWord>,
    pub stakeholders: Option<u32>,
    pub technical_domains: Option<u32>,
    pub horizon: Option<HorizonWord>,
    pub budget_impact: Option<ImpactWord>,
    #[schemars(length(max = 200))]
    pub project: Option<String>,
    /// Whose lessons are used, or auto.
    #[schemars(length(max = 100))]
    pub domain: Option<String>,
    /// false: no earlier lessons.
    pub learning: Option<bool>,
    /// Date to ask for the outcome.
    #[schemars(length(max = 10))]
    pub ask_on: Option<String>,
    pub teams_in_sequence: Option<bool>,
    /// "similarity=0.75".
    #[schemars(length(max = 20))]
    pub thresholds: Option<Vec<String>>,
    /// To answer in; default the topic's.
    #[schemars(length(max = 40))]
    pub language: Option<String>,
    /// false: agents may not ask you.
    pub context_requests: Option<bool>,
}

impl SettingsArguments {
    /// Puts the settings into an order.
    pub fn fill(&self, order: &mut Order) {
        order.language.clone_from(&self.language);
        order.temperature = self.temperature.map(|degree| degree.to_string());
        order.timeout_seconds = self.timeout_seconds.map(|seconds| seconds.to_string());
        order.seed = self.seed.map(|seed| seed.to_string());
        order.stakes = self.stakes.iter().flatten().map(word).collect();
        order.importance = self.importance.map(word);
        order.stakeholders = self.stakeholders.map(|count| count.to_string());
        order.technical_domains = self.technical_domains.map(|count| count.to_string());
        order.horizon = self.horizon.map(word);
        order.budget_impact = self.budget_impact.map(word);
        order.project.clone_from(&self.project);
        order.domain.clone_from(&self.domain);
        order.ask_on.clone_from(&self.ask_on);
        order.thresholds = self.thresholds.clone().unwrap_or_default();
        order.context_requests = self.context_requests;
        if self.learning == Some(false) {
            order.learning = LearningWish::Off;
        }
        if self.teams_in_sequence == Some(true) {
            order.team_order = TeamOrder::InSequence;
        }
    }
}

/// The flags in a sentence, for the model that sets one.
pub fn flags_described() -> String {
    let mut groups: Vec<(&str, String)> = Vec::new();
    for row in &FLAG_ROWS {
        let (group, field) = row.key.split_once('.').unwrap_or((row.key, ""));
        let field = match row.kind {
            FlagKind::Parallel => format!(".{field} ({}), .modes.MODE", row.kind.allowed()),
            FlagKind::Tool => format!(".{field} ({})", row.kind.allowed()),
            FlagKind::OnOff | FlagKind::Share | FlagKind::Count => format!(".{field}"),
        };
        match groups.last_mut().filter(|(last, _)| *last == group) {
            Some((_, fields)) => fields.push_str(&format!(", {field}")),
            None => groups.push((group, field)),
        }
    }
    let groups: Vec<String> =
        groups.into_iter().map(|(group, fields)| format!("{group}{fields}")).collect();
    format!("Flags as \"name=value\": {}.", groups.join("; "))
}

/// Writes flags that were given as an object, as in the config file, as `name=value`.
pub fn flatten_flags(arguments: &mut Value) {
    if let Some(flags) = arguments.get_mut("flags").filter(|flags| flags.is_object()) {
        let mut lines = Vec::new();
        flatten(flags, "", &mut lines);
        *flags = lines.into();
    }
}

fn flatten(value: &Value, name: &str, lines: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let inner = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                flatten(value, &inner, lines);
            }
        }
        Value::String(word) => lines.push(format!("{name}={word}")),
        Value::Null => {}
        other => lines.push(format!("{name}={other}")),
    }
}
