//! The Responses wire, as OpenAI made it; Perplexity's agent endpoint and xAI speak
//! it with a few words of their own. Pure: requests out, replies in. Nothing is
//! kept on the server unless the user wants it: every request carries the whole
//! conversation.

mod decode;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::decoder::BodyReader;
use super::dialect::{
    Adaptation, AnswerFormat, Dialect, KeptAnswers, KeyHeader, NativeSearch, ServerLimits, Target,
    WITHOUT_TEMPERATURE, WITHOUT_TOOLS, adapt_by, object, output_room, put, schema_name, system,
};
use super::{error_body, openai_chat};
use crate::conversation::{Exchange, Prompt, ToolSpec};

pub type ResponsesDecoder = BodyReader<decode::ResponsesAnswer>;

/// The name shared by these servers: the items that go back unchanged are the same.
const NAME: &str = "responses";

pub const OPENAI: Dialect = Dialect {
    name: NAME,
    version: "",
    path: |_| "responses".into(),
    models_path: "models",
    key_header: KeyHeader::Bearer,
    native_search: NativeSearch::Native,
    headers: &[],
    request: openai_request,
    decoder: || Box::new(ResponsesDecoder::default()),
    complaint: error_body::of_status,
    adapt,
    model_names: openai_chat::model_names,
    kept: Some(&KeptAnswers { path: |id| format!("responses/{id}"), is_pending }),
};

pub const PERPLEXITY: Dialect = Dialect {
    name: "perplexity",
    version: "v1",
    path: |_| "agent".into(),
    request: perplexity_request,
    kept: Some(&KeptAnswers { path: |id| format!("agent/{id}"), is_pending }),
    ..OPENAI
};

fn is_pending(answer: &Value) -> bool {
    let status = answer.get("status").and_then(Value::as_str);
    matches!(status, Some("queued" | "in_progress"))
}
/// xAI's form of it: the chat-completions wire has lost its search there.
pub const XAI: Dialect = Dialect { name: "xai", request: xai_request, ..OPENAI };

pub fn openai_request(prompt: &Prompt<'_>, target: &Target, manners: ServerLimits) -> Value {
    let ask = prompt.ask;
    let mut body = common(prompt, target, manners);
    let format = match manners.format {
        AnswerFormat::Schema => Some(json!({
            "type": "json_schema",
            "name": schema_name(ask.id.task),
            "strict": true,
            "schema": *ask.schema,
        })),
        AnswerFormat::Tool | AnswerFormat::Object => Some(json!({"type": "json_object"})),
        AnswerFormat::Words | AnswerFormat::Free => None,
    };
    let searches = target.search == NativeSearch::Native;
    // Reasoning can only be sent back where it was handed out sealed.
    let mut include = vec!["reasoning.encrypted_content"];
    if searches {
        include.push("web_search_call.action.sources");
    }
    let steps = !prompt.tools.is_empty() || !prompt.so_far.is_empty();
    put(
        &mut body,
        [
            ("store", Some(json!(target.keeps(manners).is_some()))),
            ("text", format.map(|format| object([("format", format)]))),
            ("temperature", manners.temperature.then_some(json!(ask.temperature))),
            ("include", (steps || searches).then(|| json!(include))),
        ],
    );
    body
}

pub fn perplexity_request(prompt: &Prompt<'_>, target: &Target, manners: ServerLimits) -> Value {
    let ask = prompt.ask;
    let mut body = common(prompt, target, manners);
    let format = json!({
        "type": "json_schema",
        "json_schema": {"name": schema_name(ask.id.task), "schema": *ask.schema},
    });
    let format = (manners.format == AnswerFormat::Schema).then_some(format);
    put(&mut body, [("response_format", format)]);
    body
}

/// The system prompt is a message, and the sources of a search come unasked.
pub fn xai_request(prompt: &Prompt<'_>, target: &Target, manners: ServerLimits) -> Value {
    let mut body = openai_request(prompt, target, manners);
    let Some(fields) = body.as_object_mut() else { return body };
    let system = fields.shift_remove("instructions").unwrap_or_default();
    if let Some(input) = fields.get_mut("input").and_then(Value::as_array_mut) {
        input.insert(0, json!({"type": "message", "role": "system", "content": system}));
    }
    if let Some(include) = fields.get_mut("include").and_then(Value::as_array_mut) {
        include.truncate(1);
    }
    body
}

fn common(prompt: &Prompt<'_>, target: &Target, manners: ServerLimits) -> Value {
    let ask = prompt.ask;
    let mut input = vec![json!({"type": "message", "role": "user", "content": ask.user})];
    input.extend(prompt.so_far.iter().flat_map(exchange));
    let tool = |tool: &ToolSpec| {
        object([
            ("type", "function".into()),
            ("name", (&*tool.name).into()),
            ("description", (&*tool.description).into()),
            ("parameters", Value::clone(&tool.schema)),
            ("strict", false.into()),
        ])
    };
    let mut tools: Vec<Value> = prompt.tools.iter().map(tool).collect();
    if target.search == NativeSearch::Native {
        tools.push(json!({"type": "web_search"}));
    }
    let effort = target.effort.word().map(|word| json!({"effort": word}));
    let mut body = object([
        ("model", target.model.as_str().into()),
        ("instructions", system(prompt, manners.format).into()),
        ("input", input.into()),
        ("stream", true.into()),
        ("max_output_tokens", output_room(ask, target).into()),
    ]);
    put(
        &mut body,
        [
            ("reasoning", effort.and_then(|effort| manners.effort.then_some(effort))),
            ("tools", (!tools.is_empty()).then(|| tools.into())),
            // Without it a server stops writing when the listener leaves.
            ("background", target.keeps(manners).map(|_| json!(true))),
        ],
    );
    body
}

/// A step already made, as the server expects to see it again.
fn exchange(exchange: &Exchange) -> Vec<Value> {
    let rebuilt = || {
        let calls = exchange.calls.wanted.iter().map(|call| {
            json!({
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.arguments.to_string(),
            })
        });
        calls.collect()
    };
    let raw = exchange.raw_for(NAME).and_then(Value::as_array).cloned();
    let told = exchange.results.iter().map(|result| {
        json!({"type": "function_call_output", "call_id": result.id, "output": result.text})
    });
    raw.unwrap_or_else(rebuilt).into_iter().chain(told).collect()
}

const ADAPTATIONS: &[Adaptation] = &[
    Adaptation {
        words: &["text.format", "json_schema", "response_format", "structured output"],
        change: |manners| match manners.format {
            AnswerFormat::Schema | AnswerFormat::Tool => {
                Some(ServerLimits { format: AnswerFormat::Object, ..manners })
            }
            AnswerFormat::Object => Some(ServerLimits { format: AnswerFormat::Words, ..manners }),
            AnswerFormat::Words | AnswerFormat::Free => None,
        },
    },
    WITHOUT_TEMPERATURE,
    Adaptation {
        words: &["background"],
        change: |manners| manners.kept.then_some(ServerLimits { kept: false, ..manners }),
    },
    Adaptation {
        words: &["reasoning.effort", "reasoning_effort"],
        change: |manners| manners.effort.then_some(ServerLimits { effort: false, ..manners }),
    },
    WITHOUT_TOOLS,
];

pub fn adapt(manners: ServerLimits, said: &str) -> Option<ServerLimits> {
    adapt_by(ADAPTATIONS, manners, said)
}
