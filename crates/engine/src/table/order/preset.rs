//! Presets: ways of putting a kind of question, as data files. Some come with the
//! program, others lie beside the config file. An order that names one is filled in
//! from it before any check; the order's own options stay.

use std::collections::BTreeMap;

use debate::model::Question;
use serde::{Deserialize, Serialize};

use super::Order;
use crate::bounded_file;
use crate::config::Config;
use crate::config::toml_fault::toml_fault;
use crate::error::{At, EngineError, FileKind, FileProblem, Problem, Refusal, SettingName};

/// The presets that come with the program.
const SHIPPED: [(&str, &str); 6] = [
    ("tech-choice", include_str!("../../../presets/tech-choice.toml")),
    ("pre-mortem", include_str!("../../../presets/pre-mortem.toml")),
    ("hiring", include_str!("../../../presets/hiring.toml")),
    ("risk-review", include_str!("../../../presets/risk-review.toml")),
    ("code-review", include_str!("../../../presets/code-review.toml")),
    ("estimate", include_str!("../../../presets/estimate.toml")),
];
/// The folder of a user's own presets, beside the config file.
const FOLDER: &str = "presets";
/// No preset is this large.
const LARGEST: u64 = 64 * 1024;

/// A way of putting a kind of question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Preset {
    pub about: String,
    /// The occasion on which to use it.
    pub when: String,
    /// The question where none is asked.
    pub topic: Option<String>,
    /// True if it makes no sense without a text to look at.
    pub needs_context: bool,
    pub form: Option<PresetForm>,
    pub mode: Option<String>,
    pub rounds: Option<u32>,
    pub effort: Option<String>,
    pub perspectives: Vec<String>,
    /// Questions that every answer must address.
    pub questions: Vec<String>,
    pub stakes: Vec<String>,
    /// The place it was read from; `None` if it comes with the program.
    #[serde(skip_deserializing)]
    pub file: Option<String>,
}

/// The form of the answer that a preset asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PresetForm {
    YesNo,
    Number,
    Estimate,
    Probability,
}

/// Returns all presets by name; a user's own stands before a shipped one of the same
/// name.
pub fn all(config: &Config) -> Result<BTreeMap<String, Preset>, EngineError> {
    let mut all = BTreeMap::new();
    for (name, text) in SHIPPED {
        let preset = toml::from_str(text).map_err(|error| {
            let (what, why) = (FileKind::Preset, error.to_string());
            Refusal::file(name, FileProblem::Broken { what, why })
        })?;
        all.insert(name.to_owned(), preset);
    }
    let folder = config.paths.config_file.with_file_name(FOLDER);
    let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(all) };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
        let refuse = |problem: FileProblem| Refusal::file(path, problem);
        let text = bounded_file::read_text(path, LARGEST).map_err(|why| refuse(why.into()))?;
        let mut preset: Preset = toml::from_str(&text).map_err(|error| {
            let why = toml_fault(&text, error.message(), error.span());
            refuse(FileProblem::Broken { what: FileKind::Preset, why })
        })?;
        preset.file = Some(path.display().to_string());
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.insert(name, preset);
    }
    Ok(all)
}

/// Fills an order from the preset that it names.
pub fn fill(config: &Config, order: &Order) -> Result<Order, EngineError> {
    let mut order = order.clone();
    let Some(name) = &order.preset else { return Ok(order) };
    let mut presets = all(config)?;
    let Some(preset) = presets.remove(name) else {
        let known: Vec<&str> = presets.keys().map(String::as_str).collect();
        let problem = Problem::unknown(name, &known);
        return Err(Refusal::setting(SettingName::Preset, name, problem).into());
    };
    let bare = order.context.is_empty() && order.caller.attachments.is_empty();
    if preset.needs_context && bare && order.after.is_none() {
        let expected = format!("the text that {name} looks at, such as a diff");
        let problem = Problem::Missing { expected };
        return Err(Refusal::new(At::Setting(SettingName::Context), problem).into());
    }
    if order.topic.as_deref().is_none_or(|topic| topic.trim().is_empty()) {
        order.topic = preset.topic;
    }
    if let (Question::Open, Some(form)) = (&order.question, preset.form) {
        order.question = match form {
            PresetForm::YesNo => Question::YesNo,
            PresetForm::Number | PresetForm::Estimate => Question::Number { unit: None },
            PresetForm::Probability => Question::Probability,
        };
        order.estimate = form == PresetForm::Estimate;
    }
    // Perspectives belong to the preset's own mode.
    if order.mode.is_none() && order.perspectives.is_empty() {
        order.perspectives = preset.perspectives;
    }
    let rounds = preset.rounds.map(|rounds| rounds.to_string());
    for (field, own) in [
        (&mut order.mode, preset.mode),
        (&mut order.rounds, rounds),
        (&mut order.effort, preset.effort),
    ] {
        if field.is_none() {
            *field = own;
        }
    }
    for (list, own) in
        [(&mut order.questions, preset.questions), (&mut order.stakes, preset.stakes)]
    {
        if list.is_empty() {
            *list = own;
        }
    }
    Ok(order)
}
