//! The family of a model by its name, and the choice of the clerk: never one of
//! the debaters' own seats, and of another family than most of the table if there
//! is one. Models of one family err together, so a clerk of the table's own
//! family would overlook what the table overlooks.

use std::cmp::Reverse;

use crate::model::Agent;
use crate::sorting::SortRows;

/// The beginning of a model's name, and its family. If one beginning starts with
/// another, the longer one comes first.
const BY_MODEL: &[(&str, &str)] = &[
    ("claude", "claude"),
    ("chatgpt", "gpt"),
    ("gpt", "gpt"),
    ("o1", "gpt"),
    ("o3", "gpt"),
    ("o4", "gpt"),
    ("codex", "gpt"),
    ("gemini", "gemini"),
    ("gemma", "gemma"),
    ("codellama", "llama"),
    ("llama", "llama"),
    ("qwen", "qwen"),
    ("qwq", "qwen"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("magistral", "mistral"),
    ("ministral", "mistral"),
    ("mistral", "mistral"),
    ("mixtral", "mistral"),
    ("pixtral", "mistral"),
    ("deepseek", "deepseek"),
    ("grok", "grok"),
    ("sonar", "sonar"),
    ("phi", "phi"),
    ("smollm", "smollm"),
    ("command-", "command"),
    ("kimi", "kimi"),
    ("glm", "glm"),
    ("granite", "granite"),
    ("nova", "nova"),
    ("yi-", "yi"),
    ("olmo", "olmo"),
    ("falcon", "falcon"),
    ("minimax", "minimax"),
];

/// Providers that serve only models of their own make.
const BY_PROVIDER: &[(&str, &str)] = &[
    ("anthropic", "claude"),
    ("openai", "gpt"),
    ("google", "gemini"),
    ("gemini", "gemini"),
    ("perplexity", "sonar"),
    ("deepseek", "deepseek"),
    ("xai", "grok"),
    ("mistral", "mistral"),
];

/// Returns the family, or `None` if the name does not tell: an unknown family is
/// better than a wrong one.
pub fn family_of(provider: &str, model: &str) -> Option<&'static str> {
    let model = model.to_ascii_lowercase();
    // `meta-llama/Llama-3.1-8B`, `hf.co/org/Qwen3`: the maker's folder is not the name.
    let name = model.rsplit('/').next().unwrap_or(&model);
    let found = BY_MODEL.iter().find(|(start, _)| name.starts_with(start));
    // `meta-llama-3`, `deepseek-r1-distill-qwen`: the first word decides, and if
    // it is not in the table, any later one.
    let found = found.or_else(|| {
        let later = |start: &str| name.split(['-', '_', ':', '.']).any(|w| w.starts_with(start));
        BY_MODEL.iter().find(|(start, _)| start.len() > 3 && later(start))
    });
    let provider = provider.to_ascii_lowercase();
    found
        .or_else(|| BY_PROVIDER.iter().find(|(name, _)| *name == provider))
        .map(|(_, family)| *family)
}

/// Fills in the families that the caller left open.
pub fn name_families(agents: &mut [Agent]) {
    for agent in agents.iter_mut().filter(|agent| agent.family.is_none()) {
        agent.family = family_of(&agent.provider, &agent.model).map(str::to_owned);
    }
}

/// Returns the best clerk among the candidates, by index; `None` if all of them
/// sit at the table themselves. The first of equals is chosen.
pub fn choose_clerk(candidates: &[Agent], debaters: &[Agent]) -> Option<usize> {
    let majority = majority(debaters);
    let same_model =
        |one: &Agent, other: &Agent| one.provider == other.provider && one.model == other.model;
    let sits =
        |one: &Agent| debaters.iter().any(|other| same_model(one, other) && one.name == other.name);
    let key = |(place, one): &(usize, &Agent)| {
        let of_majority = kin(one).as_ref().is_none_or(|family| majority.contains(family));
        let of_table = debaters.iter().any(|other| kin(other) == kin(one));
        let twin = debaters.iter().any(|other| same_model(one, other));
        (of_majority, twin, of_table, *place)
    };
    let free = candidates.iter().enumerate().filter(|(_, one)| !sits(one));
    free.min_by_key(key).map(|(place, _)| place)
}

fn kin(agent: &Agent) -> Option<String> {
    agent
        .family
        .clone()
        .or_else(|| family_of(&agent.provider, &agent.model).map(str::to_owned))
        .map(|family| family.to_lowercase())
}

/// Returns the families with the most debaters; several if they are level.
fn majority(debaters: &[Agent]) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for family in debaters.iter().filter_map(kin) {
        match counts.iter_mut().find(|(known, _)| *known == family) {
            Some((_, count)) => *count += 1,
            None => counts.push((family, 1)),
        }
    }
    counts.sort_rows_by_key(|(_, count)| Reverse(*count));
    let most = counts.first().map_or(0, |(_, count)| *count);
    counts.into_iter().filter(|(_, count)| *count == most).map(|(family, _)| family).collect()
}

#[cfg(test)]
#[path = "families_tests.rs"]
mod tests;
