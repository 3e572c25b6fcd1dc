//! Reads a generateContent answer, streamed or whole. The wire has no last word
//! of its own: the finish reason with the counts beside it is taken for it.

use debate::model::{FailureClass, Finish, Usage};
use serde_json::Value;

use crate::SpeechDelta;
use crate::wire::decoder::Listener;
use crate::wire::outcome::{EndReason, EndReasons, PartialAnswer, WireOutcome, at, count};
use crate::wire::try_error::TryError;

#[derive(Debug, Default)]
pub struct Candidates {
    heard: PartialAnswer,
    /// Queries already told, because every piece repeats the metadata.
    queries: Vec<String>,
}

/// The reason for a question that was itself blocked.
const BLOCKED: &str = "prompt blocked";

const FILTERED: EndReason =
    EndReason::Failed(FailureClass::Declined, "a content filter blocked the answer");
const BROKEN_CALL: EndReason =
    EndReason::Failed(FailureClass::Unusable, "it made a call to a tool that cannot be read");

pub const ENDINGS: EndReasons = &[
    ("STOP", EndReason::Finished(Finish::Complete)),
    ("MAX_TOKENS", EndReason::Finished(Finish::CutOff)),
    ("SAFETY", FILTERED),
    ("RECITATION", FILTERED),
    ("LANGUAGE", FILTERED),
    ("BLOCKLIST", FILTERED),
    ("PROHIBITED_CONTENT", FILTERED),
    ("SPII", FILTERED),
    ("IMAGE_SAFETY", FILTERED),
    (BLOCKED, EndReason::Failed(FailureClass::Declined, "a content filter blocked the question")),
    ("MALFORMED_FUNCTION_CALL", BROKEN_CALL),
    ("MALFORMED_RESPONSE", BROKEN_CALL),
    ("UNEXPECTED_TOOL_CALL", BROKEN_CALL),
    ("TOO_MANY_TOOL_CALLS", BROKEN_CALL),
    ("MISSING_THOUGHT_SIGNATURE", BROKEN_CALL),
    ("OTHER", EndReason::Failed(FailureClass::Unusable, "it ended without naming a reason")),
];

impl Listener for Candidates {
    fn event(
        &mut self,
        _: &str,
        mut chunk: Value,
        deltas: &mut Vec<SpeechDelta>,
    ) -> Result<(), TryError> {
        let parts = chunk.pointer_mut("/candidates/0/content/parts");
        let parts = parts.and_then(Value::as_array_mut).map(std::mem::take);
        let chunk = &chunk;
        let known = ["candidates", "usageMetadata", "promptFeedback", "modelVersion"];
        self.heard.anything |= known.iter().any(|key| chunk.get(key).is_some());
        self.heard.named(chunk.get("modelVersion"));
        let counted = chunk.get("usageMetadata").filter(|usage| usage.is_object());
        if let Some(usage) = counted {
            self.usage(usage);
        }
        if at(chunk, "/promptFeedback/blockReason").is_some_and(Value::is_string) {
            self.heard.ended(Some(BLOCKED));
        }
        let Some(candidate) = at(chunk, "/candidates/0") else { return Ok(()) };
        for part in parts.into_iter().flatten() {
            self.part(part, deltas);
        }
        if let Some(grounding) = candidate.get("groundingMetadata") {
            self.grounding(grounding, deltas);
        }
        self.heard.ended(candidate.get("finishReason").and_then(Value::as_str));
        self.heard.done |= self.heard.reason.is_some() && counted.is_some();
        Ok(())
    }

    fn whole(&mut self, answer: Value) -> Result<(), TryError> {
        // Without `alt=sse` a stream comes as one list of chunks.
        let chunks = match answer {
            Value::Array(chunks) => chunks,
            one => vec![one],
        };
        chunks.into_iter().try_for_each(|chunk| self.event("", chunk, &mut Vec::new()))
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

impl Candidates {
    fn usage(&mut self, usage: &Value) {
        let sum = |a: Option<u64>, b: Option<u64>| a.map(|a| a + b.unwrap_or(0));
        let thoughts = count(usage, "/thoughtsTokenCount");
        self.heard.usage = Usage {
            input: sum(count(usage, "/promptTokenCount"), count(usage, "/toolUsePromptTokenCount")),
            cached: count(usage, "/cachedContentTokenCount"),
            // Thoughts are paid as output, but counted apart.
            output: sum(count(usage, "/candidatesTokenCount"), thoughts),
            reasoning: thoughts,
            written: None,
        };
    }

    fn part(&mut self, part: Value, deltas: &mut Vec<SpeechDelta>) {
        let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
        if part.get("thought") == Some(&Value::Bool(true)) {
            self.heard.thinks(deltas);
        } else {
            self.heard.words(text, deltas);
        }
        if let Some(wanted) = part.get("functionCall") {
            let said = |key: &str| wanted.get(key).and_then(Value::as_str).unwrap_or_default();
            // Calls come whole, so each one is a call of its own.
            let key = format!("{}", self.heard.calls.len());
            let call = self.heard.call(&key);
            call.id = said("id").to_owned();
            call.name = said("name").to_owned();
            call.arguments = wanted.get("args").map(Value::to_string).unwrap_or_default();
        }
        self.heard.parts.push(part);
    }

    fn grounding(&mut self, grounding: &Value, deltas: &mut Vec<SpeechDelta>) {
        let list = |key: &str| grounding.get(key).and_then(Value::as_array).into_iter().flatten();
        for query in list("webSearchQueries").filter_map(Value::as_str) {
            if !self.queries.iter().any(|told| told == query) {
                self.queries.push(query.to_owned());
                self.heard.searched(query, deltas);
            }
        }
        let pages: Vec<(Option<&str>, Option<&str>)> = list("groundingChunks")
            .map(|chunk| {
                let text = |path: &str| at(chunk, path).and_then(Value::as_str);
                (text("/web/uri"), text("/web/title"))
            })
            .collect();
        for (url, title) in &pages {
            self.heard.source(*url, *title, None);
        }
        for support in list("groundingSupports") {
            let span = at(support, "/segment/text").and_then(Value::as_str);
            let indices = support.get("groundingChunkIndices").and_then(Value::as_array);
            for index in indices.into_iter().flatten().filter_map(Value::as_u64) {
                let page = usize::try_from(index).ok().and_then(|index| pages.get(index));
                if let Some((url, title)) = page {
                    self.heard.source(*url, *title, span);
                }
            }
        }
    }
}
