//! The chat format: requests as the server sees them, and answers read.

use std::sync::Arc;

use debate::model::{Ask, AskId, FailureClass, Party, SeatId, Task, ToolPolicy, ViewContents};
use proptest::prelude::*;
use serde_json::json;

use super::{ChatDecoder, adapt, error_body, model_names};
use crate::SpeechDelta;
use crate::catalogue::providers;
use crate::conversation::Prompt;
use crate::wire::dialect::{
    AnswerFormat, Decode, EffortField, NativeSearch, OutputLimit, ServerLimits, Target,
};
use crate::wire::outcome::WireOutcome;

fn ask(task: Task) -> Ask {
    Ask {
        id: AskId { round: 1, wave: 0, party: Party::Seat(SeatId(0)), task, about: None },
        agent: Some(0),
        speaker: "Ada".into(),
        system: Arc::new("You sit at a table.".into()),
        user: "Speak to the topic.".into(),
        schema: Arc::new(
            json!({
                "type": "object",
                "properties": {"position": {"type": "string"}},
                "required": ["position"],
                "additionalProperties": false,
            })
            .into(),
        ),
        max_output_tokens: 1024,
        temperature: 0.7,
        timeout_seconds: 60,
        tools: ToolPolicy::NONE,
        form: Default::default(),
        shown: ViewContents::default(),
    }
}

fn target() -> Target {
    Target {
        provider: providers::find("ollama").unwrap(),
        model: "llama3.2".into(),
        base_url: "http://127.0.0.1:11434/v1".into(),
        host: "127.0.0.1:11434".into(),
        key: None,
        headers: Vec::new(),
        search: NativeSearch::Off,
        effort: EffortField::Usual,
        keep: Default::default(),
        facts: crate::catalogue::models::ModelFacts::UNKNOWN,
    }
}

fn request(ask: &Ask, target: &Target, manners: ServerLimits) -> serde_json::Value {
    super::request(&Prompt::plain(ask), target, manners).to_value()
}

fn answer(outcome: WireOutcome) -> debate::model::Reply {
    match outcome {
        WireOutcome::Answer(reply) => *reply,
        other => panic!("no answer: {other:?}"),
    }
}

#[test]
fn a_request_as_the_server_sees_it() {
    let manners = ServerLimits::new(OutputLimit::MaxTokens);
    insta::assert_json_snapshot!("request_schema", request(&ask(Task::Speak), &target(), manners));
    let object = ServerLimits { format: AnswerFormat::Object, ..manners };
    insta::assert_json_snapshot!("request_object", request(&ask(Task::Summary), &target(), object));
    let bare = ServerLimits {
        format: AnswerFormat::Words,
        output_limit: OutputLimit::MaxCompletionTokens,
        temperature: false,
        stream_usage: false,
        effort: false,
        ..manners
    };
    insta::assert_json_snapshot!("request_bare", request(&ask(Task::Speak), &target(), bare));
}

#[test]
fn manners_change_only_for_what_the_server_names() {
    let manners = ServerLimits::new(OutputLimit::MaxTokens);
    assert_eq!(adapt(manners, "messages must not be empty"), None);
    let object = adapt(manners, "unknown field RESPONSE_FORMAT").unwrap();
    assert_eq!(object, ServerLimits { format: AnswerFormat::Object, ..manners });
    let words = adapt(object, "response_format is not supported").unwrap();
    assert_eq!(words.format, AnswerFormat::Words);
    assert_eq!(adapt(words, "response_format is not supported"), None);
}

fn read(body: &[u8]) -> Result<debate::model::Reply, FailureClass> {
    let mut decoder = ChatDecoder::default();
    decoder.push(body).map_err(|trouble| trouble.class)?;
    decoder.finish().map(answer).map_err(|trouble| trouble.class)
}

#[test]
fn parts_sources_and_the_model_that_really_answered_are_read() {
    let body = json!({
        "model": "really-this",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {
            "content": [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}],
            "annotations": [
                {"type": "url_citation", "url_citation": {"url": "https://a.example", "title": "A"}},
                {"type": "url_citation", "url_citation": {"url": "https://a.example", "title": "A"}},
            ],
        }}],
    });
    let reply = read(body.to_string().as_bytes()).unwrap();
    assert_eq!((reply.text.as_str(), reply.model.as_str()), ("one two", "really-this"));
    assert_eq!(reply.sources.len(), 1);
    assert_eq!(reply.sources[0].url.as_deref(), Some("https://a.example"));
}

#[test]
fn thinking_is_told_once_and_kept_out_of_the_answer() {
    let mut decoder = ChatDecoder::default();
    let thought = r#"data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}"#;
    let said =
        r#"data: {"choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}"#;
    let stream = format!("{thought}\n\n{thought}\n\n{said}\n\n");
    let deltas = decoder.push(stream.as_bytes()).unwrap();
    assert_eq!(deltas, [SpeechDelta::Thinking, SpeechDelta::Text("yes".into())]);
    assert_eq!(answer(decoder.finish().unwrap()).text, "yes");
}

#[test]
fn other_choices_and_words_after_the_end_are_ignored() {
    let stream = concat!(
        "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"},\"finish_reason\":\"stop\"},",
        "{\"index\":0,\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"late\"}}]}\n\n",
    );
    assert_eq!(read(stream.as_bytes()).unwrap().text, "yes");
}

#[test]
fn errors_are_told_apart_by_code_before_words_before_number() {
    let cases = [
        (
            429,
            r#"{"error":{"code":"insufficient_quota","message":"rate limit"}}"#,
            FailureClass::OutOfCredit,
        ),
        (429, r#"[{"error":{"code":429,"message":"quota"}}]"#, FailureClass::RateLimited),
        (500, r#"{"error":{"message":"context length of the cache"}}"#, FailureClass::Overloaded),
        (401, r#"{"error":{"message":"rate limit"}}"#, FailureClass::Unauthorised),
        (422, r#"{"detail":[{"loc":["body"],"msg":"bad"}]}"#, FailureClass::BadRequest),
        (
            400,
            r#"{"object":"error","message":"maximum context length is 10"}"#,
            FailureClass::TooLong,
        ),
        (418, "", FailureClass::BadRequest),
        (700, "", FailureClass::Unusable),
    ];
    for (status, body, class) in cases {
        assert_eq!(error_body::of_status(status, body).class, class, "{status} {body}");
    }
}

#[test]
fn models_are_listed_without_embedders() {
    let list = json!({"data": [{"id": "a"}, {"id": "nomic-EMBED-text"}, {"name": "b"}, {}]});
    assert_eq!(model_names(&list), ["a", "b"]);
    assert!(model_names(&json!("nonsense")).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_make_it_panic(body in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&body);
        let _ = read(&[b"data: ".as_slice(), &body, b"\n\n"].concat());
    }

    /// However an answer is cut into pieces, it reads the same.
    #[test]
    fn pieces_do_not_matter(text in "\\PC{1,40}", size in 1usize..9, crlf in any::<bool>()) {
        let chunk = json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]});
        let end = if crlf { "\r\n" } else { "\n" };
        let body = format!("data: {chunk}{end}{end}data: [DONE]{end}{end}");
        let mut decoder = ChatDecoder::default();
        for piece in body.as_bytes().chunks(size) {
            decoder.push(piece).unwrap();
        }
        prop_assert!(decoder.is_done());
        match decoder.finish() {
            Ok(outcome) => prop_assert_eq!(answer(outcome).text, text),
            Err(trouble) => {
                prop_assert!(text.trim().is_empty());
                prop_assert_eq!(trouble.class, FailureClass::Unusable);
            }
        }
    }
}

#[test]
fn openrouter_searches_where_it_is_told_to_and_its_sources_are_kept() {
    use crate::wire::tests::sample::{answer, heard, requests, target};
    for (name, request) in requests(&target("openrouter", "some/model")) {
        insta::assert_json_snapshot!(format!("openrouter_{name}"), request);
    }
    let body = json!({
        "model": "some/model",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "content": "Tea is fine.",
            "annotations": [{"type": "url_citation", "url_citation": {
                "url": "https://a.example", "title": "A", "content": "tea", "start_index": 0,
                "end_index": 3,
            }}],
        }}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 3,
            "server_tool_use": {"web_search_requests": 2}},
    });
    let reply = answer(heard(&super::OPENROUTER, &body.to_string()).unwrap());
    assert_eq!(reply.searches, 2);
    assert_eq!(reply.sources.len(), 1, "{reply:?}");
}
