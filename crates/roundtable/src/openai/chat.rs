//! Chat completions: the whole answer, and the chunks of a stream.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::answer::{TableAnswer, usage};
use super::request::AskedTable;

const USAGE: (&str, &str) = ("prompt_tokens", "completion_tokens");

pub fn whole(asked: &AskedTable, answer: &TableAnswer) -> Response {
    let message = json!({ "role": "assistant", "content": answer.text, "refusal": null });
    Json(json!({
        "id": format!("chatcmpl-{}", answer.id),
        "object": "chat.completion",
        "created": answer.created,
        "model": asked.model,
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop", "logprobs": null }],
        "usage": usage(&answer.spent, USAGE),
    }))
    .into_response()
}

/// A chunk of a stream, with what is new in it.
fn chunk(asked: &AskedTable, id: &str, choices: Value) -> Value {
    json!({
        "id": format!("chatcmpl-{id}"),
        "object": "chat.completion.chunk",
        "created": engine::clock::now_ms() / 1000,
        "model": asked.model,
        "choices": choices,
    })
}

/// A chunk with a part of the message.
pub fn delta(asked: &AskedTable, id: &str, delta: Value) -> Value {
    chunk(asked, id, json!([{ "index": 0, "delta": delta, "finish_reason": null }]))
}

/// The last chunks.
pub fn ending(asked: &AskedTable, answer: &TableAnswer) -> Vec<Value> {
    let stop = json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }]);
    let mut chunks = vec![chunk(asked, &answer.id, stop)];
    if asked.wants_usage {
        let mut last = chunk(asked, &answer.id, json!([]));
        last["usage"] = usage(&answer.spent, USAGE);
        chunks.push(last);
    }
    chunks
}
