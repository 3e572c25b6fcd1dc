//! The Responses wire, as OpenAI made it; Perplexity's agent endpoint and xAI speak
//! it with a few words of their own. Pure: requests out, replies in. Nothing is
//! kept on the server unless the user wants it: every request carries the whole
//! conversation.

mod decode;
mod peeked;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use super::body::{BodyPart, object, put};
use super::decoder::BodyReader;
use super::dialect::{
    Adaptation, AnswerFormat, Dialect, KeptAnswers, KeyHeader, NativeSearch, ServerLimits, Target,
    WITHOUT_TEMPERATURE, WITHOUT_TOOLS, adapt_by, output_room, schema_name, system,
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

pub fn openai_request<'a>(
    prompt: &Prompt<'a>,
    target: &'a Target,
    manners: ServerLimits,
) -> BodyPart<'a> {
    let ask = prompt.ask;
    let mut body = common(prompt, target, manners);
    let format = match manners.format {
        AnswerFormat::Schema => Some(object([
            ("type", "json_schema".into()),
            ("name", schema_name(ask.id.task).into()),
            ("strict", true.into()),
            ("schema", BodyPart::Written(ask.schema.written())),
        ])),
        AnswerFormat::Tool | AnswerFormat::Object => Some(object([("type", "json_object".into())])),
        AnswerFormat::Words | AnswerFormat::Free => None,
    };
    let searches = target.search == NativeSearch::Native;
    // Reasoning can only be sent back where it was handed out sealed.
    let mut include = vec!["reasoning.encrypted_content".into()];
    if searches {
        include.push("web_search_call.action.sources".into());
    }
    let steps = !prompt.tools.is_empty() || !prompt.so_far.is_empty();
    put(
        &mut body,
        [
            ("store", Some(target.keeps(manners).is_some().into())),
            ("text", format.map(|format| object([("format", format)]))),
            ("temperature", manners.temperature.then_some(ask.temperature.into())),
            ("include", (steps || searches).then(|| include.into())),
        ],
    );
    body
}

pub fn perplexity_request<'a>(
    prompt: &Prompt<'a>,
    target: &'a Target,
    manners: ServerLimits,
) -> BodyPart<'a> {
    let ask = prompt.ask;
    let mut body = common(prompt, target, manners);
    let schema = object([
        ("name", schema_name(ask.id.task).into()),
        ("schema", BodyPart::Written(ask.schema.written())),
    ]);
    let format = object([("type", "json_schema".into()), ("json_schema", schema)]);
    let format = (manners.format == AnswerFormat::Schema).then_some(format);
    put(&mut body, [("response_format", format)]);
    body
}

/// The system prompt is a message, and the sources of a search come unasked.
pub fn xai_request<'a>(
    prompt: &Prompt<'a>,
    target: &'a Target,
    manners: ServerLimits,
) -> BodyPart<'a> {
    let mut body = openai_request(prompt, target, manners);
    let system = body.take("instructions").unwrap_or("".into());
    if let Some(input) = body.list_mut("input") {
        input.insert(0, message("system", system));
    }
    if let Some(include) = body.list_mut("include") {
        include.truncate(1);
    }
    body
}

fn message<'a>(role: &'static str, content: BodyPart<'a>) -> BodyPart<'a> {
    object([("type", "message".into()), ("role", role.into()), ("content", content)])
}

fn common<'a>(prompt: &Prompt<'a>, target: &'a Target, manners: ServerLimits) -> BodyPart<'a> {
    let ask = prompt.ask;
    let mut input = vec![message("user", ask.user.as_str().into())];
    input.extend(prompt.so_far.iter().flat_map(exchange).map(BodyPart::from));
    let tool = |tool: &'a ToolSpec| {
        object([
            ("type", "function".into()),
            ("name", (&*tool.name).into()),
            ("description", tool.description.as_str().into()),
            ("parameters", BodyPart::Written(tool.schema.written())),
            ("strict", false.into()),
        ])
    };
    let mut tools: Vec<BodyPart<'a>> = prompt.tools.iter().map(tool).collect();
    if target.search == NativeSearch::Native {
        tools.push(object([("type", "web_search".into())]));
    }
    let effort = target.effort.word().map(|word| object([("effort", word.into())]));
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
            ("background", target.keeps(manners).map(|_| true.into())),
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
