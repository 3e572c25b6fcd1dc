//! Reads a Messages answer: a list of blocks, begun, filled and closed one
//! after the other. What counts as an answer is decided in
//! [`crate::wire::outcome`].

use debate::model::{FailureClass, Finish, Usage};
use serde_json::{Value, json};

use crate::SpeechDelta;
use crate::wire::decoder::Listener;
use crate::wire::outcome::{EndReason, EndReasons, PartialAnswer, WireOutcome, count};
use crate::wire::try_error::TryError;

#[derive(Debug, Default)]
pub struct Messages {
    heard: PartialAnswer,
    counts: TokenCounts,
    /// The block that is being filled, with the pieces of its input.
    open: Option<(Value, String)>,
}

/// The server counts what was cached apart from the rest.
#[derive(Debug, Default)]
struct TokenCounts {
    fresh: Option<u64>,
    read: Option<u64>,
    written: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

pub const ENDINGS: EndReasons = &[
    ("end_turn", EndReason::Finished(Finish::Complete)),
    ("stop_sequence", EndReason::Finished(Finish::Complete)),
    ("max_tokens", EndReason::Finished(Finish::CutOff)),
    ("model_context_window_exceeded", EndReason::Finished(Finish::CutOff)),
    ("tool_use", EndReason::Calls),
    ("pause_turn", EndReason::Paused),
    ("refusal", EndReason::Failed(FailureClass::Declined, "the model declined to answer")),
];

impl Listener for Messages {
    fn event(
        &mut self,
        _: &str,
        data: &Value,
        deltas: &mut Vec<SpeechDelta>,
    ) -> Result<(), TryError> {
        self.heard.anything |= data.get("type").is_some();
        match data.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                let message = data.get("message").unwrap_or(&Value::Null);
                self.heard.named(message.get("model"));
                self.usage(message.get("usage"));
            }
            "content_block_start" => {
                self.close();
                let block = data.get("content_block").cloned().unwrap_or(Value::Null);
                self.begin(&block, deltas);
                self.open = Some((block, String::new()));
            }
            "content_block_delta" => {
                self.fill(data.get("delta").unwrap_or(&Value::Null), deltas);
            }
            "content_block_stop" => self.close(),
            "message_delta" => {
                self.usage(data.get("usage"));
                self.heard.ended(data.pointer("/delta/stop_reason").and_then(Value::as_str));
            }
            "message_stop" => self.heard.done = true,
            // Pings, and kinds of events that are yet to come.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, answer: &Value) -> Result<(), TryError> {
        self.heard.anything = answer.get("content").is_some();
        self.heard.named(answer.get("model"));
        for block in answer.get("content").and_then(Value::as_array).into_iter().flatten() {
            self.begin(block, &mut Vec::new());
            self.open = Some((block.clone(), String::new()));
            self.close();
        }
        // Last, because its own count of searches beats what was seen of them.
        self.usage(answer.get("usage"));
        self.heard.ended(answer.get("stop_reason").and_then(Value::as_str));
        Ok(())
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

    fn outcome(mut self) -> Result<WireOutcome, TryError> {
        self.close();
        self.heard.outcome(super::DIALECT.name, ENDINGS)
    }
}

impl Messages {
    fn usage(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let counts = &mut self.counts;
        let newer = |path: &str, old: Option<u64>| count(usage, path).or(old);
        counts.fresh = newer("/input_tokens", counts.fresh);
        counts.read = newer("/cache_read_input_tokens", counts.read);
        counts.written = newer("/cache_creation_input_tokens", counts.written);
        counts.output = newer("/output_tokens", counts.output);
        counts.thinking = newer("/output_tokens_details/thinking_tokens", counts.thinking);
        let cached = counts.read.unwrap_or(0) + counts.written.unwrap_or(0);
        self.heard.usage = Usage {
            input: counts.fresh.map(|fresh| fresh + cached),
            cached: counts.read,
            written: counts.written,
            output: counts.output,
            reasoning: counts.thinking,
        };
        let searches = count(usage, "/server_tool_use/web_search_requests");
        self.heard.searches_said(searches);
    }

    /// A block as it begins; in an answer of one piece it is already whole.
    fn begin(&mut self, block: &Value, deltas: &mut Vec<SpeechDelta>) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "text" => {
                self.heard.words(text("text"), deltas);
                for cited in block.get("citations").and_then(Value::as_array).into_iter().flatten()
                {
                    self.cite(cited);
                }
            }
            "thinking" | "redacted_thinking" => self.heard.thinks(deltas),
            "server_tool_use" if text("name") == "web_search" => {
                let query = block.pointer("/input/query").and_then(Value::as_str);
                self.heard.searched(query.unwrap_or_default(), deltas);
            }
            "web_search_tool_result" => {
                for found in block.get("content").and_then(Value::as_array).into_iter().flatten() {
                    let text = |key: &str| found.get(key).and_then(Value::as_str);
                    self.heard.source(text("url"), text("title"), None);
                }
            }
            _ => {}
        }
    }

    fn cite(&mut self, cited: &Value) {
        let text = |key: &str| cited.get(key).and_then(Value::as_str);
        self.heard.source(text("url"), text("title"), text("cited_text"));
    }

    fn fill(&mut self, delta: &Value, deltas: &mut Vec<SpeechDelta>) {
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            "text_delta" => self.heard.words(text("text"), deltas),
            "thinking_delta" => self.heard.thinks(deltas),
            "citations_delta" => {
                if let Some(cited) = delta.get("citation") {
                    self.cite(cited);
                }
            }
            _ => {}
        }
        let Some((block, input)) = &mut self.open else { return };
        let mut append = |key: &str, more: &str| {
            let so_far = block.get(key).and_then(Value::as_str).unwrap_or_default();
            let longer = format!("{so_far}{more}");
            if let Some(fields) = block.as_object_mut() {
                fields.insert(key.into(), longer.into());
            }
        };
        match text("type") {
            "text_delta" => append("text", text("text")),
            "thinking_delta" => append("thinking", text("thinking")),
            "signature_delta" => append("signature", text("signature")),
            "input_json_delta" => input.push_str(text("partial_json")),
            "citations_delta" => {
                let cited = delta.get("citation").cloned().unwrap_or_default();
                match block.get_mut("citations").and_then(Value::as_array_mut) {
                    Some(all) => all.push(cited),
                    None => {
                        if let Some(fields) = block.as_object_mut() {
                            fields.insert("citations".into(), json!([cited]));
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Ends the open block: it becomes a part to send back, and perhaps a call.
    fn close(&mut self) {
        let Some((mut block, input)) = self.open.take() else { return };
        if !input.is_empty()
            && let Some(fields) = block.as_object_mut()
        {
            let parsed = serde_json::from_str(&input).unwrap_or(Value::Object(Default::default()));
            fields.insert("input".into(), parsed);
        }
        if block.get("type") == Some(&"tool_use".into()) {
            let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
            let whole = block.get("input").map(Value::to_string).unwrap_or_default();
            let call = self.heard.call(text("id"));
            call.id = text("id").to_owned();
            call.name = text("name").to_owned();
            call.arguments = if input.is_empty() { whole } else { input };
        }
        self.heard.parts.push(block);
    }
}
