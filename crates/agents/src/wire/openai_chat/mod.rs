//! The chat-completions wire, as OpenAI made it and many servers speak it.
//! Pure: requests out, replies in; nothing is sent from here.

mod decode;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::body::{BodyPart, object, put};
use super::decoder::BodyReader;
use super::dialect::{
    Adaptation, AnswerFormat, Dialect, KeyHeader, NativeSearch, OutputLimit, ServerLimits, Target,
    WITHOUT_TEMPERATURE, WITHOUT_TOOLS, adapt_by, output_room, schema_name, system,
};
use super::error_body;
use crate::conversation::{Exchange, Prompt, ToolSpec};

pub type ChatDecoder = BodyReader<decode::ChatAnswer>;

pub const DIALECT: Dialect = Dialect {
    name: "openai-chat",
    version: "",
    path: |_| "chat/completions".into(),
    models_path: "models",
    key_header: KeyHeader::Bearer,
    native_search: NativeSearch::Off,
    headers: &[],
    request,
    decoder: || Box::new(ChatDecoder::default()),
    complaint: error_body::of_status,
    adapt,
    model_names,
    kept: None,
};

/// OpenRouter searches for any model that takes tools.
pub const OPENROUTER: Dialect =
    Dialect { native_search: NativeSearch::Native, request: openrouter_request, ..DIALECT };

pub fn openrouter_request<'a>(
    prompt: &Prompt<'a>,
    target: &'a Target,
    manners: ServerLimits,
) -> BodyPart<'a> {
    let searches = target.search == NativeSearch::Native && manners.tools;
    let search = object([("type", "openrouter:web_search".into())]);
    with_tool(prompt, target, manners, searches.then_some(search))
}

pub fn request<'a>(prompt: &Prompt<'a>, target: &'a Target, manners: ServerLimits) -> BodyPart<'a> {
    with_tool(prompt, target, manners, None)
}

/// A request with one more tool than those of the step.
fn with_tool<'a>(
    prompt: &Prompt<'a>,
    target: &'a Target,
    manners: ServerLimits,
    another: Option<BodyPart<'a>>,
) -> BodyPart<'a> {
    let ask = prompt.ask;
    let mut messages = vec![
        object([("role", "system".into()), ("content", system(prompt, manners.format).into())]),
        object([("role", "user".into()), ("content", ask.user.as_str().into())]),
    ];
    messages.extend(prompt.so_far.iter().flat_map(exchange).map(BodyPart::from));
    let mut body = object([
        ("model", target.model.as_str().into()),
        ("messages", messages.into()),
        ("stream", true.into()),
    ]);
    let limit = match manners.output_limit {
        OutputLimit::MaxTokens => "max_tokens",
        OutputLimit::MaxCompletionTokens => "max_completion_tokens",
    };
    let format = match manners.format {
        AnswerFormat::Schema => {
            let schema = object([
                ("name", schema_name(ask.id.task).into()),
                ("strict", true.into()),
                ("schema", BodyPart::Written(ask.schema.written())),
            ]);
            Some(object([("type", "json_schema".into()), ("json_schema", schema)]))
        }
        AnswerFormat::Tool | AnswerFormat::Object => Some(object([("type", "json_object".into())])),
        AnswerFormat::Words | AnswerFormat::Free => None,
    };
    let tool = |tool: &'a ToolSpec| {
        let function = object([
            ("name", (&*tool.name).into()),
            ("description", tool.description.as_str().into()),
            ("parameters", BodyPart::Written(tool.schema.written())),
        ]);
        object([("type", "function".into()), ("function", function)])
    };
    let offered = if manners.tools { prompt.tools } else { &[] };
    let tools: Vec<BodyPart<'a>> = offered.iter().map(tool).chain(another).collect();
    let effort = target.effort.word().filter(|_| manners.effort).map(BodyPart::from);
    let usage = object([("include_usage", true.into())]);
    put(
        &mut body,
        [
            ("stream_options", manners.stream_usage.then_some(usage)),
            ("response_format", format),
            ("temperature", manners.temperature.then_some(ask.temperature.into())),
            ("reasoning_effort", effort),
            (limit, Some(output_room(ask, target).into())),
            ("tools", (!tools.is_empty()).then(|| tools.into())),
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
    if let Some(said) = said.as_object_mut().filter(|_| !calls.is_empty()) {
        said.insert("tool_calls".into(), calls.into());
    }
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
            AnswerFormat::Schema | AnswerFormat::Tool => {
                Some(ServerLimits { format: AnswerFormat::Object, ..manners })
            }
            AnswerFormat::Object => Some(ServerLimits { format: AnswerFormat::Words, ..manners }),
            AnswerFormat::Words | AnswerFormat::Free => None,
        },
    },
    Adaptation {
        words: &["stream_options", "include_usage"],
        change: |manners| {
            manners.stream_usage.then_some(ServerLimits { stream_usage: false, ..manners })
        },
    },
    WITHOUT_TEMPERATURE,
    WITHOUT_TOOLS,
    Adaptation { words: &["tool choice", "tool_choice", "tool calling"], ..WITHOUT_TOOLS },
    Adaptation {
        words: &["reasoning_effort"],
        change: |manners| manners.effort.then_some(ServerLimits { effort: false, ..manners }),
    },
    // Last, because it can be changed back: the others must not starve.
    Adaptation {
        words: &["max_completion_tokens"],
        change: |manners| {
            let output_limit = match manners.output_limit {
                OutputLimit::MaxTokens => OutputLimit::MaxCompletionTokens,
                OutputLimit::MaxCompletionTokens => OutputLimit::MaxTokens,
            };
            Some(ServerLimits { output_limit, ..manners })
        },
    },
];

pub fn adapt(manners: ServerLimits, said: &str) -> Option<ServerLimits> {
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
