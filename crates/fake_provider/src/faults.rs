//! Everything a provider can do wrong, one row each. Asked for by a model name
//! `fault:<name>` (always) or `fault:<name>@<n>` (the first n times).

use std::io::Result;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::shapes::{FakeAnswer, FakeCall, FakeFinish, FakeUsage, Wire, WireShape};
use crate::wire::{self, AfterAnswer, FakeRequest, WriteResult};
use crate::{FakeOptions, answers, vendor};

#[derive(Debug)]
pub struct ProviderFault {
    pub name: &'static str,
    pub about: &'static str,
    pub act: FaultAct,
    /// The wires it can happen on; all if none are named.
    pub only: &'static [Wire],
}

impl ProviderFault {
    pub fn happens_on(&self, wire: Wire) -> bool {
        self.only.is_empty() || self.only.contains(&wire)
    }

    const fn only(self, only: &'static [Wire]) -> ProviderFault {
        ProviderFault { only, ..self }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum FaultAct {
    /// An answer with this status.
    Status { status: u16, headers: &'static [(&'static str, &'static str)], body: &'static str },
    /// A body in place of the stream that was asked for, with status 200.
    Body(fn(&WireShape, &FakeAnswer) -> String),
    /// A stream of these pieces, given the good answer.
    Stream { pieces: fn(&WireShape, &FakeAnswer) -> Vec<Vec<u8>>, end: StreamEnd },
    /// As `Stream`, under another content type.
    StreamAs(&'static str),
    /// Refuses certain requests and answers the others well.
    Unless { refuses: fn(&Value) -> bool, status: u16, body: &'static str },
    /// Reads the request and resets the connection.
    ResetAtOnce,
    /// Reads the request and never answers.
    Silence,
    /// One byte at a time, slowly.
    Drip,
    /// Sends less than the length it promised.
    ShortBody,
    /// Streams words until the client leaves.
    Endless,
}

/// The end of a faulty stream.
#[derive(Debug, Clone, Copy)]
pub enum StreamEnd {
    Close,
    Reset,
    /// Nothing more comes, and the connection stays open.
    Hang,
    /// Only comments come.
    Pings,
}

const fn status(
    name: &'static str,
    about: &'static str,
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
) -> ProviderFault {
    ProviderFault { name, about, act: FaultAct::Status { status, headers, body }, only: &[] }
}

const fn stream(
    name: &'static str,
    about: &'static str,
    pieces: fn(&WireShape, &FakeAnswer) -> Vec<Vec<u8>>,
    end: StreamEnd,
) -> ProviderFault {
    ProviderFault { name, about, act: FaultAct::Stream { pieces, end }, only: &[] }
}

const fn unless(
    name: &'static str,
    about: &'static str,
    refuses: fn(&Value) -> bool,
    body: &'static str,
) -> ProviderFault {
    ProviderFault { name, about, act: FaultAct::Unless { refuses, status: 400, body }, only: &[] }
}

const fn act(name: &'static str, about: &'static str, act: FaultAct) -> ProviderFault {
    ProviderFault { name, about, act, only: &[] }
}

const CHAT: &[Wire] = &[Wire::Chat];
const MESSAGES: &[Wire] = &[Wire::Messages];
const OPENAI: &[Wire] = &[Wire::Chat, Wire::Responses];
const NOT_GEMINI: &[Wire] = &[Wire::Chat, Wire::Messages, Wire::Responses, Wire::Agent];
const GEMINI: &[Wire] = &[Wire::Gemini];

const RATE: &str =
    r#"{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}"#;
const HTML: &str = "<html><body><h1>502 Bad Gateway</h1></body></html>";

#[rustfmt::skip]
pub const FAULTS: &[ProviderFault] = &[
    status("rate_seconds", "429, wait one second", 429, &[("retry-after", "1")], RATE),
    status("rate_date", "429, wait until a date", 429,
        &[("date", "Sun, 15 Nov 2026 10:00:00 GMT"), ("retry-after", "Sun, 15 Nov 2026 10:00:01 GMT")], RATE),
    status("rate_ms", "429, wait in milliseconds", 429, &[("retry-after-ms", "150")], RATE),
    status("rate_absent", "429, no wait named", 429, &[], RATE),
    status("rate_zero", "429, wait nothing", 429, &[("retry-after", "0")], RATE),
    status("rate_huge", "429, wait a day", 429, &[("retry-after", "86400")], RATE),
    status("rate_negative", "429, a negative wait", 429, &[("retry-after", "-5")], RATE),
    status("rate_plain", "429 without JSON", 429, &[], "slow down please"),
    status("rate_body", "429, the wait named in the body", 429, &[], RATE).only(GEMINI),
    status("slow_down", "503 that means a rate limit", 503, &[],
        r#"{"error":{"message":"Slow down","code":"slow_down"}}"#).only(OPENAI),
    status("quota_code", "429 that means no money", 429, &[("retry-after", "1")],
        r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#),
    status("quota_credit", "429 for an empty balance", 429, &[],
        r#"{"error":{"message":"No credit","code":"credit_balance_exhausted"}}"#).only(NOT_GEMINI),
    status("quota_words", "429 that says so in words only", 429, &[],
        r#"{"error":{"message":"You exceeded your current quota, please check your plan"}}"#).only(NOT_GEMINI),
    status("spend_limit", "400 for a spend limit", 400, &[],
        r#"{"error":{"message":"This request would pass the spend limit you have set","type":"invalid_request_error"}}"#).only(NOT_GEMINI),
    status("bad_key", "401 that quotes the key", 401, &[],
        r#"{"error":{"message":"Incorrect API key provided: sk-canary-1234567890.","code":"invalid_api_key"}}"#),
    status("no_credit", "402", 402, &[], r#"{"error":{"message":"Payment required"}}"#),
    status("forbidden", "403", 403, &[], r#"{"error":{"message":"Not in your country"}}"#),
    status("no_model", "404", 404, &[],
        r#"{"error":{"message":"The model does not exist","code":"model_not_found"}}"#),
    status("conflict", "409", 409, &[], r#"{"error":{"message":"Conflict"}}"#),
    status("too_large", "413", 413, &[], "Request Entity Too Large"),
    status("context_length", "400, prompt too long", 400, &[],
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens; reduce max_tokens","code":"context_length_exceeded"}}"#),
    status("context_words", "400, prompt too long, in words only", 400, &[],
        r#"{"error":"the request exceeds the available context size"}"#).only(NOT_GEMINI),
    status("bad_request", "400", 400, &[], r#"{"detail":"messages: field required"}"#),
    status("filtered_400", "400 from a content policy", 400, &[],
        r#"{"error":{"message":"Policy","code":"content_policy_violation"}}"#).only(NOT_GEMINI),
    status("server_error", "500", 500, &[], r#"{"error":{"message":"Internal error"}}"#),
    status("bad_gateway", "502 with an HTML page", 502, &[], HTML),
    status("unavailable", "503", 503, &[], r#"{"error":{"message":"Loading model"}}"#),
    status("gateway_timeout", "504", 504, &[], HTML),
    status("overloaded", "529", 529, &[], r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#),
    status("redirect", "307 to another host", 307, &[("location", "http://127.0.0.2:9/v1/chat/completions")], ""),
    act("reset_at_once", "reset before the headers", FaultAct::ResetAtOnce),
    act("silence", "accepts and never answers", FaultAct::Silence),
    act("drip", "one byte at a time", FaultAct::Drip),
    act("short_body", "less than content-length promised", FaultAct::ShortBody),
    act("giant_body", "a stream without end", FaultAct::Endless),
    stream("reset_midway", "reset in the middle", first_words, StreamEnd::Reset),
    stream("stall", "falls silent in the middle", first_words, StreamEnd::Hang),
    stream("pings_only", "only comments after the first words", first_words, StreamEnd::Pings),
    stream("truncated", "ends without its last events", first_words, StreamEnd::Close),
    stream("error_event", "an error event after 200", |shape, answer| {
        and(first_words(shape, answer), shape.error_event)
    }, StreamEnd::Close),
    stream("error_event_unknown", "an error event that explains nothing", |shape, answer| {
        and(first_words(shape, answer), "event: error\ndata: {\"message\":\"oops\"}\n\n")
    }, StreamEnd::Close),
    stream("done_without_finish", "its last word without a reason", |shape, answer| {
        and(first_words(shape, answer), shape.bare_end.unwrap_or_default())
    }, StreamEnd::Close).only(NOT_GEMINI),
    stream("garbage", "an event that is not JSON", |shape, answer| {
        and(first_words(shape, answer), "data: {\"choices\": [oops\n\n")
    }, StreamEnd::Close),
    stream("giant_line", "a line of 2 MiB", |_, _| vec![b"data: ".to_vec(), vec![b'x'; 2 << 20]], StreamEnd::Close),
    stream("gzip", "compressed though nobody asked", |_, _| {
        vec![vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0xcd, 0xef]]
    }, StreamEnd::Close),
    stream("empty_body", "200 with nothing", |_, _| Vec::new(), StreamEnd::Close),
    stream("foreign", "events of a protocol nobody speaks", |_, _| {
        vec![b"data: {\"hello\":\"world\"}\n\n".to_vec()]
    }, StreamEnd::Close),
    stream("empty_content", "finishes without a word", |shape, answer| {
        written(shape, &FakeAnswer { text: String::new(), ..answer.clone() })
    }, StreamEnd::Close),
    stream("unknown_finish", "a finish reason nobody knows", |shape, answer| {
        written(shape, &FakeAnswer { end: FakeFinish::Unknown, ..answer.clone() })
    }, StreamEnd::Close),
    stream("refusal", "declines", |shape, answer| {
        let refusal = Some("I will not help with that.");
        written(shape, &FakeAnswer { text: String::new(), refusal, ..answer.clone() })
    }, StreamEnd::Close),
    stream("content_filter", "a filter cuts in", |shape, answer| {
        written(shape, &FakeAnswer { end: FakeFinish::Filter, ..answer.clone() })
    }, StreamEnd::Close),
    stream("tool_calls", "calls a tool nobody offered", |shape, answer| {
        let call = FakeCall { id: "call_1".into(), name: "rm".into(), arguments: json!({"path": "/"}) };
        written(shape, &FakeAnswer { text: String::new(), calls: vec![call], ..answer.clone() })
    }, StreamEnd::Close),
    stream("broken_call", "a call that cannot be read", |_, answer| {
        vec![format!("data: {}\n\n", json!({
            "candidates": [{"content": {"parts": [{"text": "call:search{"}]}, "finishReason": "MALFORMED_FUNCTION_CALL"}],
            "modelVersion": answer.model,
        })).into_bytes()]
    }, StreamEnd::Close).only(GEMINI),
    stream("cut_off", "the output limit cuts the answer", |shape, answer| {
        written(shape, &FakeAnswer { end: FakeFinish::Length, ..answer.clone() })
    }, StreamEnd::Close),
    stream("cut_off_empty", "thinking eats the whole limit", |shape, answer| {
        let thoughts = vec!["hm"];
        written(shape, &FakeAnswer { text: String::new(), thoughts, end: FakeFinish::Length, ..answer.clone() })
    }, StreamEnd::Close),
    act("error_body", "200 with an error object", FaultAct::Status { status: 200, headers: &[],
        body: r#"{"error":{"message":"Provider returned error","code":429}}"# }),
    act("error_body_unknown", "200 with an error nobody can place", FaultAct::Status { status: 200, headers: &[],
        body: r#"{"error":"something went wrong"}"# }),
    act("html_200", "200 with a web page", FaultAct::Status { status: 200, headers: &[], body: HTML }),
    // From here on: unusual, but good answers.
    stream("crlf", "CR LF line ends", |s, a| reline(s, a, "\r\n"), StreamEnd::Close),
    stream("cr", "CR line ends", |s, a| reline(s, a, "\r"), StreamEnd::Close),
    stream("bom", "a byte order mark first", |s, a| {
        [vec!["\u{feff}".into()], written(s, a)].concat()
    }, StreamEnd::Close),
    stream("multi_line", "one event over several data lines", |s, a| {
        s.events(a).iter().map(|event| event.replacen(",\"", ",\ndata: \"", 1).into_bytes()).collect()
    }, StreamEnd::Close),
    stream("bytewise", "every byte in a piece of its own", |s, a| {
        written(s, a).concat().into_iter().map(|byte| vec![byte]).collect()
    }, StreamEnd::Close),
    stream("invalid_utf8", "a broken character in a comment", |s, a| {
        [vec![b": \xff\xfe\n\n".to_vec()], written(s, a)].concat()
    }, StreamEnd::Close),
    stream("duplicate_end", "its closing events twice", |s, a| {
        let close = (s.close)(a);
        let twice = close.iter().rev().skip(s.spare).rev().chain(&close);
        let before = s.events(a).len() - close.len();
        let before = s.events(a).into_iter().take(before);
        before.chain(twice.cloned()).map(String::into_bytes).collect()
    }, StreamEnd::Close).only(&[Wire::Chat, Wire::Responses, Wire::Agent, Wire::Gemini]),
    stream("finish_without_done", "a reason and no last word", without_spare, StreamEnd::Close),
    stream("reset_after_finish", "reset after the reason", without_spare, StreamEnd::Reset),
    stream("hang_after_done", "stays open after its last word", written, StreamEnd::Hang),
    stream("no_usage", "no usage at all", |s, a| {
        written(s, &FakeAnswer { usage: FakeUsage::Absent, ..a.clone() })
    }, StreamEnd::Close),
    stream("mad_usage", "usage that cannot be", |s, a| {
        written(s, &FakeAnswer { usage: FakeUsage::Mad, ..a.clone() })
    }, StreamEnd::Close),
    stream("thinking", "thinks aloud first", |s, a| {
        written(s, &FakeAnswer { thoughts: vec!["let me ", "see"], ..a.clone() })
    }, StreamEnd::Close),
    stream("unknown_events", "events of kinds yet to come", |s, a| {
        let strange = b"event: aurora\ndata: {\"type\":\"aurora\",\"colour\":\"green\"}\n\n".to_vec();
        [vec![strange.clone()], written(s, a)].concat()
    }, StreamEnd::Close),
    act("wrong_type", "a stream called text/plain", FaultAct::StreamAs("text/plain")),
    act("ignores_stream", "one body though a stream was asked", FaultAct::Body(|shape, answer| (shape.whole)(answer))),
    unless("no_text_format", "knows no text.format",
        |body| body.get("text").is_some() || body.get("response_format").is_some(),
        r#"{"error":{"message":"Unsupported parameter: 'text.format' / 'response_format' is not supported with this model.","code":"unsupported_parameter"}}"#)
        .only(&[Wire::Responses, Wire::Agent]),
    unless("no_output_config", "knows no output_config.format",
        |body| body.pointer("/output_config/format").is_some(),
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"output_config.format: structured outputs are not supported by this model"}}"#)
        .only(MESSAGES),
    unless("no_forced_tool", "takes neither a schema nor a forced tool",
        |body| body.pointer("/output_config/format").is_some() || body.get("tool_choice").is_some(),
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"output_config.format is not supported; tool_choice forces tool use, which is not supported"}}"#)
        .only(MESSAGES),
    unless("no_json_schema", "knows JSON but no schema",
        |body| body.pointer("/generationConfig/responseJsonSchema").is_some(),
        r#"{"error":{"code":400,"message":"response_json_schema is not supported for this model","status":"INVALID_ARGUMENT"}}"#)
        .only(GEMINI),
    unless("no_json", "knows no JSON mode",
        |body| body.pointer("/generationConfig/responseMimeType").is_some(),
        r#"{"error":{"code":400,"message":"JSON mode is not enabled for this model","status":"INVALID_ARGUMENT"}}"#)
        .only(GEMINI),
    unless("no_schema", "knows json_object but no json_schema",
        |body| body.pointer("/response_format/type") == Some(&"json_schema".into()),
        r#"{"error":{"message":"response_format.type must be text or json_object"}}"#).only(CHAT),
    unless("no_format", "knows no response_format at all",
        |body| body.get("response_format").is_some(),
        r#"{"error":{"message":"Unrecognized request argument: response_format"}}"#).only(CHAT),
    unless("completion_tokens", "wants max_completion_tokens",
        |body| body.get("max_tokens").is_some(),
        r#"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.","code":"unsupported_parameter"}}"#).only(CHAT),
    unless("no_temperature", "takes no temperature",
        |body| body.get("temperature").is_some() || body.pointer("/generationConfig/temperature").is_some(),
        r#"{"error":{"message":"Unsupported value: 'temperature'","code":"unsupported_value"}}"#).only(&[Wire::Chat, Wire::Responses, Wire::Gemini]),
    unless("no_stream_options", "takes no stream_options",
        |body| body.get("stream_options").is_some(),
        r#"{"detail":[{"loc":["body","stream_options"],"msg":"extra fields not permitted"}]}"#).only(CHAT),
    unless("no_tools", "takes no tools",
        |body| body.get("tools").is_some(),
        r#"{"error":{"message":"registry.ollama.ai/library/tiny does not support tools"}}"#).only(CHAT),
    act("no_tools_500", "takes no tools and calls that its own failure", FaultAct::Unless {
        refuses: |body| body.get("tools").is_some(),
        status: 500,
        body: r#"{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}"#,
    }).only(CHAT),
    unless("no_manners", "takes none of these",
        |body| ["response_format", "max_tokens", "temperature", "stream_options"].iter().any(|key| body.get(key).is_some()),
        r#"{"error":{"message":"not permitted: response_format, temperature, stream_options; use max_completion_tokens"}}"#).only(CHAT),
];

pub fn find(name: &str) -> Option<&'static ProviderFault> {
    FAULTS.iter().find(|fault| fault.name == name)
}

/// The whole good answer.
fn written(shape: &WireShape, answer: &FakeAnswer) -> Vec<Vec<u8>> {
    shape.events(answer).into_iter().map(String::into_bytes).collect()
}

fn without_spare(shape: &WireShape, answer: &FakeAnswer) -> Vec<Vec<u8>> {
    let mut all = written(shape, answer);
    all.truncate(all.len() - shape.spare);
    all
}

/// Half an answer, recognisable if it is ever taken for a whole one.
fn first_words(shape: &WireShape, answer: &FakeAnswer) -> Vec<Vec<u8>> {
    let mut events = (shape.open)(answer);
    events.push((shape.words)(answer, "HALF AN ANSWER"));
    events.into_iter().map(String::into_bytes).collect()
}

fn and(mut events: Vec<Vec<u8>>, last: &str) -> Vec<Vec<u8>> {
    events.push(last.as_bytes().to_vec());
    events
}

fn reline(shape: &WireShape, answer: &FakeAnswer, line_end: &str) -> Vec<Vec<u8>> {
    shape.events(answer).iter().map(|event| event.replace('\n', line_end).into_bytes()).collect()
}

/// Refuses with "too many requests"; the client may come back after this time.
pub(crate) async fn refuse_for(socket: &mut TcpStream, wait: Duration) -> Result<WriteResult> {
    // Rounded up, so that no client comes a moment too early.
    let wait = (wait.as_millis() + 1).to_string();
    wire::plain(socket, 429, &[("retry-after-ms", &wait)], RATE).await
}

pub(crate) async fn play(
    socket: &mut TcpStream,
    fault: &ProviderFault,
    request: &FakeRequest,
    options: &FakeOptions,
) -> Result<WriteResult> {
    let wire = Wire::of(&request.path);
    let shape = wire.shape();
    let answer = FakeAnswer { pieces: 4, ..answers::answer(request, wire, options) };
    match fault.act {
        FaultAct::Status { status, headers, body } => {
            let (status, body) = vendor::wording(fault.name, wire).unwrap_or((status, body));
            wire::plain(socket, status, headers, body).await
        }
        FaultAct::Unless { status, body, .. } => wire::plain(socket, status, &[], body).await,
        FaultAct::Body(body) => wire::plain(socket, 200, &[], &body(shape, &answer)).await,
        FaultAct::Stream { pieces, end } => {
            play_stream(socket, "text/event-stream", &pieces(shape, &answer), end).await
        }
        FaultAct::StreamAs(kind) => {
            play_stream(socket, kind, &written(shape, &answer), StreamEnd::Close).await
        }
        FaultAct::ResetAtOnce => wire::reset(socket),
        FaultAct::Silence => wire::wait_for_leave(socket).await,
        FaultAct::Drip => {
            wire::open_stream(socket, "text/event-stream", AfterAnswer::Close).await?;
            for byte in written(shape, &answer).concat() {
                wire::piece(socket, &[byte]).await?;
                sleep(Duration::from_millis(40)).await;
            }
            wire::end_stream(socket).await
        }
        FaultAct::ShortBody => {
            let body = (shape.whole)(&answer);
            let half: Vec<u8> = body.bytes().take(body.len() / 2).collect();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            socket.write_all(head.as_bytes()).await?;
            socket.write_all(&half).await?;
            Ok(WriteResult::Broken)
        }
        FaultAct::Endless => {
            wire::open_stream(socket, "text/event-stream", AfterAnswer::Close).await?;
            for event in (shape.open)(&answer) {
                wire::piece(socket, event.as_bytes()).await?;
            }
            // Counted, since an answer that only repeats itself is cut earlier.
            let counted: String = (0..40_000).map(|number| format!("{number} ")).collect();
            let long = (shape.words)(&answer, &counted);
            loop {
                wire::piece(socket, long.as_bytes()).await?;
            }
        }
    }
}

async fn play_stream(
    socket: &mut TcpStream,
    kind: &str,
    pieces: &[Vec<u8>],
    end: StreamEnd,
) -> Result<WriteResult> {
    wire::open_stream(socket, kind, AfterAnswer::Close).await?;
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        wire::piece(socket, piece).await?;
    }
    match end {
        StreamEnd::Close => wire::end_stream(socket).await,
        StreamEnd::Reset => {
            // The written bytes must arrive before the reset overtakes them.
            sleep(Duration::from_millis(30)).await;
            wire::reset(socket)
        }
        StreamEnd::Hang => wire::wait_for_leave(socket).await,
        StreamEnd::Pings => loop {
            wire::piece(socket, b": ping\n\n").await?;
            sleep(Duration::from_millis(20)).await;
        },
    }
}
