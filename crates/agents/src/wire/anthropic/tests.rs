//! Anthropic's format: requests as the server sees them, and answers read.

use debate::model::{FailureClass, Finish, Task};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{DIALECT, adapt};
use crate::conversation::{Prompt, RawTurn};
use crate::wire::dialect::{
    AnswerFormat, NativeSearch, OutputLimit, SearchTool, ServerLimits, Target,
};
use crate::wire::outcome::WireOutcome;
use crate::wire::tests::sample::{self, answer, ask, calls, exchange, heard, requests, target};

/// The request as the server reads it.
fn request(prompt: &Prompt<'_>, target: &Target, manners: ServerLimits) -> Value {
    super::request(prompt, target, manners).to_value()
}

#[test]
fn requests_as_the_server_sees_them() {
    for (name, request) in requests(&target("anthropic", "claude-opus-5-5")) {
        insta::assert_json_snapshot!(name, request);
    }
    let forced =
        ServerLimits { format: AnswerFormat::Tool, ..ServerLimits::new(OutputLimit::MaxTokens) };
    let target = target("anthropic", "claude-opus-5-5");
    let ask = ask(Task::Speak);
    insta::assert_json_snapshot!("submit", request(&Prompt::plain(&ask), &target, forced));
}

#[test]
fn signed_thinking_goes_back_as_it_came() {
    let parts = json!([{"type": "thinking", "thinking": "hm", "signature": "s"}]);
    let raw =
        |dialect: &'static str| Some(RawTurn { dialect: dialect.into(), parts: parts.clone() });
    let ask = ask(Task::Speak);
    let sent = |dialect| {
        let so_far = [exchange(raw(dialect))];
        let prompt = Prompt { so_far: &so_far, ..Prompt::plain(&ask) };
        let manners = ServerLimits::new(OutputLimit::MaxTokens);
        request(&prompt, &target("anthropic", "m"), manners)["messages"][1]["content"].clone()
    };
    assert_eq!(sent("anthropic"), parts);
    assert_ne!(sent("gemini"), parts, "another wire's parts mean nothing here");
}

#[test]
fn what_the_server_refuses_is_asked_for_in_another_way() {
    let manners = ServerLimits::new(OutputLimit::MaxTokens);
    let tool = adapt(manners, "output_config.format: not supported").unwrap();
    assert_eq!(tool.format, AnswerFormat::Tool);
    let words = adapt(tool, "tool_choice forces tool use, which is not supported").unwrap();
    assert_eq!(words.format, AnswerFormat::Words);
    let older = adapt(manners, "tools.0: 'web_search_20260209' is not supported").unwrap();
    assert_eq!(older.search_tool, SearchTool::Older);
    assert_eq!(adapt(manners, "messages: field required"), None);
    let target = Target { search: NativeSearch::Native, ..target("anthropic", "m") };
    let ask = ask(Task::Speak);
    let sent = request(&Prompt::plain(&ask), &target, older);
    assert_eq!(sent["tools"][0]["type"], "web_search_20250305");
}

/// A streamed answer as the documentation shows it: thinking, a search, a
/// citation, two pieces of text.
const STREAM: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"claude-opus-5-5\",\"usage\":{\"input_tokens\":30,\"cache_read_input_tokens\":50,\"cache_creation_input_tokens\":20,\"output_tokens\":2}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"sig\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{}}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"query\\\":\\\"tea\\\"}\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"type\":\"web_search_result\",\"url\":\"https://a.example\",\"title\":\"A\"},{\"type\":\"web_search_result\",\"url\":\"https://b.example\",\"title\":\"B\"}]}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n",
    "event: ping\ndata: {\"type\":\"ping\"}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"text_delta\",\"text\":\"Tea \"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"citations_delta\",\"citation\":{\"type\":\"web_search_result_location\",\"url\":\"https://b.example\",\"title\":\"B\",\"cited_text\":\"Tea is a drink.\"}}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"text_delta\",\"text\":\"is fine.\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":3}\n\n",
);

fn ending(reason: &str) -> String {
    let ended = json!({
        "type": "message_delta", "delta": {"stop_reason": reason},
        "usage": {"output_tokens": 40, "server_tool_use": {"web_search_requests": 1}},
    });
    format!("{STREAM}data: {ended}\n\ndata: {{\"type\":\"message_stop\"}}\n\n")
}

#[test]
fn text_sources_and_counts_are_read() {
    let reply = answer(heard(&DIALECT, &ending("end_turn")).unwrap());
    assert_eq!((reply.text.as_str(), reply.model.as_str()), ("Tea is fine.", "claude-opus-5-5"));
    let usage = reply.bill.usage;
    assert_eq!((usage.input, usage.cached, usage.written), (Some(100), Some(50), Some(20)));
    assert_eq!((usage.output, reply.searches), (Some(40), 1));
    let quoted: Vec<_> =
        reply.sources.iter().map(|s| (s.url.as_deref(), s.snippet.as_deref())).collect();
    let expected =
        [(Some("https://a.example"), None), (Some("https://b.example"), Some("Tea is a drink."))];
    assert_eq!(quoted, expected);
}

#[test]
fn reasons_mean_what_they_say() {
    let class = |reason| heard(&DIALECT, &ending(reason)).map_err(|trouble| trouble.class);
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        assert_eq!(answer(class(reason).unwrap()).finish, Finish::CutOff);
    }
    assert_eq!(class("refusal"), Err(FailureClass::Declined));
    assert_eq!(class("bored"), Err(FailureClass::Unusable));
    let WireOutcome::Paused(paused) = class("pause_turn").unwrap() else { panic!("not paused") };
    let parts = paused.raw.unwrap().parts;
    assert_eq!(parts[0]["signature"], "sig");
    assert_eq!(parts[1]["input"]["query"], "tea");
    assert_eq!(parts[3]["text"], "Tea is fine.");
    assert_eq!(parts[3]["citations"][0]["cited_text"], "Tea is a drink.");
}

#[test]
fn calls_are_put_together_from_their_pieces() {
    let body = concat!(
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"search_web\",\"input\":{}}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"query\\\": \\\"t\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"ea\\\"}\"}}\n\n",
        "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"now\",\"input\":{}}}\n\n",
        "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n",
        "data: {\"type\":\"message_stop\"}\n\n",
    );
    let calls = calls(heard(&DIALECT, body).unwrap());
    assert_eq!(calls.wanted.len(), 2);
    assert_eq!(
        (calls.wanted[0].id.as_str(), &calls.wanted[0].arguments),
        ("toolu_1", &json!({"query": "tea"}))
    );
    assert_eq!(calls.wanted[1].arguments, json!({}));
}

#[test]
fn an_answer_handed_in_by_tool_is_the_answer() {
    let body = json!({
        "model": "m", "stop_reason": "tool_use", "content": [
            {"type": "text", "text": "Here it is."},
            {"type": "tool_use", "id": "t", "name": "submit_response", "input": {"position": "yes"}},
        ],
    });
    let reply = answer(heard(&DIALECT, &body.to_string()).unwrap());
    assert_eq!(reply.text, r#"{"position":"yes"}"#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn pieces_do_not_matter_and_no_bytes_make_it_panic(
        size in 1usize..60,
        noise in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let whole = answer(heard(&DIALECT, &ending("end_turn")).unwrap());
        let cut = answer(sample::read_in_pieces(&DIALECT, &ending("end_turn"), size).unwrap());
        prop_assert_eq!(whole, cut);
        let mut decoder = (DIALECT.decoder)();
        let _ = decoder.push(&[b"data: {\"type\":".as_slice(), &noise, b"\n\n"].concat());
        let _ = decoder.finish();
    }
}

#[test]
fn files_that_every_round_sends_again_end_with_a_cache_point() {
    let mut asked = ask(Task::Speak);
    asked.user = "# Topic\n\nTea?\n\nThe files.\n\n# Round 1".into();
    asked.shown.same_bytes = asked.user.find("\n\n# Round").unwrap();
    let manners = ServerLimits::new(OutputLimit::MaxTokens);
    let body = request(&Prompt::plain(&asked), &target("anthropic", "m"), manners);
    let content = &body["messages"][0]["content"];
    assert_eq!(content[0]["text"], "# Topic\n\nTea?\n\nThe files.");
    assert_eq!(content[0]["cache_control"]["type"], "ephemeral");
    assert_eq!(content[1]["text"], "\n\n# Round 1");
    assert!(content[1].get("cache_control").is_none());
}
