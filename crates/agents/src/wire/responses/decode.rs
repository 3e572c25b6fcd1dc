//! Reads a Responses answer: items that are added, filled and done, and one last
//! event that says how it all ended. What counts as an answer is decided in
//! [`crate::wire::outcome`].

use debate::model::{FailureClass, Finish, Usage};
use serde_json::Value;

use super::peeked::{
    COMPLETED, CompletedPeek, EventPeek, ItemPeek, first_type, is_frequent, item_key,
};
use crate::SpeechDelta;
use crate::wire::decoder::Listener;
use crate::wire::error_body;
use crate::wire::outcome::{
    EndReason, EndReasons, PartialAnswer, WireOutcome, at, believable_cost, count,
};
use crate::wire::peek::{Peek, peek};
use crate::wire::try_error::TryError;

#[derive(Debug, Default)]
pub struct ResponsesAnswer {
    heard: PartialAnswer,
    /// Items already entered: some servers repeat them in the last event.
    entered: Vec<String>,
    id: Option<String>,
}

pub const ENDINGS: EndReasons = &[
    ("completed", EndReason::Finished(Finish::Complete)),
    ("max_output_tokens", EndReason::Finished(Finish::CutOff)),
    ("max_tokens", EndReason::Finished(Finish::CutOff)),
    (
        "content_filter",
        EndReason::Failed(FailureClass::Declined, "a content filter blocked the answer"),
    ),
    ("cancelled", EndReason::Failed(FailureClass::Overloaded, "the provider cancelled the answer")),
    ("failed", EndReason::Failed(FailureClass::Unusable, "it failed without saying why")),
];

/// The server's own count of its searches, in the usage.
const SEARCHES: &str = "/tool_calls_details/search_web/invocation";

impl Listener for ResponsesAnswer {
    fn event(
        &mut self,
        kind: &str,
        mut data: Value,
        deltas: &mut Vec<SpeechDelta>,
    ) -> Result<(), TryError> {
        let item = data.get_mut("item").map(Value::take);
        let named = data.get_mut("type").map(Value::take);
        let named = named.as_ref().and_then(Value::as_str).unwrap_or(kind);
        self.heard.anything |= named.starts_with("response.");
        let text = |key: &str| data.get(key).and_then(Value::as_str).unwrap_or_default();
        match named {
            "response.output_text.delta" => self.heard.words(text("delta"), deltas),
            "response.refusal.delta" => self.heard.refusal.push_str(text("delta")),
            "response.output_text.annotation.added" => {
                if let Some(annotation) = data.get("annotation") {
                    self.annotation(annotation, None);
                }
            }
            "response.output_item.added" => match item_type(item.as_ref()) {
                "reasoning" => self.heard.thinks(deltas),
                "web_search_call" => deltas.push(SpeechDelta::Searching(String::new())),
                _ => {}
            },
            "response.output_item.done" => {
                if let Some(item) = item {
                    self.item(item, false, deltas);
                }
            }
            COMPLETED | "response.incomplete" | "response.failed" | "response.cancelled" => {
                let response = data.get_mut("response").map(Value::take);
                self.terminal(response.unwrap_or(data))?;
            }
            "response.reasoning.search_results" => self.results(data.get("results")),
            "response.created" | "response.queued" | "response.in_progress" => {
                let id = at(&data, "/response/id").and_then(Value::as_str);
                self.id = id.map(str::to_owned).or(self.id.take());
                self.heard.named(at(&data, "/response/model"));
            }
            _ if named.starts_with("response.reasoning") => self.heard.thinks(deltas),
            _ => {}
        }
        Ok(())
    }

    fn frequent(&mut self, kind: &str, data: &str, deltas: &mut Vec<SpeechDelta>) -> bool {
        let expected = if kind.is_empty() { first_type(data) } else { kind };
        if expected == COMPLETED {
            return self.completed(data);
        }
        if !is_frequent(expected) {
            return false;
        }
        let Some(event) = peek::<EventPeek<'_>>(data) else { return false };
        let named = event.named.as_str().unwrap_or(kind);
        if event.is_odd || !is_frequent(named) {
            return false;
        }
        self.heard.anything = true;
        match named {
            "response.output_text.delta" => {
                self.heard.words(event.delta.as_str().unwrap_or_default(), deltas);
            }
            _ if named.starts_with("response.reasoning") => self.heard.thinks(deltas),
            // What is only said once more, or comes whole when it is done.
            _ => {}
        }
        true
    }

    fn whole(&mut self, answer: Value) -> Result<(), TryError> {
        self.heard.anything = answer.get("output").is_some() || answer.get("status").is_some();
        self.terminal(answer)
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

    fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    fn outcome(self) -> Result<WireOutcome, TryError> {
        self.heard.outcome(super::NAME, ENDINGS)
    }
}

fn item_type(item: Option<&Value>) -> &str {
    item.and_then(|item| item.get("type")).and_then(Value::as_str).unwrap_or_default()
}

impl ResponsesAnswer {
    /// The last event, or a whole answer: it holds everything once more.
    fn terminal(&mut self, mut response: Value) -> Result<(), TryError> {
        self.heard.named(response.get("model"));
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            self.usage(usage);
        }
        if let Some(error) = response.get("error").filter(|error| error.is_object()) {
            return Err(error_body::of_error(error).used(self.heard.usage));
        }
        let is_new = self.heard.text.is_empty();
        let output = response.get_mut("output").and_then(Value::as_array_mut);
        for item in output.map(std::mem::take).into_iter().flatten() {
            self.item(item, is_new, &mut Vec::new());
        }
        // Its own count of searches beats what was seen of them.
        let said = response.get("usage").and_then(|usage| at(usage, SEARCHES));
        self.heard.searches_said(said.and_then(Value::as_u64));
        // A response may call itself complete and name what cut it short.
        let cut = at(&response, "/incomplete_details/reason").and_then(Value::as_str);
        self.heard.ended(cut.or_else(|| response.get("status").and_then(Value::as_str)));
        self.heard.done = true;
        Ok(())
    }

    /// The same for an answer of which all items came before. False where something is new
    /// in it, or not as it should be.
    fn completed(&mut self, data: &str) -> bool {
        let event = peek::<CompletedPeek<'_>>(data).filter(|event| !event.is_odd);
        let (named, response) = match event {
            Some(CompletedPeek { named, response: Some(Peek(response)), .. }) => (named, response),
            _ => return false,
        };
        let is_known = |Peek(item): &Peek<ItemPeek<'_>>| {
            item.key().is_some_and(|key| self.entered.contains(&key))
        };
        let is_usual = named.as_str() == Some(COMPLETED) && !response.is_odd;
        if !is_usual || !response.items.iter().all(is_known) {
            return false;
        }
        self.heard.anything = true;
        self.heard.named_as(response.model.as_str().unwrap_or_default());
        if let Some(usage) = response.usage.filter(Value::is_object) {
            self.usage(&usage);
            let said = at(&usage, SEARCHES);
            self.heard.searches_said(said.and_then(Value::as_u64));
        }
        self.heard.ended(response.status.as_str());
        self.heard.done = true;
        true
    }

    fn usage(&mut self, usage: &Value) {
        self.heard.usage = Usage {
            input: count(usage, "/input_tokens"),
            cached: count(usage, "/input_tokens_details/cached_tokens")
                .or_else(|| count(usage, "/input_tokens_details/cache_read_input_tokens")),
            written: count(usage, "/input_tokens_details/cache_creation_input_tokens"),
            output: count(usage, "/output_tokens"),
            reasoning: count(usage, "/output_tokens_details/reasoning_tokens"),
        };
        let cost = at(usage, "/cost/total_cost").and_then(Value::as_f64);
        self.heard.cost = believable_cost(cost);
    }

    /// Reads an item; `is_new` where its text did not come before it, in pieces.
    fn item(&mut self, item: Value, is_new: bool, deltas: &mut Vec<SpeechDelta>) {
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        let key = item_key(text("type"), text("id"), text("call_id"));
        let key = key.unwrap_or_else(|| item.to_string());
        if self.entered.contains(&key) {
            return;
        }
        self.entered.push(key);
        match text("type") {
            "message" => self.message(&item, is_new, deltas),
            "function_call" => {
                let call = self.heard.call(text("call_id"));
                call.id = text("call_id").to_owned();
                call.name = text("name").to_owned();
                call.arguments = text("arguments").to_owned();
            }
            "web_search_call" => {
                let query = at(&item, "/action/query").and_then(Value::as_str);
                self.heard.searched(query.unwrap_or_default(), deltas);
                let sources = at(&item, "/action/sources").and_then(Value::as_array);
                for source in sources.into_iter().flatten() {
                    let text = |key: &str| source.get(key).and_then(Value::as_str);
                    self.heard.source(text("url"), text("title"), None);
                }
            }
            "search_results" => {
                let queries = item.get("queries").and_then(Value::as_array);
                let query = queries.and_then(|all| all.first()).and_then(Value::as_str);
                self.heard.searched(query.unwrap_or_default(), deltas);
                self.results(item.get("results"));
            }
            _ => {}
        }
        self.heard.parts.push(item);
    }

    fn message(&mut self, item: &Value, is_new: bool, deltas: &mut Vec<SpeechDelta>) {
        for part in item.get("content").and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| part.get(key).and_then(Value::as_str).unwrap_or_default();
            match (text("type"), is_new) {
                ("output_text", true) => self.heard.words(text("text"), deltas),
                ("refusal", _) if self.heard.refusal.is_empty() => {
                    self.heard.refusal.push_str(text("refusal"));
                }
                _ => {}
            }
            for annotation in
                part.get("annotations").and_then(Value::as_array).into_iter().flatten()
            {
                self.annotation(annotation, Some(text("text")));
            }
        }
    }

    /// A cited page, with the words of the answer that rest on it.
    fn annotation(&mut self, annotation: &Value, said: Option<&str>) {
        let text = |key: &str| annotation.get(key).and_then(Value::as_str);
        let at = |key: &str| {
            let index = annotation.get(key).and_then(Value::as_u64);
            index.and_then(|index| usize::try_from(index).ok())
        };
        let span = match (said, at("start_index"), at("end_index")) {
            (Some(said), Some(from), Some(to)) if from < to => {
                Some(said.chars().skip(from).take(to - from).collect::<String>())
            }
            _ => None,
        };
        // A bare link in the text is no quotation.
        let span = span.filter(|span| !text("url").is_some_and(|url| span.contains(url)));
        self.heard.source(text("url"), text("title"), span.as_deref());
    }

    fn results(&mut self, results: Option<&Value>) {
        for result in results.and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| result.get(key).and_then(Value::as_str);
            self.heard.source(text("url"), text("title"), text("snippet"));
        }
    }
}
