//! Google's generateContent wire.

use serde_json::{Value, json};

use super::{Answer, Counts, Ending, Shape, counted, data, mad};

pub const SHAPE: Shape = Shape {
    open,
    words: |answer, part| chunk(answer, &json!({"text": part})),
    close: |answer| vec![data(&last(answer, &[]))],
    spare: 0,
    whole: |answer| last(answer, &[json!({"text": answer.text})]).to_string(),
    error_event: "data: {\"error\":{\"code\":503,\"message\":\"The model is overloaded.\",\"status\":\"UNAVAILABLE\"}}\n\n",
    bare_end: None,
};

fn usage(counts: Counts) -> Option<Value> {
    match counts {
        Counts::Good => Some(json!({
            "promptTokenCount": 100,
            "cachedContentTokenCount": 40,
            "candidatesTokenCount": 15,
            "thoughtsTokenCount": 5,
            "totalTokenCount": 120,
        })),
        Counts::Absent => None,
        Counts::Mad => Some(json!({"promptTokenCount": mad().0, "candidatesTokenCount": mad().1})),
    }
}

fn chunk(answer: &Answer, part: &Value) -> String {
    data(&json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}],
        "modelVersion": answer.model,
    }))
}

fn open(answer: &Answer) -> Vec<String> {
    let thought = |thought: &&str| chunk(answer, &json!({"text": thought, "thought": true}));
    answer.thoughts.iter().map(thought).collect()
}

fn reason(answer: &Answer) -> &'static str {
    match answer.end {
        Ending::Stop | Ending::Pause => "STOP",
        Ending::Length => "MAX_TOKENS",
        Ending::Filter => "SAFETY",
        Ending::Unknown => "BORED",
    }
}

/// Returns the last chunk: calls, the reason, the sources, and the counts.
fn last(answer: &Answer, words: &[Value]) -> Value {
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
