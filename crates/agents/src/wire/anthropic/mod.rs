//! Anthropic's Messages wire. Pure: requests out, replies in; nothing is sent
//! from here. No temperature: the current version of the API takes none.

mod decode;
#[cfg(test)]
mod tests;

use debate::model::Ask;
use serde_json::{Value, json};

use super::body::{BodyPart, object, put};
use super::decoder::BodyReader;
use super::dialect::{
    Adaptation, AnswerFormat, Dialect, KeyHeader, NativeSearch, SUBMIT_IN_WORDS, SearchTool,
    ServerLimits, Target, WITHOUT_TOOLS, adapt_by, output_room, system,
};
use super::{error_body, openai_chat};
use crate::conversation::{Exchange, Prompt, SUBMIT, ToolOutcome, ToolSpec};

pub type AnthropicDecoder = BodyReader<decode::Messages>;

/// Searches in one answer; each costs money.
const MOST_SEARCHES: u32 = 5;

pub const DIALECT: Dialect = Dialect {
    name: "anthropic",
    version: "v1",
    path: |_| "messages".into(),
    models_path: "models",
    key_header: KeyHeader::Named("x-api-key"),
    native_search: NativeSearch::Native,
    headers: &[("anthropic-version", "2026-10-21")],
    request,
    decoder: || Box::new(AnthropicDecoder::default()),
    complaint: error_body::of_status,
    adapt,
    model_names: openai_chat::model_names,
    kept: None,
};

pub fn request<'a>(prompt: &Prompt<'a>, target: &'a Target, manners: ServerLimits) -> BodyPart<'a> {
    let ask = prompt.ask;
    let mut messages = vec![object([("role", "user".into()), ("content", content(ask))])];
    messages.extend(prompt.so_far.iter().flat_map(exchange).map(BodyPart::from));
    // The same for every round, so it is worth keeping.
    let system = vec![kept(system(prompt, manners.format).into())];
    let mut body = object([
        ("model", target.model.as_str().into()),
        ("max_tokens", output_room(ask, target).into()),
        ("stream", true.into()),
        ("system", system.into()),
        ("messages", messages.into()),
    ]);
    let effort = target.effort.word().filter(|_| manners.effort);
    let schema = BodyPart::Written(ask.schema.written());
    let format = object([("type", "json_schema".into()), ("schema", schema)]);
    let format = (manners.format == AnswerFormat::Schema).then_some(format);
    let has_output = format.is_some() || effort.is_some();
    let mut output = object([]);
    put(&mut output, [("format", format), ("effort", effort.map(BodyPart::from))]);
    let tools = tools(prompt, target, manners);
    put(
        &mut body,
        [
            ("output_config", has_output.then_some(output)),
            ("thinking", effort.map(|_| object([("type", "adaptive".into())]))),
            ("tool_choice", tool_choice(&tools, manners)),
            ("tools", (!tools.is_empty()).then(|| tools.into())),
        ],
    );
    body
}

/// A text up to which the server keeps what it read.
fn kept(text: BodyPart<'_>) -> BodyPart<'_> {
    let control = object([("type", "ephemeral".into())]);
    object([("type", "text".into()), ("text", text), ("cache_control", control)])
}

/// The message, with a cache point after the caller's files, which every round sends
/// again.
fn content(ask: &Ask) -> BodyPart<'_> {
    match ask.user.split_at_checked(ask.shown.same_bytes) {
        None | Some(("", _)) => ask.user.as_str().into(),
        Some((same, own)) => {
            let own = object([("type", "text".into()), ("text", own.into())]);
            vec![kept(same.into()), own].into()
        }
    }
}

fn tools<'a>(prompt: &Prompt<'a>, target: &Target, manners: ServerLimits) -> Vec<BodyPart<'a>> {
    let described = |name: &'a str, description: &'a str, schema: &'a str| {
        object([
            ("name", name.into()),
            ("description", description.into()),
            ("input_schema", BodyPart::Written(schema)),
        ])
    };
    let tool = |tool: &'a ToolSpec| described(&tool.name, &tool.description, tool.schema.written());
    let mut tools: Vec<BodyPart<'a>> = prompt.tools.iter().map(tool).collect();
    if target.search == NativeSearch::Native {
        let kind = match manners.search_tool {
            SearchTool::Current => "web_search_20260209",
            SearchTool::Older => "web_search_20250305",
        };
        let search = json!({"type": kind, "name": "web_search", "max_uses": MOST_SEARCHES});
        tools.push(search.into());
    }
    if manners.format == AnswerFormat::Tool {
        tools.push(described(SUBMIT, SUBMIT_IN_WORDS, prompt.ask.schema.written()));
    }
    tools
}

fn tool_choice(tools: &[BodyPart<'_>], manners: ServerLimits) -> Option<BodyPart<'static>> {
    match (manners.format, tools.len()) {
        (AnswerFormat::Tool, 1) => Some(json!({"type": "tool", "name": SUBMIT}).into()),
        (AnswerFormat::Tool, _) => Some(json!({"type": "any"}).into()),
        _ => None,
    }
}

/// A step already made, as the server expects to see it again.
fn exchange(exchange: &Exchange) -> Vec<Value> {
    let rebuilt = || {
        let text = json!({"type": "text", "text": exchange.calls.text});
        let text = (!exchange.calls.text.trim().is_empty()).then_some(text);
        let calls = exchange.calls.wanted.iter().map(|call| {
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
        });
        text.into_iter().chain(calls).collect()
    };
    // Thinking is signed: what came from here goes back exactly as it came.
    let content = exchange.raw_for(DIALECT.name).cloned().unwrap_or_else(rebuilt);
    let said = json!({"role": "assistant", "content": content});
    let told: Vec<Value> = exchange
        .results
        .iter()
        .map(|result| {
            json!({
                "type": "tool_result",
                "tool_use_id": result.id,
                "content": result.text,
                "is_error": result.outcome == ToolOutcome::Failed,
            })
        })
        .collect();
    if told.is_empty() { vec![said] } else { vec![said, json!({"role": "user", "content": told})] }
}

const ADAPTATIONS: &[Adaptation] = &[
    Adaptation {
        words: &["web_search_20260209"],
        change: |manners| match manners.search_tool {
            SearchTool::Current => Some(ServerLimits { search_tool: SearchTool::Older, ..manners }),
            SearchTool::Older => None,
        },
    },
    Adaptation {
        words: &["output_config.format", "output_config: ", "structured output", "json_schema"],
        change: |manners| match manners.format {
            AnswerFormat::Schema => Some(ServerLimits { format: AnswerFormat::Tool, ..manners }),
            _ => None,
        },
    },
    Adaptation {
        words: &["tool_choice", "tool choice", "forced tool"],
        change: |manners| match manners.format {
            AnswerFormat::Tool => Some(ServerLimits { format: AnswerFormat::Words, ..manners }),
            _ => None,
        },
    },
    Adaptation {
        words: &["effort", "thinking"],
        change: |manners| manners.effort.then_some(ServerLimits { effort: false, ..manners }),
    },
    WITHOUT_TOOLS,
];

pub fn adapt(manners: ServerLimits, said: &str) -> Option<ServerLimits> {
    adapt_by(ADAPTATIONS, manners, said)
}
