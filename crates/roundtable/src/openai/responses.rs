//! Responses: the whole answer, and the events of a stream.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::answer::{TableAnswer, usage};
use super::request::{AskedTable, RESPONSE_ID};

const USAGE: (&str, &str) = ("input_tokens", "output_tokens");

pub fn whole(asked: &AskedTable, answer: &TableAnswer) -> Response {
    Json(response(asked, &answer.id, answer.created, Some((answer, "")))).into_response()
}

/// The response as it is now: complete with its answer and its reasoning, or begun.
pub fn response(
    asked: &AskedTable,
    id: &str,
    created: i64,
    answer: Option<(&TableAnswer, &str)>,
) -> Value {
    let mut output = Vec::new();
    if let Some((answer, reasoning)) = answer {
        if !reasoning.is_empty() {
            output.push(reasoning_item(id, Some(reasoning)));
        }
        output.push(message_item(id, Some(&answer.text)));
    }
    let after = asked.order.after.as_ref().map(|id| format!("{RESPONSE_ID}{id}"));
    json!({
        "id": format!("{RESPONSE_ID}{id}"),
        "object": "response",
        "created_at": created,
        "status": if answer.is_some() { "completed" } else { "in_progress" },
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "metadata": {},
        "model": asked.model,
        "output": output,
        "parallel_tool_calls": false,
        "previous_response_id": after,
        "temperature": null,
        "tool_choice": "none",
        "tools": [],
        "top_p": null,
        "usage": answer.map(|(answer, _)| usage(&answer.spent, USAGE)),
    })
}

/// The item of the reasoning; without a text it has only begun.
pub fn reasoning_item(id: &str, text: Option<&str>) -> Value {
    let summary: Vec<Value> = text.map(summary_part).into_iter().collect();
    json!({ "id": format!("rs_{id}"), "type": "reasoning", "summary": summary })
}

pub fn summary_part(text: &str) -> Value {
    json!({ "type": "summary_text", "text": text })
}

/// The item of the answer; without a text it has only begun.
pub fn message_item(id: &str, text: Option<&str>) -> Value {
    let status = if text.is_some() { "completed" } else { "in_progress" };
    let content: Vec<Value> = text.map(text_part).into_iter().collect();
    json!({
        "id": format!("msg_{id}"), "type": "message", "role": "assistant", "status": status,
        "content": content,
    })
}

pub fn text_part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}
