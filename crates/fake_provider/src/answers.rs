//! Answers without faults, on the wire of the request. The request decides the
//! content: offered tools may be called, and the provider's own search is used if
//! it is switched on.

use std::io::Result;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::shapes::{FakeAnswer, FakeCall, FakeFinish, SEARCH, Wire, model};
use crate::wire::{self, AfterAnswer, FakeRequest, WriteResult};
use crate::{FakeOptions, ToolCaller};

/// An answer that fits a debate, for callers that do not need a certain one.
pub const DEFAULT_ANSWER: &str = r#"{"position":"This is a canned position.","reasoning":"This text comes from a fake provider [ASSUME].","keyPoints":["It is canned.","It is the same for everybody."],"confidence":0.5,"vote":{"ballot":"ACCEPT"},"claims":[{"text":"Canned answers are all alike.","label":"ASSUME","evidenceType":"SPECULATIVE","citations":[]}],"citations":[]}"#;

/// The tool that hands in an answer if structured output is not available.
const SUBMIT: &str = "submit_response";

/// The words that a model called `works` writes before it hands in its record.
pub const WORKING: &str = "Nine and nine are eighteen.\n\nAnswer: 18\nConfidence: 0.9";

/// Returns the answer to a request. A model called `calls:<tool>` calls that tool
/// once and then answers; `calls-always:<tool>` never answers; `pauses:<n>`
/// breaks off n times first; `thinks` thinks aloud; `works` writes before it hands
/// in its record, where it can. So does any model whose answer ends with a line that
/// holds a record.
pub fn answer(request: &FakeRequest, wire: Wire, options: &FakeOptions) -> FakeAnswer {
    let model = model(request);
    let text = (options.answer)(&request.body);
    let mut answer = FakeAnswer {
        pieces: options.pieces,
        usage: options.usage,
        ..FakeAnswer::new(&model, &text)
    };
    let body = &request.body;
    let told = told(body);
    let wanted = match model.split_once(':') {
        Some(("calls", tool)) if told == 0 => Some(tool),
        Some(("calls-always", tool)) => Some(tool),
        _ => None,
    };
    let wanted = wanted.map(|tool| (tool.to_owned(), arguments(tool, told + 1)));
    if let Some((name, arguments)) = wanted.or_else(|| (options.calls)(body, told)) {
        answer.text = String::new();
        answer.thoughts = vec!["I should look that up."];
        answer.calls = vec![FakeCall { id: format!("toolu_{}", told + 1), name, arguments }];
    } else if model == "works" {
        answer.text = WORKING.into();
        if body.get("tools").is_some_and(|tools| tools.to_string().contains(SUBMIT)) {
            let arguments = serde_json::from_str(&text).unwrap_or(Value::Null);
            answer.calls = vec![submitted(arguments)];
        }
    } else if offers(body, SUBMIT)
        && let Some((words, record)) = words_then_record(&text)
    {
        answer.text = words.into();
        answer.calls = vec![submitted(record)];
    } else if wire == Wire::Messages && offers(body, SUBMIT) {
        let arguments = serde_json::from_str(&text).unwrap_or(Value::Null);
        answer.text = String::new();
        answer.calls = vec![submitted(arguments)];
    }
    if searches(body, wire) {
        answer.search = Some(SEARCH);
    }
    if let Some(("pauses", times)) = model.split_once(':') {
        let turns = body.get("messages").and_then(Value::as_array).map_or(0, Vec::len);
        if turns <= times.parse().unwrap_or(0) {
            answer.end = FakeFinish::Pause;
            answer.text = "So far ".into();
        }
    }
    answer
}

/// Returns the two parts of an answer whose last line is a record behind its words.
fn words_then_record(text: &str) -> Option<(&str, Value)> {
    let (words, last) = text.rsplit_once('\n')?;
    let record = serde_json::from_str(last).ok().filter(Value::is_object)?;
    Some((words, record))
}

/// The call by which a model hands in its record.
fn submitted(arguments: Value) -> FakeCall {
    FakeCall { id: "toolu_1".into(), name: SUBMIT.into(), arguments }
}

/// Calls this tool once in every conversation where it is offered.
pub fn calls_once(tool: String) -> ToolCaller {
    Arc::new(move |body, told| {
        let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten();
        let is_it = |one: &Value| one["name"] == *tool || one["function"]["name"] == *tool;
        let offered = tools.into_iter().any(is_it);
        (offered && told == 0).then(|| (tool.clone(), arguments(&tool, 1)))
    })
}

/// Returns arguments that fit the tool's schema; a query for unknown tools.
fn arguments(tool: &str, number: usize) -> Value {
    match tool {
        "fact_check" => json!({"claims": [format!("Tea came to Britain, part {number}")]}),
        "read_page" => json!({"url": SEARCH.url, "part": number}),
        "request_context" => json!({
            "question": format!("How much tea do you drink, part {number}?"),
            "why": "It decides the size of the pot.",
            "priority": "required",
        }),
        _ => json!({"query": format!("what is tea, part {number}")}),
    }
}

/// Counts the tool results that a request carries.
fn told(body: &Value) -> usize {
    let text = body.to_string();
    let marks = [
        "\"role\":\"tool\"",
        "\"tool_result\"",
        "\"function_call_output\"",
        "\"functionResponse\"",
    ];
    marks.iter().map(|mark| text.matches(mark).count()).sum()
}

fn offers(body: &Value, name: &str) -> bool {
    let tools = body.get("tools").and_then(Value::as_array);
    tools.is_some_and(|tools| tools.iter().any(|tool| tool["name"] == name))
}

/// Returns true if the provider's own search is switched on.
fn searches(body: &Value, wire: Wire) -> bool {
    let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten();
    let is_search = |tool: &Value| match wire {
        Wire::Gemini => tool.get("googleSearch").is_some(),
        _ => tool["type"].as_str().is_some_and(|kind| kind.contains("web_search")),
    };
    tools.into_iter().any(is_search)
}

pub fn models(options: &FakeOptions) -> String {
    let models: Vec<Value> =
        options.models.iter().map(|id| json!({"id": id, "object": "model"})).collect();
    json!({"object": "list", "data": models}).to_string()
}

pub async fn stream(
    socket: &mut TcpStream,
    request: &FakeRequest,
    options: &FakeOptions,
) -> Result<WriteResult> {
    let wire = Wire::of(&request.path);
    let answer = answer(request, wire, options);
    if !streams(request) {
        return wire::plain(socket, 200, &[], &(wire.shape().whole)(&answer)).await;
    }
    wire::open_stream(socket, "text/event-stream", AfterAnswer::KeepAlive).await?;
    for event in wire.shape().events(&answer) {
        wire::piece(socket, event.as_bytes()).await?;
        wire::pause(options.pace).await;
    }
    wire::end_stream(socket).await
}

/// Returns true if a stream was asked for: in the body, or by the path.
pub fn streams(request: &FakeRequest) -> bool {
    let by_path = request.path.contains("alt=sse");
    by_path || request.body.get("stream") == Some(&Value::Bool(true))
}
