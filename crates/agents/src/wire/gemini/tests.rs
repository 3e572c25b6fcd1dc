//! Gemini's format: requests as the server sees them, and answers read.

use std::time::Duration;

use debate::model::{FailureClass, Finish, Task};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{DIALECT, adapt};
use crate::conversation::{Prompt, RawTurn};
use crate::wire::dialect::{AnswerFormat, NativeSearch, OutputLimit, ServerLimits, Target};
use crate::wire::tests::sample::{self, answer, ask, calls, exchange, heard, requests, target};

/// The request as the server reads it.
fn request(prompt: &Prompt<'_>, target: &Target, manners: ServerLimits) -> Value {
    super::request(prompt, target, manners).to_value()
}

#[test]
fn requests_as_the_server_sees_them() {
    for (name, request) in requests(&target("gemini", "gemini-3.8-flash")) {
        insta::assert_json_snapshot!(name, request);
    }
    let target = target("gemini", "gemini-3.8-flash");
    let path = (DIALECT.path)(&target);
    assert_eq!(
        target.url(&path),
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse"
    );
}

#[test]
fn a_name_cannot_lead_elsewhere() {
    let path = (DIALECT.path)(&target("gemini", "../x?key=1#é"));
    assert_eq!(path, "models/%2E%2E/x%3Fkey%3D1%23%C3%A9:streamGenerateContent?alt=sse");
}

#[test]
fn both_kinds_of_tools_go_together_only_when_said() {
    let ask = ask(Task::Speak);
    let tools = [sample::tool()];
    let prompt = Prompt { tools: &tools, ..Prompt::plain(&ask) };
    let target = Target { search: NativeSearch::Native, ..target("gemini", "m") };
    let sent = request(&prompt, &target, ServerLimits::new(OutputLimit::MaxTokens));
    assert_eq!(sent["toolConfig"]["includeServerSideToolInvocations"], true);
    assert_eq!(sent["tools"].as_array().unwrap().len(), 2);
}

#[test]
fn signed_thoughts_go_back_and_only_real_ids_are_repeated() {
    let part = json!({"functionCall": {"name": "search_web", "args": {}}, "thoughtSignature": "s"});
    let mut made = exchange(Some(RawTurn { dialect: "gemini".into(), parts: json!([part]) }));
    made.results[0].id = "call-1".into();
    let so_far = [made];
    let ask = ask(Task::Speak);
    let prompt = Prompt { so_far: &so_far, ..Prompt::plain(&ask) };
    let sent = request(&prompt, &target("gemini", "m"), ServerLimits::new(OutputLimit::MaxTokens));
    assert_eq!(sent["contents"][1]["parts"][0], part);
    let told = &sent["contents"][2]["parts"];
    assert_eq!(told[0]["functionResponse"].get("id"), None);
    assert_eq!(told[1]["functionResponse"]["id"], "toolu_2");
    assert!(told[1]["functionResponse"]["response"].get("error").is_some());
}

fn chunk(parts: &Value, more: Value) -> String {
    let mut candidate = json!({"content": {"parts": parts}, "index": 0});
    candidate.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("data: {}\n\n", json!({"candidates": [candidate], "modelVersion": "gemini-3.8-flash"}))
}

const USAGE: &str = "data: {\"usageMetadata\":{\"promptTokenCount\":80,\"toolUsePromptTokenCount\":20,\"cachedContentTokenCount\":40,\"candidatesTokenCount\":15,\"thoughtsTokenCount\":5}}\n\n";

fn stream(reason: &str) -> String {
    let grounding = json!({"finishReason": reason, "groundingMetadata": {
        "webSearchQueries": ["tea"],
        "groundingChunks": [
            {"web": {"uri": "https://a.example", "title": "A"}},
            {"web": {"uri": "https://b.example", "title": "B"}},
        ],
        "groundingSupports": [
            {"segment": {"text": "Tea is fine."}, "groundingChunkIndices": [1, 7]},
        ],
    }});
    let thought = chunk(&json!([{"text": "hm", "thought": true}]), json!({}));
    let words = chunk(&json!([{"text": "Tea "}]), json!({}));
    let end = chunk(&json!([{"text": "is fine.", "thoughtSignature": "s"}]), grounding);
    format!("{USAGE}{thought}{words}{end}")
}

#[test]
fn text_sources_and_counts_are_read() {
    let reply = answer(heard(&DIALECT, &stream("STOP")).unwrap());
    assert_eq!((reply.text.as_str(), reply.searches), ("Tea is fine.", 1));
    let quoted: Vec<_> = reply.sources.iter().map(|s| s.snippet.as_deref()).collect();
    assert_eq!(quoted, [None, Some("Tea is fine.")]);
    let usage = reply.bill.usage;
    assert_eq!((usage.input, usage.cached), (Some(100), Some(40)));
    assert_eq!((usage.output, usage.reasoning), (Some(20), Some(5)));
}

#[test]
fn reasons_mean_what_they_say() {
    let class = |reason| heard(&DIALECT, &stream(reason)).map_err(|trouble| trouble.class);
    assert_eq!(answer(class("MAX_TOKENS").unwrap()).finish, Finish::CutOff);
    for reason in ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"] {
        assert_eq!(class(reason), Err(FailureClass::Declined), "{reason}");
    }
    for reason in ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER", "BORED"] {
        assert_eq!(class(reason), Err(FailureClass::Unusable), "{reason}");
    }
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    let trouble = heard(&DIALECT, &blocked.to_string()).unwrap_err();
    assert_eq!(trouble.class, FailureClass::Declined);
}

#[test]
fn calls_come_whole_and_get_ids_where_they_have_none() {
    let call = |name: &str| json!({"functionCall": {"name": name, "args": {"query": name}}});
    let body = chunk(&json!([call("a"), call("b")]), json!({"finishReason": "STOP"}));
    let calls = calls(heard(&DIALECT, &body).unwrap());
    let ids: Vec<_> = calls.wanted.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call-1", "call-2"]);
    assert_eq!(calls.raw.unwrap().parts, json!([call("a"), call("b")]));
}

#[test]
fn a_list_of_chunks_reads_like_a_stream() {
    let list = json!([
        {"candidates": [{"content": {"parts": [{"text": "Tea "}]}}]},
        {"candidates": [{"content": {"parts": [{"text": "is fine."}]}, "finishReason": "STOP"}]},
    ]);
    assert_eq!(answer(heard(&DIALECT, &list.to_string()).unwrap()).text, "Tea is fine.");
}

#[test]
fn quotas_of_the_minute_are_waited_for_and_those_of_the_day_are_not() {
    let body = |quota: &str| {
        json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota.",
            "details": [{"violations": [{"quotaId": quota}]}, {"retryDelay": "3.5s"}]}})
        .to_string()
    };
    let minute = (DIALECT.complaint)(429, &body("GenerateRequestsPerMinute"));
    assert_eq!(minute.class, FailureClass::RateLimited);
    assert_eq!(minute.wait, Some(Duration::from_millis(3500)));
    let day = (DIALECT.complaint)(429, &body("GenerateRequestsPerDayPerProject"));
    assert_eq!(day.class, FailureClass::OutOfCredit);
    let manners = ServerLimits::new(OutputLimit::MaxTokens);
    let refused = "Function calling with a response mime type: 'application/json' is unsupported";
    assert_eq!(adapt(manners, refused).unwrap().format, AnswerFormat::Object);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn pieces_do_not_matter_and_no_bytes_make_it_panic(
        size in 1usize..60,
        noise in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let whole = answer(heard(&DIALECT, &stream("STOP")).unwrap());
        let cut = answer(sample::read_in_pieces(&DIALECT, &stream("STOP"), size).unwrap());
        prop_assert_eq!(whole, cut);
        let mut decoder = (DIALECT.decoder)();
        let _ = decoder.push(&[b"data: {\"candidates\":".as_slice(), &noise, b"\n\n"].concat());
        let _ = decoder.finish();
    }
}
