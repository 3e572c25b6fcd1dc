//! Reads a chat-completions answer, streamed or whole. What counts as an answer
//! is decided in [`crate::wire::outcome`].

use debate::model::{FailureClass, Finish, Usage};
use serde::de::MapAccess;
use serde_json::Value;

use crate::SpeechDelta;
use crate::wire::decoder::Listener;
use crate::wire::outcome::{
    EndReason, EndReasons, PartialAnswer, WireOutcome, at, believable_cost, count,
};
use crate::wire::peek::{Members, Peek, PeekedValue, peek};
use crate::wire::try_error::TryError;

#[derive(Debug, Default)]
pub struct ChatAnswer {
    heard: PartialAnswer,
    /// The pieces in a row that were more than a few words.
    unusual: u32,
}

/// After so many unusual pieces in a row the next ones are expected to be so too.
const MOST_UNUSUAL: u32 = 4;

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

/// The members of a piece that is only words, and whatever makes it more than that.
#[derive(Debug, Default)]
struct ChunkPeek<'d> {
    model: PeekedValue<'d>,
    choice: Option<ChoicePeek<'d>>,
    is_odd: bool,
}

impl<'d> Members<'d> for ChunkPeek<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "model" => self.model = value.next_value()?,
            "choices" => {
                let mut choices: Vec<Peek<ChoicePeek<'_>>> = value.next_value()?;
                self.is_odd |= choices.len() > 1;
                self.choice = choices.pop().map(|Peek(choice)| choice);
            }
            "usage" | "error" => {
                self.is_odd |= value.next_value::<PeekedValue<'_>>()? != PeekedValue::Null
            }
            "object" | "type" => {
                self.is_odd |= value.next_value::<PeekedValue<'_>>()?.as_str() == Some("error");
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[derive(Debug, Default)]
struct ChoicePeek<'d> {
    delta: Option<Peek<WordsPeek<'d>>>,
    ending: PeekedValue<'d>,
    is_odd: bool,
}

impl<'d> Members<'d> for ChoicePeek<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "delta" => self.delta = Some(value.next_value()?),
            "finish_reason" => self.ending = value.next_value()?,
            // Of several choices the first is read.
            "index" => {
                let index = value.next_value()?;
                self.is_odd |= !matches!(index, PeekedValue::Null | PeekedValue::Count(0));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[derive(Debug, Default)]
struct WordsPeek<'d> {
    content: PeekedValue<'d>,
    refusal: PeekedValue<'d>,
    /// Under the two names by which servers send them.
    thoughts: (PeekedValue<'d>, PeekedValue<'d>),
    is_odd: bool,
}

impl WordsPeek<'_> {
    fn has_thoughts(&self) -> bool {
        let is_said = |thought: &PeekedValue<'_>| thought.as_str().is_some_and(|it| !it.is_empty());
        is_said(&self.thoughts.0) || is_said(&self.thoughts.1)
    }
}

impl<'d> Members<'d> for WordsPeek<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "content" => {
                self.content = value.next_value()?;
                self.is_odd |= self.content == PeekedValue::Nested;
            }
            "refusal" => self.refusal = value.next_value()?,
            "reasoning_content" => self.thoughts.0 = value.next_value()?,
            "reasoning" => self.thoughts.1 = value.next_value()?,
            "tool_calls" | "annotations" => {
                self.is_odd |= value.next_value::<PeekedValue<'_>>()? != PeekedValue::Null;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Listener for ChatAnswer {
    fn event(
        &mut self,
        _: &str,
        chunk: Value,
        deltas: &mut Vec<SpeechDelta>,
    ) -> Result<(), TryError> {
        let chunk = &chunk;
        self.heard.anything |= ["choices", "usage"].iter().any(|key| chunk.get(key).is_some());
        self.envelope(chunk);
        let Some(choice) = first_choice(chunk) else { return Ok(()) };
        if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
            self.delta(delta, deltas);
        }
        self.heard.ended(choice.get("finish_reason").and_then(Value::as_str));
        Ok(())
    }

    fn frequent(&mut self, kind: &str, data: &str, deltas: &mut Vec<SpeechDelta>) -> bool {
        if kind == "error" || self.unusual >= MOST_UNUSUAL {
            return false;
        }
        let chunk = peek::<ChunkPeek<'_>>(data).filter(|chunk| !chunk.is_odd);
        let choice = chunk.as_ref().and_then(|chunk| chunk.choice.as_ref());
        let words = choice.and_then(|choice| choice.delta.as_ref());
        let (Some(chunk), Some(choice), Some(Peek(words))) = (&chunk, choice, words) else {
            self.unusual += 1;
            return false;
        };
        if choice.is_odd || words.is_odd {
            self.unusual += 1;
            return false;
        }
        self.unusual = 0;
        self.heard.anything = true;
        self.heard.named_as(chunk.model.as_str().unwrap_or_default());
        if words.has_thoughts() {
            self.heard.thinks(deltas);
        }
        self.heard.words(words.content.as_str().unwrap_or_default(), deltas);
        self.heard.refusal.push_str(words.refusal.as_str().unwrap_or_default());
        self.heard.ended(choice.ending.as_str());
        true
    }

    fn whole(&mut self, answer: Value) -> Result<(), TryError> {
        self.event("", answer, &mut Vec::new())
    }

    fn marked_done(&mut self) {
        self.heard.done = true;
    }

    fn is_done(&self) -> bool {
        self.heard.done
    }

    fn used(&self) -> Usage {
        self.heard.usage
    }

    fn outcome(self) -> Result<WireOutcome, TryError> {
        self.heard.outcome(super::DIALECT.name, ENDINGS)
    }
}

impl ChatAnswer {
    fn envelope(&mut self, chunk: &Value) {
        self.heard.named(chunk.get("model"));
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.heard.usage = Usage {
                input: count(usage, "/prompt_tokens"),
                cached: count(usage, "/prompt_tokens_details/cached_tokens"),
                written: count(usage, "/prompt_tokens_details/cache_write_tokens"),
                output: count(usage, "/completion_tokens"),
                reasoning: count(usage, "/completion_tokens_details/reasoning_tokens"),
            };
            let searches = at(usage, "/server_tool_use/web_search_requests");
            self.heard.searches_said(searches.and_then(Value::as_u64));
            // Some servers say what they charge, as a number.
            let cost = usage.get("cost").and_then(Value::as_f64);
            self.heard.cost = believable_cost(cost);
        }
    }

    fn delta(&mut self, delta: &Value, deltas: &mut Vec<SpeechDelta>) {
        let said = |key: &str| delta.get(key).and_then(Value::as_str).filter(|t| !t.is_empty());
        if said("reasoning_content").or_else(|| said("reasoning")).is_some() {
            self.heard.thinks(deltas);
        }
        self.heard.words(&content(delta.get("content")), deltas);
        self.heard.refusal.push_str(said("refusal").unwrap_or_default());
        let list = |key: &str| delta.get(key).and_then(Value::as_array).into_iter().flatten();
        for annotation in list("annotations") {
            let cited = annotation.get("url_citation").unwrap_or(annotation);
            let text = |key: &str| cited.get(key).and_then(Value::as_str);
            self.heard.source(text("url"), text("title"), text("content"));
        }
        for (place, piece) in list("tool_calls").enumerate() {
            // Pieces of a streamed call share an index; whole calls have none.
            let index = piece.get("index").and_then(Value::as_u64).unwrap_or(place as u64);
            let text = |path: &str| at(piece, path).and_then(Value::as_str).unwrap_or_default();
            let call = self.heard.call(&index.to_string());
            if call.id.is_empty() {
                call.id = text("/id").to_owned();
            }
            call.name.push_str(text("/function/name"));
            match at(piece, "/function/arguments") {
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
