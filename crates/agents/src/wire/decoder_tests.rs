//! The quick way through the frequent events comes to the same as the one that builds a
//! tree of each.

use proptest::prelude::*;

use super::*;
use crate::wire::anthropic::AnthropicDecoder;
use crate::wire::openai_chat::ChatDecoder;
use crate::wire::responses::ResponsesDecoder;

/// A listener that is never asked for its quick way.
#[derive(Debug, Default)]
struct Slow<L>(L);

impl<L: Listener> Listener for Slow<L> {
    fn event(
        &mut self,
        kind: &str,
        data: Value,
        deltas: &mut Vec<SpeechDelta>,
    ) -> Result<(), TryError> {
        self.0.event(kind, data, deltas)
    }

    fn whole(&mut self, answer: Value) -> Result<(), TryError> {
        self.0.whole(answer)
    }

    fn marked_done(&mut self) {
        self.0.marked_done();
    }

    fn is_done(&self) -> bool {
        self.0.is_done()
    }

    fn used(&self) -> Usage {
        self.0.used()
    }

    fn outcome(self) -> Result<WireOutcome, TryError> {
        self.0.outcome()
    }

    fn id(&self) -> Option<&str> {
        self.0.id()
    }
}

/// Reads the same events both ways and compares everything that is told.
fn agree<L: Listener>(_: BodyReader<L>, events: &[String]) -> Result<(), TestCaseError> {
    let (mut quick, mut slow) = (BodyReader::<L>::default(), BodyReader::<Slow<L>>::default());
    for event in events {
        let told = quick.push(event.as_bytes());
        prop_assert_eq!(&told, &slow.push(event.as_bytes()), "{}", event);
        prop_assert_eq!((quick.is_done(), quick.id()), (slow.is_done(), slow.id()), "{}", event);
        if told.is_err() {
            return Ok(());
        }
    }
    prop_assert_eq!(quick.finish(), slow.finish(), "{:?}", events);
    Ok(())
}

fn agree_everywhere(events: &[String]) -> Result<(), TestCaseError> {
    agree(ResponsesDecoder::default(), events)?;
    agree(AnthropicDecoder::default(), events)?;
    agree(ChatDecoder::default(), events)
}

/// True where the listener took the event in the quick way.
fn is_quick<L: Listener>(_: BodyReader<L>, kind: &str, data: &str) -> bool {
    L::default().frequent(kind, data, &mut Vec::new())
}

const EVENTS: &[&str] = &[
    r#"{"type":"response.created","response":{"id":"resp_1","model":"m"}}"#,
    r#"{"type":"response.output_text.delta","item_id":"i","delta":"Tea","logprobs":[]}"#,
    r#"{"delta":" is \"fine\".\n\ud83c\udf75","type":"response.output_text.delta"}"#,
    r#"{"type":"response.output_text.delta","delta":7,"delta":"twice","error":null}"#,
    r#"{"type":"response.output_text.delta","delta":["a list"]}"#,
    r#"{"type":"response.output_text.delta","delta":"x","error":{"message":"no"}}"#,
    r#"{"type":"response.output_text.delta","delta":"x","object":"error"}"#,
    r#"{"type":"response.output_text.done","text":"Tea is fine."}"#,
    r#"{"type":"response.content_part.done","part":{"text":"Tea"}}"#,
    r#"{"type":"response.reasoning_summary_text.delta","delta":"hm"}"#,
    r#"{"type":"response.reasoning.search_results","results":[{"url":"u","title":"t"}]}"#,
    r#"{"type":"response.function_call_arguments.delta","delta":"{\"q\":"}"#,
    r#"{"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}}"#,
    r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","id":"1","content":[{"type":"output_text","text":"Tea"}]}],"usage":{"input_tokens":3,"output_tokens":4}}}"#,
    r#"{"type":"response.completed","response":{"status":"completed","model":"n","error":null,"incomplete_details":null,"output":[{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}],"usage":{"input_tokens":3,"output_tokens":4,"tool_calls_details":{"search_web":{"invocation":2}}}}}"#,
    r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"nameless"}]}]}}"#,
    r#"{"type":"response.completed","response":{"status":"completed","output":[],"incomplete_details":{"reason":"max_output_tokens"}}}"#,
    r#"{"type":"response.completed","response":{"error":{"code":"server_error"},"usage":{"input_tokens":3}}}"#,
    r#"{"type":"response.completed","response":{"output":"none","usage":7}}"#,
    r#"{"type":"response.completed","response":{"status":7,"usage":null}}"#,
    r#"{"type":"response.completed","response":null}"#,
    r#"{"type":"response.completed","status":"completed","output":[]}"#,
    r#"{"type":"response.completed","error":"no","response":{"status":"completed"}}"#,
    r#"{"type":"response.incomplete","response":{"status":"incomplete","output":[]}}"#,
    r#"{"type":"response.output_text.delta","delta":"half of a pair \ud83c"}"#,
    r#"{"type":"response.output_text.delta","delta":"cut off"#,
    r#"{"type":"message_start","message":{"model":"m","usage":{"input_tokens":3}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"So: "}}"#,
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}"#,
    r#"{"type":"content_block_start","index":2,"content_block":{"type":"thinking"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Tea\n"}}"#,
    r#"{"index":0,"delta":{"text":"é","type":"text_delta"},"type":"content_block_delta"}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"url":"u","title":"t","cited_text":"c"}}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":["text_delta","x"]}"#,
    r#"{"type":"content_block_delta","index":0,"delta":null}"#,
    r#"{"type":"content_block_delta","error":"overloaded"}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}"#,
    r#"{"type":"message_stop"}"#,
    r#"{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}"#,
    r#"{"model":"other","choices":[{"delta":{"content":"Tea \"is\" fine.","refusal":null,"tool_calls":null},"logprobs":null}],"provider":{"name":"p"}}"#,
    r#"{"choices":[{"delta":{"content":[{"type":"text","text":"parts"}]}}]}"#,
    r#"{"choices":[{"delta":{"content":3,"reasoning":"","reasoning_content":"hm"}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"n","arguments":"{}"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"content":"b","annotations":[{"url_citation":{"url":"u","title":"t"}}]}}]}"#,
    r#"{"choices":[{"index":1,"delta":{"content":"second"}},{"index":0,"delta":{"content":"first"}}]}"#,
    r#"{"choices":[{"index":1,"delta":{"content":"only a second"}}]}"#,
    r#"{"choices":[{"message":{"content":"whole"}}]}"#,
    r#"{"choices":[{"delta":null,"message":{"content":"whole"}}]}"#,
    r#"{"choices":[{"delta":["content","x"]}]}"#,
    r#"{"choices":[{"delta":{"refusal":"No."},"finish_reason":"stop"}]}"#,
    r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4,"cost":0.5}}"#,
    r#"{"choices":[]}"#,
    r#"{"choices":null,"usage":null}"#,
    r#"{"object":"error","message":"no","choices":[{"delta":{"content":"x"}}]}"#,
    r#"{"type":"error","choices":[{"delta":{"content":"x"}}]}"#,
    r#"{"error":{"code":"server_error"},"choices":[{"delta":{"content":"x"}}]}"#,
    "[DONE]",
    "[]",
    "7",
];

const KINDS: &[&str] = &[
    "",
    "error",
    "message",
    "content_block_delta",
    "response.output_text.delta",
    "response.completed",
    "response.reasoning_text.delta",
];

fn written(kind: &str, data: &str) -> String {
    match kind {
        "" => format!("data: {data}\n\n"),
        kind => format!("event: {kind}\r\ndata: {data}\r\n\r\n"),
    }
}

#[test]
fn every_event_reads_the_same_in_the_quick_way_and_in_the_slow_one() {
    for data in EVENTS {
        for kind in KINDS {
            agree_everywhere(&[written(kind, data)]).unwrap();
        }
    }
}

#[test]
fn the_end_of_a_conversation_reads_the_same_after_its_items() {
    let of =
        |part: &str| EVENTS.iter().copied().filter(|data| data.contains(part)).collect::<Vec<_>>();
    for before in
        of("output_item.done").into_iter().chain(of("output_text.delta").into_iter().take(2))
    {
        for end in of("response.completed") {
            let events = [written("", before), written("", end), written("", end)];
            agree(ResponsesDecoder::default(), &events).unwrap();
            let kind = "response.completed";
            agree(ResponsesDecoder::default(), &[events[0].clone(), written(kind, end)]).unwrap();
        }
    }
    let mut reader = ResponsesDecoder::default();
    reader.push(written("", of("output_item.done")[0]).as_bytes()).unwrap();
    let end = of("\"model\":\"n\"")[0];
    assert!(reader.listener.frequent("", end, &mut Vec::new()), "all of it is known");
    assert!(!is_quick(ResponsesDecoder::default(), "", end), "its item is new");
}

#[test]
fn words_take_the_quick_way() {
    fn of(part: &'static str) -> impl Iterator<Item = &'static str> {
        EVENTS.iter().copied().filter(move |data| data.contains(part))
    }
    for data in of("Tea").filter(|data| data.starts_with("{\"type\":\"response.output_text")) {
        assert!(is_quick(ResponsesDecoder::default(), "", data), "{data}");
        assert!(!is_quick(ResponsesDecoder::default(), "error", data), "{data}");
    }
    let named = "response.output_text.delta";
    assert!(is_quick(ResponsesDecoder::default(), named, EVENTS[2]));
    for data in of("text_delta\",\"text\":\"Tea").chain(of("partial_json")) {
        assert!(is_quick(AnthropicDecoder::default(), "content_block_delta", data), "{data}");
    }
    for data in of("\"choices\":[{\"delta\":{\"content\":\"Tea").chain(of("assistant")) {
        assert!(is_quick(ChatDecoder::default(), "", data), "{data}");
        assert!(!is_quick(ChatDecoder::default(), "error", data), "{data}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn streams_read_the_same_both_ways(
        picked in proptest::collection::vec(
            (0..KINDS.len() * 3, any::<prop::sample::Index>()),
            1..14,
        ),
    ) {
        let events: Vec<String> = picked
            .iter()
            // Most events of most servers have no kind of their own.
            .map(|(kind, data)| written(KINDS.get(*kind).unwrap_or(&""), EVENTS[data.index(EVENTS.len())]))
            .collect();
        agree_everywhere(&events)?;
    }
}
