//! The Responses wire, in OpenAI's and in Perplexity's flavour.

use serde_json::{Value, json};

use super::{FakeAnswer, FakeFinish, FakeUsage, WireShape, counted, mad, named};

#[derive(Clone, Copy, PartialEq)]
enum Flavour {
    OpenAi,
    Perplexity,
}

pub const OPENAI: WireShape = WireShape {
    open: |answer| open(answer, Flavour::OpenAi),
    words: |_, part| {
        named(&json!({
            "type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0,
            "content_index": 0, "delta": part,
        }))
    },
    close: |answer| close(answer, Flavour::OpenAi),
    spare: 0,
    whole: |answer| response(answer, Flavour::OpenAi).to_string(),
    error_event: "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"The model failed\"}}}\n\n",
    bare_end: Some(
        "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{}}\n\n",
    ),
};

pub const AGENT: WireShape = WireShape {
    open: |answer| open(answer, Flavour::Perplexity),
    close: |answer| close(answer, Flavour::Perplexity),
    whole: |answer| response(answer, Flavour::Perplexity).to_string(),
    ..OPENAI
};

fn usage(answer: &FakeAnswer, flavour: Flavour) -> Option<Value> {
    let details = match flavour {
        Flavour::OpenAi => json!({"cached_tokens": 40}),
        Flavour::Perplexity => json!({"cache_read_input_tokens": 40}),
    };
    let searches = u32::from(answer.search.is_some());
    match answer.usage {
        FakeUsage::Good => Some(json!({
            "input_tokens": 100,
            "input_tokens_details": details,
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 5},
            "total_tokens": 120,
            "tool_calls_details": {"search_web": {"invocation": searches}},
        })),
        FakeUsage::Sized(read, written) => {
            Some(json!({"input_tokens": read, "output_tokens": written}))
        }
        FakeUsage::Absent => None,
        FakeUsage::Mad => Some(json!({"input_tokens": mad().0, "output_tokens": mad().1})),
    }
}

fn status(answer: &FakeAnswer) -> (&'static str, Option<&'static str>) {
    match answer.end {
        FakeFinish::Stop | FakeFinish::Pause => ("completed", None),
        FakeFinish::Length => ("incomplete", Some("max_output_tokens")),
        FakeFinish::Filter => ("incomplete", Some("content_filter")),
        FakeFinish::Unknown => ("bored", None),
    }
}

fn searched(answer: &FakeAnswer, flavour: Flavour) -> Option<Value> {
    let search = answer.search?;
    Some(match flavour {
        Flavour::OpenAi => json!({
            "type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "search", "query": search.query,
                "sources": [{"type": "url", "url": search.url}]},
        }),
        Flavour::Perplexity => json!({
            "type": "search_results", "queries": [search.query],
            "results": [{
                "id": 1, "url": search.url, "title": search.title, "snippet": search.quote,
            }],
        }),
    })
}

fn message(answer: &FakeAnswer) -> Value {
    let annotations: Vec<Value> = answer
        .search
        .iter()
        .map(|search| {
            json!({
                "type": "url_citation", "url": search.url, "title": search.title,
                "start_index": 0, "end_index": 12,
            })
        })
        .collect();
    let part = match answer.refusal {
        Some(refusal) => json!({"type": "refusal", "refusal": refusal}),
        None => json!({
            "type": "output_text", "text": answer.text, "annotations": annotations,
        }),
    };
    json!({
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [part],
    })
}

fn items(answer: &FakeAnswer, flavour: Flavour) -> Vec<Value> {
    let mut items = Vec::new();
    if !answer.thoughts.is_empty() {
        items.push(json!({
            "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed",
        }));
    }
    items.extend(searched(answer, flavour));
    if !answer.text.is_empty() || answer.refusal.is_some() {
        items.push(message(answer));
    }
    for (index, call) in answer.calls.iter().enumerate() {
        items.push(json!({
            "type": "function_call", "id": format!("fc_{index}"), "call_id": call.id,
            "name": call.name, "arguments": call.arguments.to_string(), "status": "completed",
        }));
    }
    items
}

fn response(answer: &FakeAnswer, flavour: Flavour) -> Value {
    let (status, cut) = status(answer);
    let body = json!({
        "id": answer.id, "object": "response", "model": answer.model, "status": status,
        "error": null, "incomplete_details": cut.map(|reason| json!({"reason": reason})),
        "output": items(answer, flavour),
    });
    counted(body, "usage", usage(answer, flavour))
}

fn open(answer: &FakeAnswer, _: Flavour) -> Vec<String> {
    let begun = json!({"id": answer.id, "model": answer.model, "status": "in_progress"});
    let mut events = vec![named(&json!({"type": "response.created", "response": begun}))];
    if !answer.thoughts.is_empty() {
        let item = json!({"type": "reasoning", "id": "rs_1", "summary": []});
        events.push(named(&json!({"type": "response.output_item.added", "item": item})));
    }
    events
}

fn close(answer: &FakeAnswer, flavour: Flavour) -> Vec<String> {
    let mut events = Vec::new();
    if let Some(refusal) = answer.refusal {
        events.push(named(&json!({"type": "response.refusal.delta", "delta": refusal})));
    }
    for (index, item) in items(answer, flavour).iter().enumerate() {
        if item["type"] == "function_call" {
            events.push(named(&json!({
                "type": "response.function_call_arguments.delta", "output_index": index,
                "item_id": item["id"], "delta": item["arguments"],
            })));
        }
        events.push(named(&json!({
            "type": "response.output_item.done", "output_index": index, "item": item,
        })));
    }
    let kind = match status(answer) {
        ("incomplete", _) => "response.incomplete",
        _ => "response.completed",
    };
    events.push(named(&json!({"type": kind, "response": response(answer, flavour)})));
    events
}
