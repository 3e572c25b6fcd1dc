//! Errors of the engine in words for a model, with tools and parameters instead of
//! commands and options.

use debate::model::{BudgetLimit, PauseReason};
use engine::nouns::{StoreError, without_keys};
use rmcp::model::{CallToolResult, ContentBlock};

use crate::document::escape::clean;
use engine::error::EngineError;
use engine::run::RunError;

/// The result of a call that could not be carried out.
pub fn refused(trouble: &EngineError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(excuse(trouble))])
}

/// Words an error for a model, with tools and parameters instead of commands and
/// options.
fn excuse(trouble: &EngineError) -> String {
    let unknown = match trouble {
        EngineError::Store(error) | EngineError::Run(RunError::Store(error)) => Some(error),
        _ => None,
    };
    match unknown {
        Some(StoreError::Unknown { asked, recent }) => {
            let recent: Vec<&str> = recent.iter().map(|one| one.id.as_str()).take(3).collect();
            let recent = if recent.is_empty() {
                "No debate has been held yet; start_roundtable holds one.".into()
            } else {
                format!("Most recent: {}. Call list_sessions for more.", recent.join(", "))
            };
            format!("There is no debate {asked:?}. {recent}")
        }
        Some(StoreError::Ambiguous { asked, candidates }) => {
            let ids: Vec<&str> = candidates.iter().map(|one| one.id.as_str()).collect();
            format!("Several debates begin with {asked:?}: {}. Give the whole id.", ids.join(", "))
        }
        _ => reworded(&trouble.to_string()),
    }
}

/// Rewords a sentence of the command line for a model.
pub fn reworded(text: &str) -> String {
    let said = WORDS.iter().fold(text.to_owned(), |text, (cli, here)| text.replace(cli, here));
    clean(&without_keys(&said)).into_owned()
}

/// Words of the command line, and their counterparts here.
const WORDS: &[(&str, &str)] = &[
    ("Try it with: roundtable debate", "Try it with start_roundtable and the topic"),
    (
        "Add a model for yours: `roundtable agents` says how.",
        "Call get_agents: it says how to add a model.",
    ),
    ("Run `roundtable agents` to see which there are", "Call get_agents to see which there are"),
    ("`roundtable agents`", "get_agents"),
    ("config file: budget", "the config file's budget"),
    ("--budget", "budgetUsd"),
    ("max-tokens", "maxOutputTokens"),
    ("--search", "search"),
    ("--agents", "agents"),
    ("hold it with --clerk", "hold one with the parameter clerk"),
    ("resume it first", "call continue_roundtable first"),
    ("a debate that is active", "a debate that is running"),
    ("a debate that is created", "a debate that is queued"),
    ("interject", "remark"),
    (" is active: only", " is running: only"),
    (" is created: only", " is queued: only"),
    (
        "go on with it by `roundtable sessions resume ",
        "go on with it: continue_roundtable, sessionId `",
    ),
    ("begin with `roundtable outcome track`", "begin with record_outcome and an entry"),
    (
        "it is over and can only be read and analysed",
        "it is over: read it with get_consensus, or start another with start_roundtable",
    ),
];

/// The way on for a debate that met a budget, in words for a model.
pub fn budget_remedy(reason: &PauseReason) -> Option<String> {
    let PauseReason::Budget { limit: Some(limit), .. } = reason else { return None };
    Some(match limit {
        BudgetLimit::Debate { needs } => format!(
            " Call continue_roundtable with a budgetUsd above {}; the operator's own limit stays.",
            needs.usd()
        ),
        BudgetLimit::Day { needs } => format!(
            " The operator must raise daily_budget above {} or wait until tomorrow (UTC); then \
             call continue_roundtable.",
            needs.usd()
        ),
        BudgetLimit::UnknownPrice => " The operator must set [prices] or allow_unpriced in the \
             config file; then call continue_roundtable."
            .into(),
    })
}
