//! Prompts that a person can pick in a client, and completions while typing.

use engine::nouns::ListFilter;
use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptResult, JsonObject, Prompt,
    PromptArgument, PromptMessage, Reference, Role,
};
use serde_json::Value;

use super::about::icons;
use crate::mcp::words;
use engine::background::host::Host;
use engine::spelling::did_you_mean;

struct PromptRow {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    text: &'static str,
    arguments: &'static [PromptParameter],
}

struct PromptParameter {
    name: &'static str,
    description: &'static str,
    need: Need,
    /// The text around the value; `{}` is the value.
    put: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Required,
    Optional,
}

const ROWS: &[PromptRow] = &[
    PromptRow {
        name: "debate",
        title: "Debate a question",
        description: "Put a question before several models and report what they come to.",
        text: words::PROMPT_DEBATE,
        arguments: &[
            PromptParameter {
                name: "topic",
                description: "The question to debate.",
                need: Need::Required,
                put: "{}",
            },
            PromptParameter {
                name: "mode",
                description: "How to hold the debate.",
                need: Need::Optional,
                put: " with mode {}",
            },
            PromptParameter {
                name: "rounds",
                description: "How many rounds, 1 to 20.",
                need: Need::Optional,
                put: " and {} rounds",
            },
        ],
    },
    PromptRow {
        name: "decide",
        title: "Decide between options",
        description: "Have several models choose among options, with votes before and after they talk.",
        text: words::PROMPT_DECIDE,
        arguments: &[
            PromptParameter {
                name: "question",
                description: "What is to be decided.",
                need: Need::Required,
                put: "{}",
            },
            PromptParameter {
                name: "options",
                description: "The options, separated by commas.",
                need: Need::Required,
                put: "{}",
            },
            PromptParameter {
                name: "criteria",
                description: "What matters most.",
                need: Need::Optional,
                put: "\nWhat matters most: {}",
            },
        ],
    },
    PromptRow {
        name: "red-team",
        title: "Attack a plan",
        description: "Have one team of models attack a plan and another defend it.",
        text: words::PROMPT_RED_TEAM,
        arguments: &[PromptParameter {
            name: "plan",
            description: "The plan, or where you have described it.",
            need: Need::Required,
            put: "{}",
        }],
    },
];

pub fn listed() -> Vec<Prompt> {
    ROWS.iter()
        .map(|row| {
            let arguments = row.arguments.iter().map(|argument| {
                PromptArgument::new(argument.name)
                    .with_description(argument.description)
                    .with_required(argument.need == Need::Required)
            });
            Prompt::new(row.name, Some(row.description), Some(arguments.collect()))
                .with_title(row.title)
                .with_icons(icons())
        })
        .collect()
}

pub fn get(name: &str, given: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let Some(row) = ROWS.iter().find(|row| row.name == name) else {
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        let message = format!("there is no prompt {name:?}; {}", did_you_mean(name, &names));
        return Err(ErrorData::invalid_params(message, None));
    };
    let mut text = row.text.to_owned();
    let mut missing = Vec::new();
    for argument in row.arguments {
        let value = given.get(argument.name).and_then(Value::as_str).map(str::trim);
        let value = value.filter(|value| !value.is_empty());
        if value.is_none() && argument.need == Need::Required {
            missing.push(argument.name);
        }
        let put = value.map(|value| argument.put.replace("{}", value)).unwrap_or_default();
        text = text.replace(&format!("{{{}}}", argument.name), &put);
    }
    if !missing.is_empty() {
        let message = format!("the prompt {name:?} needs {}", missing.join(" and "));
        return Err(ErrorData::invalid_params(message, None));
    }
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(row.description))
}

/// Returns completions. Unknown arguments have none.
pub async fn complete(host: &Host, request: &CompleteRequestParams) -> CompleteResult {
    let begun = request.argument.value.trim().to_lowercase();
    let all: Vec<String> = match (&request.r#ref, request.argument.name.as_str()) {
        (Reference::Prompt(_), "mode") => {
            debate::modes::all().iter().map(|plan| plan.name.to_owned()).collect()
        }
        (Reference::Prompt(_), "rounds") => (1..=5).map(|number: u32| number.to_string()).collect(),
        (Reference::Resource(template), "id") if template.uri.starts_with("roundtable://") => {
            recent(host).await
        }
        (Reference::Resource(template), "round") if template.uri.starts_with("roundtable://") => {
            (1..=5).map(|number: u32| number.to_string()).collect()
        }
        _ => Vec::new(),
    };
    let near = all.into_iter().filter(|value| value.to_lowercase().starts_with(&begun));
    let info = CompletionInfo::with_all_values(near.take(100).collect());
    info.map(CompleteResult::new).unwrap_or_default()
}

async fn recent(host: &Host) -> Vec<String> {
    let filter = ListFilter { limit: Some(20), ..ListFilter::default() };
    let rows = host.list(&filter).await.unwrap_or_default();
    rows.into_iter().map(|row| row.id).collect()
}
