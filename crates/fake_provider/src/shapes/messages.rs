//! Anthropic's Messages wire.

use serde_json::{Value, json};

use super::{FakeAnswer, FakeFinish, FakeUsage, WireShape, counted, mad, named};

pub const SHAPE: WireShape = WireShape {
    open,
    words: |answer, part| {
        let delta = json!({"type": "text_delta", "text": part});
        named(&json!({"type": "content_block_delta", "index": text_at(answer), "delta": delta}))
    },
    close,
    spare: 1,
    whole,
    error_event: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
    bare_end: Some("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"),
};

/// Returns the usage of the prompt, which comes at the beginning; that of the
/// answer comes at the end.
fn input_usage(counts: FakeUsage) -> Option<Value> {
    match counts {
        FakeUsage::Good => Some(json!({
            "input_tokens": 50,
            "cache_read_input_tokens": 40,
            "cache_creation_input_tokens": 10,
            "output_tokens": 1,
        })),
        FakeUsage::Sized(read, _) => Some(json!({"input_tokens": read, "output_tokens": 1})),
        FakeUsage::Absent => None,
        FakeUsage::Mad => Some(json!({"input_tokens": mad().0, "output_tokens": mad().1})),
    }
}

fn output_usage(answer: &FakeAnswer) -> Option<Value> {
    let searches = u32::from(answer.search.is_some());
    match answer.usage {
        FakeUsage::Good => Some(json!({
            "output_tokens": 20,
            "output_tokens_details": {"thinking_tokens": 5},
            "server_tool_use": {"web_search_requests": searches},
        })),
        FakeUsage::Sized(_, written) => Some(json!({"output_tokens": written})),
        FakeUsage::Absent => None,
        FakeUsage::Mad => Some(json!({"output_tokens": mad().1})),
    }
}

fn reason(answer: &FakeAnswer) -> &'static str {
    match answer.end {
        _ if answer.refusal.is_some() => "refusal",
        FakeFinish::Stop if !answer.calls.is_empty() => "tool_use",
        FakeFinish::Stop => "end_turn",
        FakeFinish::Length => "max_tokens",
        FakeFinish::Filter => "refusal",
        FakeFinish::Unknown => "bored",
        FakeFinish::Pause => "pause_turn",
    }
}

/// The blocks before the text, whole.
fn before(answer: &FakeAnswer) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !answer.thoughts.is_empty() {
        let thinking = answer.thoughts.concat();
        blocks.push(json!({"type": "thinking", "thinking": thinking, "signature": "signed"}));
    }
    if let Some(search) = answer.search {
        blocks.push(json!({
            "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
            "input": {"query": search.query},
        }));
        blocks.push(json!({
            "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
            "content": [{
                "type": "web_search_result", "url": search.url, "title": search.title,
                "encrypted_content": "sealed", "page_age": "April 30, 2026",
            }],
        }));
    }
    blocks
}

fn text_at(answer: &FakeAnswer) -> usize {
    before(answer).len()
}

fn cited(answer: &FakeAnswer) -> Option<Value> {
    answer.search.map(|search| {
        json!({
            "type": "web_search_result_location", "url": search.url, "title": search.title,
            "encrypted_index": "sealed", "cited_text": search.quote,
        })
    })
}

fn start(index: usize, block: &Value) -> String {
    named(&json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn delta(index: usize, delta: &Value) -> String {
    named(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn stop(index: usize) -> String {
    named(&json!({"type": "content_block_stop", "index": index}))
}

fn open(answer: &FakeAnswer) -> Vec<String> {
    let message = json!({
        "id": "msg_fake", "type": "message", "role": "assistant", "model": answer.model,
        "content": [], "stop_reason": null,
    });
    let message = counted(message, "usage", input_usage(answer.usage));
    let mut events = vec![named(&json!({"type": "message_start", "message": message}))];
    for (index, block) in before(answer).iter().enumerate() {
        if block["type"] == "thinking" {
            events
                .push(start(index, &json!({"type": "thinking", "thinking": "", "signature": ""})));
            for thought in &answer.thoughts {
                events.push(delta(index, &json!({"type": "thinking_delta", "thinking": thought})));
            }
            let signed = json!({"type": "signature_delta", "signature": "signed"});
            events.push(delta(index, &signed));
        } else {
            events.push(start(index, block));
        }
        events.push(stop(index));
        events.push(named(&json!({"type": "ping"})));
    }
    events.push(start(text_at(answer), &json!({"type": "text", "text": ""})));
    events
}

fn close(answer: &FakeAnswer) -> Vec<String> {
    let at = text_at(answer);
    let mut events = Vec::new();
    if let Some(cited) = cited(answer) {
        events.push(delta(at, &json!({"type": "citations_delta", "citation": cited})));
    }
    events.push(stop(at));
    for (offset, call) in answer.calls.iter().enumerate() {
        let index = at + 1 + offset;
        let block = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
        let text = call.arguments.to_string();
        let (first, second) = text.split_at(text.len() / 2);
        events.push(start(index, &block));
        for part in [first, second] {
            events.push(delta(index, &json!({"type": "input_json_delta", "partial_json": part})));
        }
        events.push(stop(index));
    }
    let ended = json!({
        "type": "message_delta",
        "delta": {"stop_reason": reason(answer), "stop_sequence": null},
    });
    events.push(named(&counted(ended, "usage", output_usage(answer))));
    events.push(named(&json!({"type": "message_stop"})));
    events
}

fn whole(answer: &FakeAnswer) -> String {
    let mut content = before(answer);
    let mut text = json!({"type": "text", "text": answer.text});
    if let Some(cited) = cited(answer) {
        text["citations"] = json!([cited]);
    }
    content.push(text);
    for call in &answer.calls {
        content.push(json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments,
        }));
    }
    let body = json!({
        "id": "msg_fake", "type": "message", "role": "assistant", "model": answer.model,
        "content": content, "stop_reason": reason(answer),
    });
    let both = input_usage(answer.usage).zip(output_usage(answer)).map(|(mut read, written)| {
        if let (Some(read), Some(written)) = (read.as_object_mut(), written.as_object()) {
            read.extend(written.clone());
        }
        read
    });
    counted(body, "usage", both).to_string()
}
