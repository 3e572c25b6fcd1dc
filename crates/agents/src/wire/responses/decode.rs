//! Reads a Responses answer: items that are added, filled and done, and one last
//! event that says how it all ended. What counts as an answer is decided in
//! [`crate::wire::outcome`].

use debate::model::{FailureClass, Finish, Usage};
use serde::de::MapAccess;
use serde_json::Value;

use crate::SpeechDelta;
use crate::wire::decoder::Listener;
use crate::wire::error_body;
use crate::wire::outcome::{
    EndReason, EndReasons, PartialAnswer, WireOutcome, at, believable_cost, count,
};
use crate::wire::peek::{Members, PeekedValue, peek};
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
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled" => {
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
        if !is_frequent(if kind.is_empty() { first_type(data) } else { kind }) {
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

/// The members that the frequent events have, and the marks of an error.
#[derive(Debug, Default)]
struct EventPeek<'d> {
    named: PeekedValue<'d>,
    delta: PeekedValue<'d>,
    is_odd: bool,
}

impl<'d> Members<'d> for EventPeek<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "type" => self.named = value.next_value()?,
            "delta" => self.delta = value.next_value()?,
            "error" | "object" => {
                self.is_odd |= value.next_value::<PeekedValue<'_>>()? != PeekedValue::Null
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// True for the kinds of events that come by the hundred, and for those that only say
/// once more what came in pieces.
fn is_frequent(named: &str) -> bool {
    match named {
        "response.output_text.delta"
        | "response.output_text.done"
        | "response.content_part.added"
        | "response.content_part.done"
        | "response.function_call_arguments.delta"
        | "response.function_call_arguments.done" => true,
        "response.reasoning.search_results" => false,
        other => other.starts_with("response.reasoning"),
    }
}

/// The type of an event, where it is the first that the event says.
fn first_type(data: &str) -> &str {
    let named = data.strip_prefix("{\"type\":\"").and_then(|rest| rest.split('"').next());
    named.unwrap_or_default()
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
        let said = at(&response, "/usage/tool_calls_details/search_web/invocation");
        self.heard.searches_said(said.and_then(Value::as_u64));
        // A response may call itself complete and name what cut it short.
        let cut = at(&response, "/incomplete_details/reason").and_then(Value::as_str);
        self.heard.ended(cut.or_else(|| response.get("status").and_then(Value::as_str)));
        self.heard.done = true;
        Ok(())
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
        let nameless = text("id").is_empty() && text("call_id").is_empty();
        let key = if nameless {
            item.to_string()
        } else {
            format!("{} {}{}", text("type"), text("id"), text("call_id"))
        };
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
