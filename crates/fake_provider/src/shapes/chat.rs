//! The chat-completions wire.

use serde_json::{Value, json};

use super::{FakeAnswer, FakeFinish, FakeUsage, WireShape, counted, data, mad};

pub const SHAPE: WireShape = WireShape {
    open,
    words: |answer, part| chunk(&answer.model, &json!({"content": part}), None),
    close,
    spare: 1,
    whole,
    error_event: "data: {\"error\":{\"message\":\"The server had an error\",\"code\":\"server_error\"}}\n\n",
    bare_end: Some("data: [DONE]\n\n"),
};

fn usage(counts: FakeUsage) -> Option<Value> {
    match counts {
        FakeUsage::Good => Some(json!({
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 40},
            "completion_tokens_details": {"reasoning_tokens": 5},
        })),
        FakeUsage::Sized(read, written) => {
            Some(json!({"prompt_tokens": read, "completion_tokens": written}))
        }
        FakeUsage::Absent => None,
        FakeUsage::Mad => Some(json!({"prompt_tokens": mad().0, "completion_tokens": mad().1})),
    }
}

fn chunk(model: &str, delta: &Value, finish: Option<&str>) -> String {
    data(&json!({
        "id": "chatcmpl-fake",
        "object": "chat.completion.chunk",
        "model": model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }))
}

fn reason(answer: &FakeAnswer) -> &'static str {
    match answer.end {
        FakeFinish::Stop if !answer.calls.is_empty() => "tool_calls",
        FakeFinish::Stop | FakeFinish::Pause => "stop",
        FakeFinish::Length => "length",
        FakeFinish::Filter => "content_filter",
        FakeFinish::Unknown => "bored",
    }
}

fn calls(answer: &FakeAnswer) -> Vec<Value> {
    let call = |(index, call): (usize, &super::FakeCall)| {
        json!({"index": index, "id": call.id, "type": "function", "function": {
            "name": call.name, "arguments": call.arguments.to_string(),
        }})
    };
    answer.calls.iter().enumerate().map(call).collect()
}

/// Returns the results of OpenRouter's search as they stand in a message.
fn cited(answer: &FakeAnswer) -> Option<Value> {
    let search = answer.search?;
    Some(json!([{"type": "url_citation", "url_citation": {
        "url": search.url, "title": search.title, "content": search.quote,
        "start_index": 0, "end_index": 12,
    }}]))
}

/// Counts searches, if there were any.
fn with_searches(answer: &FakeAnswer, usage: Option<Value>) -> Option<Value> {
    let mut usage = usage?;
    if answer.search.is_some() {
        usage["server_tool_use"] = json!({"web_search_requests": 1});
    }
    Some(usage)
}

fn open(answer: &FakeAnswer) -> Vec<String> {
    let mut events = vec![chunk(&answer.model, &json!({"role": "assistant", "content": ""}), None)];
    for thought in &answer.thoughts {
        events.push(chunk(&answer.model, &json!({"reasoning_content": thought}), None));
    }
    events
}

fn close(answer: &FakeAnswer) -> Vec<String> {
    let model = &answer.model;
    let mut events = Vec::new();
    if let Some(refusal) = answer.refusal {
        events.push(chunk(model, &json!({"refusal": refusal}), None));
    }
    for call in calls(answer) {
        // The name first, then the arguments in two halves.
        let text = call.pointer("/function/arguments").and_then(Value::as_str).unwrap_or_default();
        let (first, second) = text.split_at(text.len() / 2);
        let mut begun = call.clone();
        begun["function"]["arguments"] = json!(first);
        let rest = json!({"index": call["index"], "function": {"arguments": second}});
        events.push(chunk(model, &json!({"tool_calls": [begun]}), None));
        events.push(chunk(model, &json!({"tool_calls": [rest]}), None));
    }
    if let Some(cited) = cited(answer) {
        events.push(chunk(model, &json!({"annotations": cited}), None));
    }
    events.push(chunk(model, &json!({}), Some(reason(answer))));
    if let Some(usage) = with_searches(answer, usage(answer.usage)) {
        let last = json!({"id": "chatcmpl-fake", "model": model, "choices": [], "usage": usage});
        events.push(data(&last));
    }
    events.push("data: [DONE]\n\n".into());
    events
}

fn whole(answer: &FakeAnswer) -> String {
    let mut message = json!({"role": "assistant", "content": answer.text});
    if !answer.calls.is_empty() {
        message["tool_calls"] = json!(calls(answer));
    }
    if let Some(cited) = cited(answer) {
        message["annotations"] = cited;
    }
    let body = json!({
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "model": answer.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason(answer)}],
    });
    counted(body, "usage", with_searches(answer, usage(answer.usage))).to_string()
}
