//! Facts about models, read from the dated table beside this crate. It knows no
//! prices and never refuses an unknown model.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

pub use crate::wire::dialect::ModelFacts;

#[cfg(test)]
mod tests;

const TABLE: &str = include_str!("../../models.toml");

/// One model of the table, for listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    pub provider: String,
    pub model: String,
    pub facts: ModelFacts,
}

/// The size of model a task calls for; a provider names one model for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    Heavy,
    Light,
}

#[derive(Debug, Default, Deserialize)]
struct ModelTable {
    date: String,
    #[serde(flatten)]
    providers: BTreeMap<String, ProviderSection>,
}

#[derive(Debug, Default, Deserialize)]
struct ProviderSection {
    heavy: Option<String>,
    light: Option<String>,
    #[serde(default)]
    models: BTreeMap<String, ModelRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelRow {
    context: Option<u32>,
    output: Option<u32>,
    #[serde(default)]
    thinking: u32,
    #[serde(default = "yes")]
    temperature: bool,
    #[serde(default)]
    can: Vec<Ability>,
    #[serde(default)]
    small: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Ability {
    Structured,
    Tools,
    Search,
    Reasoning,
    #[serde(rename = "one-go")]
    OneGo,
}

fn yes() -> bool {
    true
}

/// Read once. The table is part of the program and a test reads it, so an empty
/// one stands only where the program was built from a broken table.
static READ: LazyLock<ModelTable> = LazyLock::new(|| toml::from_str(TABLE).unwrap_or_default());

impl ModelRow {
    fn facts(&self) -> ModelFacts {
        let can = |ability| self.can.contains(&ability);
        ModelFacts {
            context: self.context,
            output: self.output,
            thinking: self.thinking,
            temperature: self.temperature,
            structured: can(Ability::Structured),
            tools: can(Ability::Tools),
            search: can(Ability::Search),
            reasoning: can(Ability::Reasoning),
            one_go: can(Ability::OneGo),
            small: self.small,
        }
    }
}

/// The day the table was last compared with the providers' pages.
pub fn date() -> &'static str {
    &READ.date
}

/// The provider's own model for a tier, where it has one.
pub fn default_model(provider: &str, tier: Tier) -> Option<&'static str> {
    let section = READ.providers.get(provider)?;
    match tier {
        Tier::Heavy => section.heavy.as_deref(),
        Tier::Light => section.light.as_deref(),
    }
}

pub fn facts(provider: &str, model: &str) -> ModelFacts {
    let row = READ.providers.get(provider).and_then(|section| section.models.get(model));
    row.map_or(ModelFacts::UNKNOWN, ModelRow::facts)
}

/// The billions of parameters that a model's name tells (`1.5b`, `360M`), the
/// first where it tells several.
pub fn billions(model: &str) -> Option<f64> {
    let words = model.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    words.into_iter().find_map(|word| {
        let word = word.to_ascii_lowercase();
        let (figure, scale) = match word.strip_suffix('b') {
            Some(figure) => (figure, 1.0),
            None => (word.strip_suffix('m')?, 1e-3),
        };
        let figure = figure.trim_start_matches('.');
        // The last figure of "qwen2.5" is a version; a size stands alone.
        let number = figure.parse::<f64>().ok().filter(|number| number.is_finite())?;
        Some(number * scale).filter(|size| *size > 0.0)
    })
}

/// Every model of the table, by provider and name.
pub fn listed() -> Vec<ListedModel> {
    let of = |(provider, section): (&String, &ProviderSection)| {
        let row = |(model, row): (&String, &ModelRow)| ListedModel {
            provider: provider.clone(),
            model: model.clone(),
            facts: row.facts(),
        };
        section.models.iter().map(row).collect::<Vec<_>>()
    };
    READ.providers.iter().flat_map(of).collect()
}
