//! The chat-completions wire, as OpenAI made it and many servers speak it.
//! Pure: requests out, replies in; nothing is sent from here.

mod decode;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::reading::Reader;
use super::{
    Adaptation, Dialect, Format, KeyHeader, Manners, OutputLimit, Search, Sent, Target,
    WITHOUT_TEMPERATURE, WITHOUT_TOOLS, adapt_by, complaints, output_room, put, schema_name,
    system,
};
use crate::tooling::{Exchange, Prompt};

pub type Decoder = Reader<decode::Chat>;

pub const DIALECT: Dialect = Dialect {
    name: "openai-chat",
    version: "",
    path: |_| "chat/completions".into(),
    models_path: "models",
    key_header: KeyHeader::Bearer,
    native_search: Search::Off,
    headers: &[],
    request,
    decoder: || Box::new(Decoder::default()),
    complaint: complaints::of_status,
    adapt,
    model_names,
    kept: None,
};

/// OpenRouter searches for any model that takes tools.
pub const OPENROUTER: Dialect =
    Dialect { native_search: Search::Native, request: openrouter_request, ..DIALECT };

pub fn openrouter_request(prompt: &Prompt<'_>, target: &Target, manners: Manners) -> Value {
    let mut body = request(prompt, target, manners);
    if target.search == Search::Native
        && manners.tools == Sent::Yes
        && let Some(fields) = body.as_object_mut()
        && let Some(tools) = fields.entry("tools").or_insert_with(|| json!([])).as_array_mut()
    {
        tools.push(json!({"type": "openrouter:web_search"}));
    }
    body
}

pub fn request(prompt: &Prompt<'_>, target: &Target, manners: Manners) -> Value {
    let ask = prompt.ask;
    let mut messages = vec![
        json!({"role": "system", "content": system(prompt, manners.format)}),
        json!({"role": "user", "content": ask.user}),
    ];
    messages.extend(prompt.so_far.iter().flat_map(exchange));
    let mut body = json!({"model": target.model, "messages": messages, "stream": true});
    let limit = match manners.output_limit {
        OutputLimit::MaxTokens => "max_tokens",
        OutputLimit::MaxCompletionTokens => "max_completion_tokens",
    };
    let format = match manners.format {
        Format::Schema => Some(json!({
            "type": "json_schema",
            "json_schema": {
                "name": schema_name(ask.id.task),
                "strict": true,
                "schema": *ask.schema,
            },
        })),
        Format::Tool | Format::Object => Some(json!({"type": "json_object"})),
        Format::Words | Format::Free => None,
    };
    let tool = |tool: &crate::tooling::ToolSpec| {
        json!({"type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.schema,
        }})
    };
    let tools: Vec<Value> = prompt.tools.iter().map(tool).collect();
    let effort = target.effort.word().and_then(|word| manners.effort.then(json!(word)));
    put(
        &mut body,
        [
            ("stream_options", manners.stream_usage.then(json!({"include_usage": true}))),
            ("response_format", format),
            ("temperature", manners.temperature.then(json!(ask.temperature))),
            ("reasoning_effort", effort),
            (limit, Some(json!(output_room(ask, target)))),
            (
                "tools",
                (!tools.is_empty()).then(|| json!(tools)).and_then(|t| manners.tools.then(t)),
            ),
        ],
    );
    body
}

/// A step already made, as the server expects to see it again.
fn exchange(exchange: &Exchange) -> Vec<Value> {
    let calls: Vec<Value> = exchange
        .calls
        .wanted
        .iter()
        .map(|call| {
            json!({"id": call.id, "type": "function", "function": {
                "name": call.name, "arguments": call.arguments.to_string(),
            }})
        })
        .collect();
    let mut said = json!({"role": "assistant", "content": exchange.calls.text});
    put(&mut said, [("tool_calls", (!calls.is_empty()).then(|| json!(calls)))]);
    let told = exchange
        .results
        .iter()
        .map(|result| json!({"role": "tool", "tool_call_id": result.id, "content": result.text}));
    std::iter::once(said).chain(told).collect()
}

const ADAPTATIONS: &[Adaptation] = &[
    Adaptation {
        words: &["response_format", "json_schema", "structured output", "json mode", "grammar"],
        change: |manners| match manners.format {
            Format::Schema | Format::Tool => Some(Manners { format: Format::Object, ..manners }),
            Format::Object => Some(Manners { format: Format::Words, ..manners }),
            Format::Words | Format::Free => None,
        },
    },
    Adaptation {
        words: &["stream_options", "include_usage"],
        change: |manners| match manners.stream_usage {
            Sent::Yes => Some(Manners { stream_usage: Sent::No, ..manners }),
            Sent::No => None,
        },
    },
    WITHOUT_TEMPERATURE,
    WITHOUT_TOOLS,
    Adaptation { words: &["tool choice", "tool_choice", "tool calling"], ..WITHOUT_TOOLS },
    Adaptation {
        words: &["reasoning_effort"],
        change: |manners| match manners.effort {
            Sent::Yes => Some(Manners { effort: Sent::No, ..manners }),
            Sent::No => None,
        },
    },
    // Last, because it can be changed back: the others must not starve.
    Adaptation {
        words: &["max_completion_tokens"],
        change: |manners| {
            let output_limit = match manners.output_limit {
                OutputLimit::MaxTokens => OutputLimit::MaxCompletionTokens,
                OutputLimit::MaxCompletionTokens => OutputLimit::MaxTokens,
            };
            Some(Manners { output_limit, ..manners })
        },
    },
];

pub fn adapt(manners: Manners, said: &str) -> Option<Manners> {
    adapt_by(ADAPTATIONS, manners, said)
}

/// The models a server lists, without those that only embed.
pub fn model_names(list: &Value) -> Vec<String> {
    let models = list.get("data").or_else(|| list.get("models")).and_then(Value::as_array);
    let name = |model: &Value| {
        let id = model.get("id").or_else(|| model.get("name")).and_then(Value::as_str)?;
        let id = id.strip_prefix("models/").unwrap_or(id);
        (!id.to_lowercase().contains("embed")).then(|| id.to_owned())
    };
    models.map(|models| models.iter().filter_map(name).collect()).unwrap_or_default()
}
