//! The responses format: requests as the server sees them, and answers read.

use debate::model::{FailureClass, Finish, MicroUsd, Task};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{OPENAI, PERPLEXITY, adapt, openai_request};
use crate::conversation::{Prompt, RawTurn};
use crate::wire::dialect::{AnswerFormat, Keep, OutputLimit, ServerLimits, Target};
use crate::wire::tests::sample::{self, answer, ask, calls, exchange, heard, requests, target};

#[test]
fn requests_as_the_server_sees_them() {
    for (name, request) in requests(&target("openai", "gpt-6.1-sol")) {
        insta::assert_json_snapshot!(format!("openai_{name}"), request);
    }
    for (name, request) in requests(&target("perplexity", "perplexity/sonar")) {
        insta::assert_json_snapshot!(format!("perplexity_{name}"), request);
    }
    for (name, request) in requests(&target("xai", "grok-4.7")) {
        insta::assert_json_snapshot!(format!("xai_{name}"), request);
    }
}

#[test]
fn sealed_reasoning_goes_back_before_the_results() {
    let item = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "sealed"});
    let so_far = [exchange(Some(RawTurn { dialect: "responses".into(), parts: json!([item]) }))];
    let ask = ask(Task::Speak);
    let prompt = Prompt { so_far: &so_far, ..Prompt::plain(&ask) };
    let manners = ServerLimits::new(OutputLimit::MaxTokens);
    let sent = openai_request(&prompt, &target("openai", "m"), manners).to_value();
    assert_eq!(sent["input"][1], item);
    assert_eq!(sent["input"][2]["type"], "function_call_output");
    assert_eq!(sent["store"], false);
}

#[test]
fn answers_and_steps_are_kept_where_the_server_allows_it() {
    let keeping = Target { keep: Keep::Fetchable, ..target("openai", "m") };
    let ask = ask(Task::Speak);
    let plain = Prompt::plain(&ask);
    let manners = ServerLimits::new(OutputLimit::MaxTokens);
    let sent = openai_request(&plain, &keeping, manners).to_value();
    assert_eq!((&sent["background"], &sent["store"]), (&json!(true), &json!(true)));
    // The steps before it are written down here, so each of several is of use.
    let so_far = [exchange(None)];
    let step = openai_request(&Prompt { so_far: &so_far, ..plain }, &keeping, manners).to_value();
    assert_eq!((&step["background"], &step["store"]), (&json!(true), &json!(true)));
    let refused = adapt(manners, "Background mode is not supported for this organization").unwrap();
    assert!(!refused.kept);
    assert_eq!(openai_request(&plain, &keeping, refused).to_value().get("background"), None);
}

#[test]
fn what_the_server_refuses_is_asked_for_in_another_way() {
    let manners = ServerLimits::new(OutputLimit::MaxTokens);
    let object = adapt(manners, "'text.format' of type 'json_schema' is not supported").unwrap();
    assert_eq!(object.format, AnswerFormat::Object);
    assert_eq!(adapt(object, "text.format is not supported").unwrap().format, AnswerFormat::Words);
    assert_eq!(adapt(manners, "input: field required"), None);
}

fn last(kind: &str, response: &Value) -> String {
    format!("data: {}\n\n", json!({"type": kind, "response": response}))
}

fn message(text: &str) -> Value {
    json!({"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": text,
    "annotations": [
        {"type": "url_citation", "url": "https://a.example", "title": "A", "start_index": 0, "end_index": 3},
        {"type": "url_citation", "url": "https://a.example", "title": "A", "start_index": 4, "end_index": 6},
    ]}]})
}

fn stream(text: &str) -> String {
    let delta = json!({"type": "response.output_text.delta", "delta": text});
    let search = json!({"type": "web_search_call", "id": "ws_1", "action": {"query": "tea"}});
    let usage = json!({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 40},
        "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 5}});
    let response = json!({"model": "gpt-6.1-sol", "status": "completed", "usage": usage,
        "output": [search, message(text)]});
    let done = json!({"type": "response.output_item.done", "item": search});
    format!("data: {delta}\n\ndata: {done}\n\n{}", last("response.completed", &response))
}

#[test]
fn text_sources_and_counts_are_read_once() {
    let reply = answer(heard(&OPENAI, &stream("Tea is fine.")).unwrap());
    assert_eq!((reply.text.as_str(), reply.searches), ("Tea is fine.", 1));
    assert_eq!(reply.sources.len(), 1);
    assert_eq!(reply.sources[0].snippet.as_deref(), Some("Tea"));
    let usage = reply.bill.usage;
    assert_eq!((usage.input, usage.cached), (Some(100), Some(40)));
    assert_eq!((usage.output, usage.reasoning), (Some(20), Some(5)));
}

#[test]
fn endings_mean_what_they_say() {
    let response = |status: &str, more: Value| {
        let mut response = json!({"status": status, "output": [message("Half")]});
        response.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        heard(&OPENAI, &last("response.completed", &response)).map_err(|trouble| trouble.class)
    };
    let cut = json!({"incomplete_details": {"reason": "max_output_tokens"}});
    assert_eq!(answer(response("incomplete", cut.clone()).unwrap()).finish, Finish::CutOff);
    // It calls itself complete all the same.
    assert_eq!(answer(response("completed", cut).unwrap()).finish, Finish::CutOff);
    let filtered = json!({"incomplete_details": {"reason": "content_filter"}});
    assert_eq!(response("incomplete", filtered), Err(FailureClass::Declined));
    for (code, class) in [
        ("server_error", FailureClass::Overloaded),
        ("rate_limit_exceeded", FailureClass::RateLimited),
        ("invalid_prompt", FailureClass::Declined),
        ("a_code_of_tomorrow", FailureClass::Unusable),
    ] {
        let error = json!({"error": {"code": code, "message": "no"}});
        assert_eq!(response("failed", error), Err(class), "{code}");
    }
    assert_eq!(response("failed", json!({})), Err(FailureClass::Unusable));
    assert_eq!(response("cancelled", json!({})), Err(FailureClass::Overloaded));
}

#[test]
fn calls_and_refusals_are_told_apart_from_answers() {
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1",
        "name": "search_web", "arguments": "{\"query\":\"tea\"}"});
    let body = json!({"status": "completed", "output": [call]});
    let calls = calls(heard(&OPENAI, &body.to_string()).unwrap());
    assert_eq!(calls.wanted[0].id, "call_1");
    assert_eq!(calls.wanted[0].arguments, json!({"query": "tea"}));
    assert_eq!(calls.raw.unwrap().parts, json!([call]));
    let refusal = json!({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]});
    let body = json!({"status": "completed", "output": [refusal]});
    let trouble = heard(&OPENAI, &body.to_string()).unwrap_err();
    assert_eq!(trouble.class, FailureClass::Declined);
}

#[test]
fn perplexity_names_its_sources_and_its_price() {
    // Nobody is paid for asking.
    for (said, believed) in [(0.0125, Some(MicroUsd(12_500))), (-1.0, None)] {
        assert_eq!(crate::wire::outcome::believable_cost(Some(said)), believed);
    }
    let body = json!({
        "model": "perplexity/sonar", "status": "completed",
        "output": [
            {"type": "search_results", "queries": ["tea"], "results": [
                {"id": 1, "url": "https://a.example", "title": "A", "snippet": "Tea is a drink."},
            ]},
            {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Tea [1]"}]},
        ],
        "usage": {"input_tokens": 10, "output_tokens": 5, "cost": {"total_cost": 0.0125},
            "input_tokens_details": {"cache_read_input_tokens": 4},
            "tool_calls_details": {"search_web": {"invocation": 2}}},
    });
    let reply = answer(heard(&PERPLEXITY, &body.to_string()).unwrap());
    assert_eq!(reply.sources[0].snippet.as_deref(), Some("Tea is a drink."));
    assert_eq!((reply.searches, reply.bill.usage.cached), (2, Some(4)));
    assert_eq!(reply.bill.cost, Some(MicroUsd(12_500)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn pieces_do_not_matter_and_no_bytes_make_it_panic(
        text in "\\PC{1,40}",
        size in 1usize..60,
        noise in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let cut = sample::read_in_pieces(&OPENAI, &stream(&text), size);
        match cut {
            Ok(outcome) => prop_assert_eq!(answer(outcome).text, text),
            Err(_) => prop_assert!(text.trim().is_empty()),
        }
        let mut decoder = (OPENAI.decoder)();
        let _ = decoder.push(&[b"data: {\"type\":".as_slice(), &noise, b"\n\n"].concat());
        let _ = decoder.finish();
    }
}
