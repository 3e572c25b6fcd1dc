//! Anthropic's Messages wire. Pure: requests out, replies in; nothing is sent
//! from here. No temperature: the current version of the API takes none.

mod decode;
#[cfg(test)]
mod tests;

use debate::model::Ask;
use serde_json::{Value, json};

use super::decoder::BodyReader;
use super::dialect::{
    Adaptation, AnswerFormat, Dialect, KeyHeader, NativeSearch, SUBMIT_IN_WORDS, SearchTool,
    ServerLimits, Target, WITHOUT_TOOLS, adapt_by, object, output_room, put, system,
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

pub fn request(prompt: &Prompt<'_>, target: &Target, manners: ServerLimits) -> Value {
    let ask = prompt.ask;
    let mut messages = vec![json!({"role": "user", "content": content(ask)})];
    messages.extend(prompt.so_far.iter().flat_map(exchange));
    // The same for every round, so it is worth keeping.
    let system = json!([{
        "type": "text",
        "text": system(prompt, manners.format),
        "cache_control": {"type": "ephemeral"},
    }]);
    let mut body = object([
        ("model", target.model.as_str().into()),
        ("max_tokens", output_room(ask, target).into()),
        ("stream", true.into()),
        ("system", system),
        ("messages", messages.into()),
    ]);
    let effort = target.effort.word().filter(|_| manners.effort);
    let mut output = json!({});
    let format = json!({"type": "json_schema", "schema": *ask.schema});
    put(
        &mut output,
        [
            ("format", (manners.format == AnswerFormat::Schema).then_some(format)),
            ("effort", effort.map(Value::from)),
        ],
    );
    let tools = tools(prompt, target, manners);
    put(
        &mut body,
        [
            ("output_config", output.as_object().is_some_and(|o| !o.is_empty()).then_some(output)),
            ("thinking", effort.map(|_| json!({"type": "adaptive"}))),
            ("tool_choice", tool_choice(&tools, manners)),
            ("tools", (!tools.is_empty()).then(|| tools.into())),
        ],
    );
    body
}

/// The message, with a cache point after the caller's files, which every round sends
/// again.
fn content(ask: &Ask) -> Value {
    match ask.user.split_at_checked(ask.shown.same_bytes) {
        None | Some(("", _)) => json!(ask.user),
        Some((same, own)) => json!([
            {"type": "text", "text": same, "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": own},
        ]),
    }
}

fn tools(prompt: &Prompt<'_>, target: &Target, manners: ServerLimits) -> Vec<Value> {
    let tool = |tool: &ToolSpec| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema});
    let mut tools: Vec<Value> = prompt.tools.iter().map(tool).collect();
    if target.search == NativeSearch::Native {
        let kind = match manners.search_tool {
            SearchTool::Current => "web_search_20260209",
            SearchTool::Older => "web_search_20250305",
        };
        tools.push(json!({"type": kind, "name": "web_search", "max_uses": MOST_SEARCHES}));
    }
    if manners.format == AnswerFormat::Tool {
        let schema = &*prompt.ask.schema;
        tools.push(json!({"name": SUBMIT, "description": SUBMIT_IN_WORDS, "input_schema": schema}));
    }
    tools
}

fn tool_choice(tools: &[Value], manners: ServerLimits) -> Option<Value> {
    match (manners.format, tools.len()) {
        (AnswerFormat::Tool, 1) => Some(json!({"type": "tool", "name": SUBMIT})),
        (AnswerFormat::Tool, _) => Some(json!({"type": "any"})),
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
