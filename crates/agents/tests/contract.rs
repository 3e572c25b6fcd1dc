//! What every dialect has to keep, against a provider that fails in every way:
//! the right class, the right number of requests, the right wait, no hang, and
//! never an answer that nobody gave. A new dialect signs by a row in `SIGNERS`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod table;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::providers::ProviderSettings;
use agents::{CancellationToken, Http, NoWatch, Outside, Panel, Speaker, SpeechDelta, discovery};
use debate::model::{Ask, AskId, Failure, FailureClass, Finish, Reply};
use fake_provider::faults::{self, FAULTS};
use fake_provider::shapes::Wire;
use fake_provider::{DEFAULT_ANSWER, FakeOptions, FakeProvider, KeySeen};
use futures::future::join_all;
use serde_json::Value;
use table::{
    SIGNERS, Signer, TIMEOUT_SECONDS, address, agent, ask, http, patient_http, settings, start,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

enum Wanted {
    /// The whole answer, nothing else.
    Answer,
    CutOffAnswer,
    Fails(FailureClass),
}

use FailureClass::{
    BadRequest, CutOff, Declined, OutOfCredit, Overloaded, RateLimited, TimedOut, TooLong,
    Unauthorised, Unreachable, Unusable,
};
use Wanted::{Answer, CutOffAnswer, Fails};

/// Fault (and how often it strikes), what must come of it, in how many
/// requests, at least how many milliseconds apart.
#[rustfmt::skip]
const CASES: &[(&str, Wanted, usize, u64)] = &[
    ("rate_seconds@1", Answer, 2, 1000),
    ("rate_date@1", Answer, 2, 1000),
    ("rate_ms@2", Answer, 3, 150),
    ("rate_ms", Fails(RateLimited), 3, 150),
    ("rate_absent", Fails(RateLimited), 3, 0),
    ("rate_zero", Fails(RateLimited), 3, 0),
    ("rate_huge", Fails(RateLimited), 1, 0),
    ("rate_negative", Fails(RateLimited), 3, 0),
    ("rate_plain", Fails(RateLimited), 3, 0),
    ("rate_body", Fails(RateLimited), 3, 200),
    ("slow_down", Fails(RateLimited), 3, 0),
    ("quota_code", Fails(OutOfCredit), 1, 0),
    ("quota_credit", Fails(OutOfCredit), 1, 0),
    ("quota_words", Fails(OutOfCredit), 1, 0),
    ("spend_limit", Fails(OutOfCredit), 1, 0),
    ("bad_key", Fails(Unauthorised), 1, 0),
    ("no_credit", Fails(OutOfCredit), 1, 0),
    ("forbidden", Fails(Unauthorised), 1, 0),
    ("no_model", Fails(BadRequest), 1, 0),
    ("conflict", Fails(Overloaded), 3, 0),
    ("too_large", Fails(TooLong), 1, 0),
    ("context_length", Fails(TooLong), 1, 0),
    ("context_words", Fails(TooLong), 1, 0),
    ("bad_request", Fails(BadRequest), 1, 0),
    ("filtered_400", Fails(Declined), 1, 0),
    ("server_error", Fails(Overloaded), 3, 0),
    ("server_error@2", Answer, 3, 0),
    ("bad_gateway", Fails(Overloaded), 3, 0),
    ("unavailable", Fails(Overloaded), 3, 0),
    ("gateway_timeout", Fails(Overloaded), 3, 0),
    ("overloaded", Fails(Overloaded), 3, 0),
    ("redirect", Fails(BadRequest), 1, 0),
    ("reset_at_once", Fails(Unreachable), 3, 0),
    ("silence", Fails(TimedOut), 3, 0),
    ("drip", Fails(TimedOut), 1, 0),
    ("short_body", Fails(Unreachable), 3, 0),
    ("giant_body", Fails(Unusable), 1, 0),
    ("reset_midway", Fails(Unreachable), 3, 0),
    ("reset_midway@1", Answer, 2, 0),
    ("stall", Fails(TimedOut), 3, 0),
    ("pings_only", Fails(TimedOut), 1, 0),
    ("truncated", Fails(Unreachable), 3, 0),
    ("error_event", Fails(Overloaded), 3, 0),
    ("error_event_unknown", Fails(Unusable), 2, 0),
    ("done_without_finish", Fails(Unusable), 2, 0),
    ("garbage", Fails(Unusable), 2, 0),
    ("giant_line", Fails(Unusable), 1, 0),
    ("gzip", Fails(Unusable), 2, 0),
    ("empty_body", Fails(Unusable), 2, 0),
    ("foreign", Fails(Unusable), 2, 0),
    ("empty_content", Fails(Unusable), 2, 0),
    ("empty_content@1", Answer, 2, 0),
    ("unknown_finish", Fails(Unusable), 2, 0),
    ("refusal", Fails(Declined), 1, 0),
    ("content_filter", Fails(Declined), 1, 0),
    ("tool_calls", Fails(Unusable), 2, 0),
    ("broken_call", Fails(Unusable), 2, 0),
    ("cut_off", CutOffAnswer, 1, 0),
    ("cut_off_empty", Fails(CutOff), 1, 0),
    ("error_body", Fails(RateLimited), 3, 0),
    ("error_body_unknown", Fails(Unusable), 2, 0),
    ("html_200", Fails(Unusable), 2, 0),
    ("crlf", Answer, 1, 0),
    ("cr", Answer, 1, 0),
    ("bom", Answer, 1, 0),
    ("multi_line", Answer, 1, 0),
    ("bytewise", Answer, 1, 0),
    ("invalid_utf8", Answer, 1, 0),
    ("duplicate_end", Answer, 1, 0),
    ("finish_without_done", Answer, 1, 0),
    ("reset_after_finish", Answer, 1, 0),
    ("hang_after_done", Answer, 1, 0),
    ("no_usage", Answer, 1, 0),
    ("mad_usage", Answer, 1, 0),
    ("thinking", Answer, 1, 0),
    ("unknown_events", Answer, 1, 0),
    ("wrong_type", Answer, 1, 0),
    ("ignores_stream", Answer, 1, 0),
    ("no_schema", Answer, 2, 0),
    ("no_format", Answer, 3, 0),
    ("completion_tokens", Answer, 2, 0),
    ("no_temperature", Answer, 2, 0),
    ("no_stream_options", Answer, 2, 0),
    ("no_tools", Answer, 1, 0),
    ("no_tools_500", Answer, 1, 0),
    ("no_manners", Answer, 6, 0),
    ("no_text_format", Answer, 3, 0),
    ("no_output_config", Answer, 2, 0),
    ("no_forced_tool", Answer, 3, 0),
    ("no_json_schema", Answer, 2, 0),
    ("no_json", Answer, 3, 0),
];

/// Where a dialect needs another number of requests: it has fewer ways to ask.
const OTHER_REQUESTS: &[(&str, Wire, usize)] = &[("no_text_format", Wire::Agent, 2)];

fn happens(case: &str, wire: Wire) -> bool {
    let name = case.split('@').next().unwrap_or_default();
    faults::find(name).is_some_and(|fault| fault.happens_on(wire))
}

/// One way out per table: clients are costly to make and cheap to share.
fn speaker_by(http: &Http, provider: &str, base_url: &str, model: &str) -> Arc<dyn Speaker> {
    let outside = Outside::providers(http.clone(), settings(provider, base_url));
    let agent = agent(provider, model);
    Panel::open(&[agent], None, &outside).unwrap().speaker(&ask()).unwrap()
}

fn speaker_at(provider: &str, base_url: &str, model: &str) -> Arc<dyn Speaker> {
    speaker_by(&http(), provider, base_url, model)
}

async fn speak(signer: Signer, fake: &FakeProvider, model: &str) -> Result<Reply, Failure> {
    let speaker = speaker_at(signer.0, &address(signer.1, fake), model);
    speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await
}

/// What was wrong with one case, if anything was.
async fn judge(
    (signer, wire): Signer,
    (http, fake): (&Http, &FakeProvider),
    (case, pace): (&(&str, Wanted, usize, u64), Pace),
) -> (String, Vec<String>) {
    let (fault, wanted, requests, apart) = case;
    let seconds = match pace {
        Pace::Slow => TIMEOUT_SECONDS,
        Pace::Quick => 300,
    };
    let ask = Ask { timeout_seconds: seconds, ..ask() };
    let other = OTHER_REQUESTS.iter().find(|(name, on, _)| name == fault && *on == wire);
    let requests = other.map_or(requests, |(_, _, requests)| requests);
    let model = format!("fault:{fault}");
    let speaker = speaker_by(http, signer, &address(wire, fake), &model);
    let outcome = speaker.speak(&ask, &NoWatch, CancellationToken::new()).await;
    let seen = fake.asked(&model);
    let mut wrong = Vec::new();
    let came = match (&outcome, wanted) {
        (Ok(reply), Answer | CutOffAnswer) => {
            let finish = if let Answer = wanted { Finish::Complete } else { Finish::CutOff };
            if reply.text != DEFAULT_ANSWER || reply.finish != finish {
                wrong.push(format!("another answer: {:?} {}", reply.finish, reply.text));
            }
            if reply.tries as usize != *requests {
                wrong.push(format!("says {} tries", reply.tries));
            }
            format!("answer ({:?})", reply.finish)
        }
        (Err(failure), Fails(class)) => {
            if failure.class != *class {
                wrong.push(format!("class {:?}, wanted {class:?}", failure.class));
            }
            if failure.message.contains("canary") {
                wrong.push("the key is in the message".into());
            }
            if !failure.message.contains(&model) || !failure.message.contains("127.0.0.1") {
                wrong.push("the message does not say to whom it happened".into());
            }
            failure.message.clone()
        }
        (outcome, _) => {
            wrong.push(format!("came to {outcome:?}"));
            "?".into()
        }
    };
    if seen.len() != *requests {
        wrong.push(format!("{} requests, wanted {requests}", seen.len()));
    }
    for pair in seen.windows(2) {
        let between = pair[1].at.saturating_sub(pair[0].at);
        if between < Duration::from_millis(*apart) {
            wrong.push(format!("tried again after {between:?}"));
        }
    }
    if seen.iter().any(|entry| entry.key != KeySeen::Right) {
        wrong.push("a request without the key".into());
    }
    (format!("{signer:<11} {fault:<22} {:>2}  {came}", seen.len()), wrong)
}

/// Faults that only wait: those of all signers wait together.
const SLOW: &[&str] = &["silence", "drip", "stall", "pings_only"];

#[derive(Clone, Copy, PartialEq)]
enum Pace {
    Slow,
    Quick,
}

async fn cases(signer: Signer, pace: Pace) -> Vec<(String, Vec<String>)> {
    let fake = start(FakeOptions::default()).await;
    let http = match pace {
        Pace::Slow => http(),
        Pace::Quick => patient_http(),
    };
    let cases = CASES.iter().filter(|case| happens(case.0, signer.1));
    let cases = cases.filter(|case| SLOW.contains(&case.0) == (pace == Pace::Slow));
    join_all(cases.map(|case| judge(signer, (&http, &fake), (case, pace)))).await
}

/// Covers: 10-providers
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_has_its_one_right_outcome() {
    let mut failed = Vec::new();
    let mut summary = Vec::new();
    let slow = join_all(SIGNERS.iter().map(|signer| cases(*signer, Pace::Slow))).await;
    for (signer, slow) in SIGNERS.iter().zip(slow) {
        let judged = [cases(*signer, Pace::Quick).await, slow].concat();
        let wrong = judged.iter().filter(|(_, wrong)| !wrong.is_empty()).count();
        summary.push(format!("{} {}/{}", signer.0, judged.len() - wrong, judged.len()));
        assert!(judged.len() >= 60, "{signer:?} has only {} faults", judged.len());
        for (line, wrong) in judged {
            println!("{line}");
            if !wrong.is_empty() {
                failed.push(format!("{line}\n    {}", wrong.join("\n    ")));
            }
        }
    }
    println!("provider x fault, right outcomes: {}", summary.join(", "));
    assert!(failed.is_empty(), "{} cases:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn every_fault_has_a_case_and_every_case_a_fault() {
    let name = |case: &str| case.split('@').next().unwrap_or_default().to_owned();
    for fault in FAULTS {
        assert!(CASES.iter().any(|case| name(case.0) == fault.name), "{}", fault.name);
    }
    for case in CASES {
        assert!(FAULTS.iter().any(|fault| fault.name == name(case.0)), "{}", case.0);
    }
}

#[tokio::test]
async fn a_plain_answer_is_streamed_counted_and_asked_for_once() {
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        let speaker = speaker_at(signer.0, &address(signer.1, &fake), "fake-large");
        let seen = Mutex::new(Vec::new());
        let watch = |_: &AskId, delta: SpeechDelta| seen.lock().unwrap().push(delta);
        let reply = speaker.speak(&ask(), &watch, CancellationToken::new()).await.unwrap();
        let pieces: Vec<String> = seen
            .into_inner()
            .unwrap()
            .into_iter()
            .map(|delta| match delta {
                SpeechDelta::Text(text) => text,
                other => panic!("unexpected {other:?}"),
            })
            .collect();
        assert_eq!(pieces.len(), 4);
        assert_eq!(pieces.concat(), reply.text);
        assert_eq!((reply.model.as_str(), reply.tries), ("fake-large", 1));
        let usage = reply.bill.usage;
        assert_eq!((usage.input, usage.cached), (Some(100), Some(40)));
        assert_eq!((usage.output, usage.reasoning), (Some(20), Some(5)));
        assert_eq!(reply.bill.cost, None);
        let ledger = fake.ledger();
        assert_eq!(ledger.len(), 1);
        let path = match signer.1 {
            Wire::Chat => "/v1/chat/completions",
            Wire::Messages => "/v1/messages",
            Wire::Responses => "/v1/responses",
            Wire::Agent => "/v1/agent",
            Wire::Gemini => "/v1beta/models/fake-large:streamGenerateContent?alt=sse",
        };
        assert_eq!(ledger[0].path, path);
    }
}

/// A stream that ends with a mark goes on a little: it is read to its end.
#[tokio::test]
async fn a_connection_is_used_again_after_an_answer() {
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        let speaker = speaker_at(signer.0, &address(signer.1, &fake), "m");
        let mut calls = 0;
        // The end is read beside the debate, on a busy machine after the next call has begun.
        while fake.connections() == calls && calls < 40 {
            tokio::time::sleep(Duration::from_millis(10 * calls as u64)).await;
            speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await.unwrap();
            calls += 1;
        }
        assert!(fake.connections() < calls, "{}: {calls} calls, as many connections", signer.0);
    }
}

#[tokio::test]
async fn structure_is_asked_for_by_schema() {
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        speak(*signer, &fake, "fake-large").await.unwrap();
        let body = fake.ledger()[0].body.to_string();
        assert!(body.contains(&ask().schema.to_string()), "{body}");
    }
}

#[tokio::test]
async fn usage_that_is_missing_or_cannot_be_is_absent_and_that_of_lost_tries_counts() {
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        for model in ["fault:no_usage", "fault:mad_usage"] {
            let reply = speak(*signer, &fake, model).await.unwrap();
            assert_eq!(reply.bill.usage.total(), None, "{model}");
        }
        let reply = speak(*signer, &fake, "fault:empty_content@1").await.unwrap();
        assert_eq!(reply.bill.usage.total(), Some(240));
        let failure = speak(*signer, &fake, "fault:content_filter").await.unwrap_err();
        assert_eq!(failure.bill.usage.total(), Some(120));
    }
}

#[tokio::test]
async fn what_a_server_refuses_is_learnt_once() {
    for (signer, wire) in SIGNERS {
        let (fault, first) = match wire {
            Wire::Chat => ("no_manners", 6),
            Wire::Messages => ("no_forced_tool", 3),
            Wire::Responses => ("no_text_format", 3),
            Wire::Agent => ("no_text_format", 2),
            Wire::Gemini => ("no_json", 3),
        };
        let fake = start(FakeOptions::default()).await;
        let speaker = speaker_at(signer, &address(*wire, &fake), &format!("fault:{fault}"));
        for requests in [first, first + 1, first + 2] {
            speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await.unwrap();
            assert_eq!(fake.ledger().len(), requests);
        }
        let last = fake.ledger().pop().unwrap().body.to_string();
        let words = Value::String(ask().schema.to_string()).to_string();
        assert!(last.contains(words.trim_matches('"')), "the schema must come in words: {last}");
    }
}

#[tokio::test]
async fn a_cancel_ends_a_stream_at_once_and_hangs_up() {
    for signer in SIGNERS {
        let pace = Duration::from_millis(200);
        let fake = start(FakeOptions { pieces: 40, pace, ..FakeOptions::default() }).await;
        let speaker = speaker_at(signer.0, &address(signer.1, &fake), "fake-large");
        let cancel = CancellationToken::new();
        let inner = cancel.clone();
        // Called off at the first word.
        let watch = move |_: &AskId, _: SpeechDelta| inner.cancel();
        let failure = speaker.speak(&ask(), &watch, cancel).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Cancelled);
        let deadline = proof::Deadline::new();
        while !fake.ledger()[0].closed {
            deadline.check(|| "the line is still open".into());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let entry = &fake.ledger()[0];
        assert!(entry.closed && !entry.finished);
    }
}

#[tokio::test]
async fn waits_are_told_and_a_cancel_ends_them() {
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        let speaker = speaker_at(signer.0, &address(signer.1, &fake), "fault:rate_seconds");
        let cancel = CancellationToken::new();
        let (inner, told) = (cancel.clone(), Mutex::new(None));
        let watch = |_: &AskId, delta: SpeechDelta| {
            if let SpeechDelta::Waiting { why, seconds } = delta {
                *told.lock().unwrap() = Some((why, seconds));
                inner.cancel();
            }
        };
        let outcome = speaker.speak(&ask(), &watch, cancel).await;
        assert_eq!(outcome.unwrap_err().class, FailureClass::Cancelled);
        let (why, seconds) = told.into_inner().unwrap().unwrap();
        assert!(why.contains("asked too often") && seconds >= 1.0, "{why} {seconds}");
        assert_eq!(fake.ledger().len(), 1);
    }
}

#[tokio::test]
async fn nobody_at_the_address_is_unreachable() {
    for signer in SIGNERS {
        let gone = start(FakeOptions::default()).await;
        let base_url = address(signer.1, &gone);
        drop(gone);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let speaker = speaker_at(signer.0, &base_url, "fake-large");
        let failure = speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await.unwrap_err();
        assert_eq!((failure.class, failure.tries), (FailureClass::Unreachable, 3));
    }
}

#[tokio::test]
async fn discovery_finds_servers_and_leaves_out_embedders() {
    let fake = start(FakeOptions::default()).await;
    let nobody = "http://127.0.0.1:9/v1";
    let mut settings = settings("ollama", &fake.base_url());
    for other in ["llamacpp", "lmstudio", "vllm"] {
        let set = ProviderSettings { base_url: Some(nobody.into()), ..Default::default() };
        settings.insert(other.into(), set);
    }
    let found = discovery::servers(&http(), &settings).await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].provider, "ollama");
    assert_eq!(found[0].models, ["fake-large", "fake-small"]);

    let slow = FakeOptions { latency: Duration::from_secs(3), ..FakeOptions::default() };
    let slow = start(slow).await;
    settings.entry("ollama".into()).or_default().base_url = Some(slow.base_url());
    // Waiting for it would find it.
    assert!(discovery::servers(&http(), &settings).await.is_empty());
}

#[tokio::test]
async fn a_queued_fault_strikes_once() {
    let fake = start(FakeOptions::default()).await;
    assert!(fake.queue_fault("server_error") && !fake.queue_fault("no such fault"));
    let reply = speak(SIGNERS[0], &fake, "fake-large").await.unwrap();
    assert_eq!(reply.tries, 2);
}

#[tokio::test]
async fn a_redirect_never_carries_the_key_to_another_host() {
    for signer in SIGNERS {
        let elsewhere = start(FakeOptions::default()).await;
        let location = format!("{}/chat/completions", elsewhere.base_url());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let redirecting = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 16 * 1024];
            let _ = socket.read(&mut request).await.unwrap();
            let answer = format!(
                "HTTP/1.1 307 Elsewhere\r\nlocation: {location}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
            );
            socket.write_all(answer.as_bytes()).await.unwrap();
        });
        let speaker = speaker_at(signer.0, &base_url, "fake-large");
        let failure = speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await.unwrap_err();
        redirecting.await.unwrap();
        assert_eq!((failure.class, failure.tries), (FailureClass::BadRequest, 1));
        assert!(elsewhere.ledger().is_empty());
    }
}
