//! The prompts of the clerk: a light model that sums up, names perspectives,
//! records which side each seat takes, judges and rates. It never debates. The
//! caller chooses names and order; this file only states the task.

use minijinja::Value;

use super::values::TemplateValues;
use super::words::flat;
use super::{TemplateError, Templates, language, notice};
use crate::model::{ClaimId, Round};

/// The subject of a clerk's task.
#[derive(Debug, Clone, Copy)]
pub struct ClerkPrompt<'a> {
    pub topic: &'a str,
    /// The language that it writes in.
    pub language: &'a str,
    /// The text it reads, already fenced; empty if the topic is enough.
    pub material: &'a str,
    pub fence_mark: &'a str,
}

/// Sums up a round. `agents`: the names the summary is to use; `claims`: the ids
/// that must stand in it. Returns the system prompt and the message.
pub fn clerk_summary(
    words: &Templates,
    clerk: &ClerkPrompt<'_>,
    round: Round,
    agents: &[&str],
    claims: &[ClaimId],
) -> Result<(String, String), TemplateError> {
    let mut values = values(clerk);
    values.extend([
        ("round", Value::from(round)),
        ("participants", Value::from_iter(agents.iter().map(|name| flat(name)))),
        ("claims", Value::from_iter(claims.iter().map(ToString::to_string))),
    ]);
    task(words, "clerk-summary.md", clerk, values)
}

/// Names `count` perspectives for the topic.
pub fn clerk_perspectives(
    words: &Templates,
    clerk: &ClerkPrompt<'_>,
    count: usize,
) -> Result<(String, String), TemplateError> {
    let mut values = values(clerk);
    values.extend([("count", Value::from(count))]);
    task(words, "clerk-perspectives.md", clerk, values)
}

/// The clerk's reading of where participants stand.
#[derive(Debug, Clone, Copy)]
pub struct StandsAsk<'a> {
    pub round: Round,
    /// The labels under which the anonymised answers stand in the material.
    pub participants: &'a [&'a str],
    /// Returns whether the material lists propositions that are open since an earlier round.
    pub continued: bool,
}

/// Asks for the side each participant takes.
pub fn clerk_consensus(
    words: &Templates,
    clerk: &ClerkPrompt<'_>,
    ask: &StandsAsk<'_>,
) -> Result<(String, String), TemplateError> {
    let mut values = values(clerk);
    values.extend([
        ("round", Value::from(ask.round)),
        ("participants", Value::from_iter(ask.participants.iter().map(|name| flat(name)))),
        ("propositions", Value::from(ask.continued)),
    ]);
    task(words, "clerk-consensus.md", clerk, values)
}

/// Judges one answer, which is the material.
pub fn clerk_safety(
    words: &Templates,
    clerk: &ClerkPrompt<'_>,
    round: Round,
) -> Result<(String, String), TemplateError> {
    let mut values = values(clerk);
    values.extend([("round", Value::from(round))]);
    task(words, "clerk-safety.md", clerk, values)
}

/// Rates how hard the topic is.
pub fn clerk_complexity(
    words: &Templates,
    clerk: &ClerkPrompt<'_>,
) -> Result<(String, String), TemplateError> {
    task(words, "clerk-complexity.md", clerk, values(clerk))
}

/// Asks for the domain of the topic. `known`: the existing domains.
pub fn clerk_domain(
    words: &Templates,
    clerk: &ClerkPrompt<'_>,
    known: &[&str],
) -> Result<(String, String), TemplateError> {
    let mut values = values(clerk);
    values.extend([("domains", Value::from_iter(known.iter().map(|name| flat(name))))]);
    task(words, "clerk-domain.md", clerk, values)
}

/// Asks for a draft of the outcome of a decision, from the entries in the
/// material.
pub fn clerk_draft(
    words: &Templates,
    clerk: &ClerkPrompt<'_>,
) -> Result<(String, String), TemplateError> {
    task(words, "clerk-draft.md", clerk, values(clerk))
}

/// Writes the synthesis of a finished debate. `claims`: the ids it may name.
pub fn clerk_synthesis(
    words: &Templates,
    clerk: &ClerkPrompt<'_>,
    claims: &[ClaimId],
) -> Result<(String, String), TemplateError> {
    let mut values = values(clerk);
    values.extend([("claims", Value::from_iter(claims.iter().map(ToString::to_string)))]);
    task(words, "clerk-synthesis.md", clerk, values)
}

/// Returns all variables of the clerk's templates, empty if a task has none.
fn values(clerk: &ClerkPrompt<'_>) -> TemplateValues {
    let nothing = || Value::from(Vec::<String>::new());
    TemplateValues::from([
        ("topic", Value::from(clerk.topic)),
        ("round", Value::from(0)),
        ("count", Value::from(0)),
        ("participants", nothing()),
        ("claims", nothing()),
        ("domains", nothing()),
        ("propositions", Value::from(false)),
    ])
}

fn task(
    words: &Templates,
    name: &str,
    clerk: &ClerkPrompt<'_>,
    mut values: TemplateValues,
) -> Result<(String, String), TemplateError> {
    let system = format!("{}\n\n{}", words.layer(name, &values)?, language(words, clerk.language)?);
    values.extend([
        ("notice", Value::from(notice(words, clerk.fence_mark)?)),
        ("material", Value::from(clerk.material)),
    ]);
    Ok((system, words.shared("clerk-turn.md", &values)?))
}
