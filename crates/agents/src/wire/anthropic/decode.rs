//! Reads a Messages answer: a list of blocks, begun, filled and closed one
//! after the other. What counts as an answer is decided in
//! [`crate::wire::outcome`].

use debate::model::{FailureClass, Finish, Usage};
use serde::de::MapAccess;
use serde_json::{Value, json};

use crate::SpeechDelta;
use crate::wire::decoder::Listener;
use crate::wire::outcome::{EndReason, EndReasons, PartialAnswer, WireOutcome, at, count};
use crate::wire::peek::{Members, Peek, PeekedValue, peek};
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

/// A piece of a block, of the kinds that come by the hundred.
#[derive(Debug, Clone, Copy)]
enum BlockPiece<'d> {
    Text(&'d str),
    Thinking(&'d str),
    /// Of the arguments of a call.
    Input(&'d str),
}

impl<'d> BlockPiece<'d> {
    fn of(named: &str, text: impl Fn(&str) -> &'d str) -> Option<BlockPiece<'d>> {
        match named {
            "text_delta" => Some(BlockPiece::Text(text("text"))),
            "thinking_delta" => Some(BlockPiece::Thinking(text("thinking"))),
            "input_json_delta" => Some(BlockPiece::Input(text("partial_json"))),
            _ => None,
        }
    }
}

const DELTA: &str = "content_block_delta";
const DELTA_START: &str = "{\"type\":\"content_block_delta\"";

/// The members of an event with a piece of a block, and the marks of an error.
#[derive(Debug, Default)]
struct DeltaEventPeek<'d> {
    named: PeekedValue<'d>,
    delta: Option<Peek<BlockPiecePeek<'d>>>,
    is_odd: bool,
}

impl<'d> Members<'d> for DeltaEventPeek<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "type" => self.named = value.next_value()?,
            "delta" => self.delta = Some(value.next_value()?),
            "error" | "object" => {
                self.is_odd |= value.next_value::<PeekedValue<'_>>()? != PeekedValue::Null
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

#[derive(Debug, Default)]
struct BlockPiecePeek<'d> {
    named: PeekedValue<'d>,
    text: PeekedValue<'d>,
    thinking: PeekedValue<'d>,
    input: PeekedValue<'d>,
}

impl<'d> Members<'d> for BlockPiecePeek<'d> {
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error> {
        match name {
            "type" => self.named = value.next_value()?,
            "text" => self.text = value.next_value()?,
            "thinking" => self.thinking = value.next_value()?,
            "partial_json" => self.input = value.next_value()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl BlockPiecePeek<'_> {
    fn piece(&self) -> Option<BlockPiece<'_>> {
        let text = |key: &str| match key {
            "text" => self.text.as_str().unwrap_or_default(),
            "thinking" => self.thinking.as_str().unwrap_or_default(),
            _ => self.input.as_str().unwrap_or_default(),
        };
        BlockPiece::of(self.named.as_str().unwrap_or_default(), text)
    }
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
        mut data: Value,
        deltas: &mut Vec<SpeechDelta>,
    ) -> Result<(), TryError> {
        let block = data.get_mut("content_block").map(Value::take);
        let data = &data;
        self.heard.anything |= data.get("type").is_some();
        match data.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                let message = data.get("message").unwrap_or(&Value::Null);
                self.heard.named(message.get("model"));
                self.usage(message.get("usage"));
            }
            "content_block_start" => {
                self.close();
                let block = block.unwrap_or_default();
                self.begin(&block, deltas);
                self.open = Some((block, String::new()));
            }
            "content_block_delta" => {
                self.fill(data.get("delta").unwrap_or(&Value::Null), deltas);
            }
            "content_block_stop" => self.close(),
            "message_delta" => {
                self.usage(data.get("usage"));
                self.heard.ended(at(data, "/delta/stop_reason").and_then(Value::as_str));
            }
            "message_stop" => self.heard.done = true,
            // Pings, and kinds of events that are yet to come.
            _ => {}
        }
        Ok(())
    }

    fn frequent(&mut self, kind: &str, data: &str, deltas: &mut Vec<SpeechDelta>) -> bool {
        let is_delta = kind == DELTA || kind.is_empty() && data.starts_with(DELTA_START);
        let event = if is_delta { peek::<DeltaEventPeek<'_>>(data) } else { None };
        let Some(event) = event.filter(|event| !event.is_odd) else { return false };
        let (Some(DELTA), Some(Peek(delta))) = (event.named.as_str(), &event.delta) else {
            return false;
        };
        let Some(piece) = delta.piece() else { return false };
        self.heard.anything = true;
        self.add(piece, deltas);
        true
    }

    fn whole(&mut self, answer: Value) -> Result<(), TryError> {
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
                let query = at(block, "/input/query").and_then(Value::as_str);
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
        if let Some(piece) = BlockPiece::of(text("type"), text) {
            return self.add(piece, deltas);
        }
        match text("type") {
            "signature_delta" => self.append("signature", text("signature")),
            "citations_delta" => {
                if let Some(cited) = delta.get("citation") {
                    self.cite(cited);
                }
                let Some((block, _)) = &mut self.open else { return };
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

    /// Adds a piece to the open block and tells it.
    fn add(&mut self, piece: BlockPiece<'_>, deltas: &mut Vec<SpeechDelta>) {
        match piece {
            BlockPiece::Text(text) => {
                self.heard.words(text, deltas);
                self.append("text", text);
            }
            BlockPiece::Thinking(thought) => {
                self.heard.thinks(deltas);
                self.append("thinking", thought);
            }
            BlockPiece::Input(json) => {
                if let Some((_, input)) = &mut self.open {
                    input.push_str(json);
                }
            }
        }
    }

    /// Lengthens a text of the open block.
    fn append(&mut self, key: &str, more: &str) {
        let block = self.open.as_mut().and_then(|(block, _)| block.as_object_mut());
        let Some(fields) = block else { return };
        match fields.get_mut(key) {
            Some(Value::String(text)) => text.push_str(more),
            _ => {
                fields.insert(key.into(), more.into());
            }
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
