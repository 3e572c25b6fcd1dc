//! Google's generateContent wire.

use serde_json::{Value, json};

use super::{FakeAnswer, FakeFinish, FakeUsage, WireShape, counted, data, mad};

pub const SHAPE: WireShape = WireShape {
    open,
    words: |answer, part| chunk(answer, &json!({"text": part})),
    close: |answer| vec![data(&last(answer, &[]))],
    spare: 0,
    whole: |answer| last(answer, &[json!({"text": answer.text})]).to_string(),
    error_event: "data: {\"error\":{\"code\":503,\"message\":\"The model is overloaded.\",\"status\":\"UNAVAILABLE\"}}\n\n",
    bare_end: None,
};

fn usage(counts: FakeUsage) -> Option<Value> {
    match counts {
        FakeUsage::Good => Some(json!({
            "promptTokenCount": 100,
            "cachedContentTokenCount": 40,
            "candidatesTokenCount": 15,
            "thoughtsTokenCount": 5,
            "totalTokenCount": 120,
        })),
        FakeUsage::Sized(read, written) => {
            Some(json!({"promptTokenCount": read, "candidatesTokenCount": written}))
        }
        FakeUsage::Absent => None,
        FakeUsage::Mad => {
            Some(json!({"promptTokenCount": mad().0, "candidatesTokenCount": mad().1}))
        }
    }
}

fn chunk(answer: &FakeAnswer, part: &Value) -> String {
    data(&json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}],
        "modelVersion": answer.model,
    }))
}

fn open(answer: &FakeAnswer) -> Vec<String> {
    let thought = |thought: &&str| chunk(answer, &json!({"text": thought, "thought": true}));
    answer.thoughts.iter().map(thought).collect()
}

fn reason(answer: &FakeAnswer) -> &'static str {
    match answer.end {
        FakeFinish::Stop | FakeFinish::Pause => "STOP",
        FakeFinish::Length => "MAX_TOKENS",
        FakeFinish::Filter => "SAFETY",
        FakeFinish::Unknown => "BORED",
    }
}

/// Returns the last chunk: calls, the reason, the sources, and the counts.
fn last(answer: &FakeAnswer, words: &[Value]) -> Value {
    if answer.refusal.is_some() {
        let blocked = json!({
            "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": answer.model,
        });
        return counted(blocked, "usageMetadata", usage(answer.usage));
    }
    let mut parts = words.to_vec();
    for call in &answer.calls {
        let wanted = json!({"name": call.name, "args": call.arguments});
        parts.push(json!({"functionCall": wanted, "thoughtSignature": "signed"}));
    }
    let mut candidate = json!({
        "content": {"role": "model", "parts": parts},
        "finishReason": reason(answer),
        "index": 0,
    });
    if let Some(search) = answer.search {
        candidate["groundingMetadata"] = json!({
            "webSearchQueries": [search.query],
            "groundingChunks": [{"web": {"uri": search.url, "title": search.title}}],
            "groundingSupports": [{
                "segment": {"startIndex": 0, "endIndex": 12, "text": search.quote},
                "groundingChunkIndices": [0],
            }],
        });
    }
    let body = json!({"candidates": [candidate], "modelVersion": answer.model});
    counted(body, "usageMetadata", usage(answer.usage))
}
