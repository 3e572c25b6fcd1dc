//! Reads a chat-completions answer, streamed or whole. What counts as an answer
//! is decided in [`crate::wire::outcome`].

use debate::model::{FailureClass, Finish, Usage};
use serde_json::Value;

use crate::SpeechDelta;
use crate::wire::decoder::Listener;
use crate::wire::outcome::{
    EndReason, EndReasons, PartialAnswer, WireOutcome, believable_cost, count,
};
use crate::wire::try_error::TryError;

#[derive(Debug, Default)]
pub struct ChatAnswer(PartialAnswer);

const FILTERED: EndReason =
    EndReason::Failed(FailureClass::Declined, "a content filter blocked the answer");

pub const ENDINGS: EndReasons = &[
    ("stop", EndReason::Finished(Finish::Complete)),
    ("eos", EndReason::Finished(Finish::Complete)),
    ("stop_sequence", EndReason::Finished(Finish::Complete)),
    ("length", EndReason::Finished(Finish::CutOff)),
    ("max_tokens", EndReason::Finished(Finish::CutOff)),
    ("model_length", EndReason::Finished(Finish::CutOff)),
    ("content_filter", FILTERED),
    ("safety", FILTERED),
    ("refusal", EndReason::Failed(FailureClass::Declined, "the model declined to answer")),
    ("tool_calls", EndReason::Calls),
    ("function_call", EndReason::Calls),
    ("error", EndReason::Failed(FailureClass::Overloaded, "it broke off with an error of its own")),
];

impl Listener for ChatAnswer {
    fn event(
        &mut self,
        _: &str,
        chunk: &Value,
        deltas: &mut Vec<SpeechDelta>,
    ) -> Result<(), TryError> {
        self.0.anything |= ["choices", "usage"].iter().any(|key| chunk.get(key).is_some());
        self.envelope(chunk);
        let Some(choice) = first_choice(chunk) else { return Ok(()) };
        if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
            self.delta(delta, deltas);
        }
        self.0.ended(choice.get("finish_reason").and_then(Value::as_str));
        Ok(())
    }

    fn whole(&mut self, answer: &Value) -> Result<(), TryError> {
        self.event("", answer, &mut Vec::new())
    }

    fn marked_done(&mut self) {
        self.0.done = true;
    }

    fn is_done(&self) -> bool {
        self.0.done
    }

    fn used(&self) -> Usage {
        self.0.usage
    }

    fn outcome(self) -> Result<WireOutcome, TryError> {
        self.0.outcome(super::DIALECT.name, ENDINGS)
    }
}

impl ChatAnswer {
    fn envelope(&mut self, chunk: &Value) {
        self.0.named(chunk.get("model"));
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.0.usage = Usage {
                input: count(usage, "/prompt_tokens"),
                cached: count(usage, "/prompt_tokens_details/cached_tokens"),
                written: count(usage, "/prompt_tokens_details/cache_write_tokens"),
                output: count(usage, "/completion_tokens"),
                reasoning: count(usage, "/completion_tokens_details/reasoning_tokens"),
            };
            let searches = usage.pointer("/server_tool_use/web_search_requests");
            self.0.searches_said(searches.and_then(Value::as_u64));
            // Some servers say what they charge, as a number.
            let cost = usage.get("cost").and_then(Value::as_f64);
            self.0.cost = believable_cost(cost);
        }
    }

    fn delta(&mut self, delta: &Value, deltas: &mut Vec<SpeechDelta>) {
        let said = |key: &str| delta.get(key).and_then(Value::as_str).filter(|t| !t.is_empty());
        if said("reasoning_content").or_else(|| said("reasoning")).is_some() {
            self.0.thinks(deltas);
        }
        self.0.words(&content(delta.get("content")), deltas);
        self.0.refusal.push_str(said("refusal").unwrap_or_default());
        let list = |key: &str| delta.get(key).and_then(Value::as_array).into_iter().flatten();
        for annotation in list("annotations") {
            let cited = annotation.get("url_citation").unwrap_or(annotation);
            let text = |key: &str| cited.get(key).and_then(Value::as_str);
            self.0.source(text("url"), text("title"), text("content"));
        }
        for (at, piece) in list("tool_calls").enumerate() {
            // Pieces of a streamed call share an index; whole calls have none.
            let index = piece.get("index").and_then(Value::as_u64).unwrap_or(at as u64);
            let text = |path: &str| piece.pointer(path).and_then(Value::as_str).unwrap_or_default();
            let call = self.0.call(&index.to_string());
            if call.id.is_empty() {
                call.id = text("/id").to_owned();
            }
            call.name.push_str(text("/function/name"));
            match piece.pointer("/function/arguments") {
                // Ollama and others send the object itself.
                Some(Value::Object(whole)) => {
                    call.arguments = Value::Object(whole.clone()).to_string();
                }
                Some(Value::String(part)) => call.arguments.push_str(part),
                _ => {}
            }
        }
    }
}

fn first_choice(chunk: &Value) -> Option<&Value> {
    let choices = chunk.get("choices")?.as_array()?;
    let index = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
    choices.iter().find(index)
}

/// Content is a text, or a list of parts of which the text ones count.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}
