//! Limits that a provider names are kept: nobody comes back before the wait it
//! asked for, those who waited do not come back all at once, and an account
//! without money is asked once.
//!
//! The long form, 300 calls and 10 s of refusals:
//! `ROUNDTABLE_LONG=1 cargo test -p roundtable-agents --test limits`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod table;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agents::http::breaker::BreakerPolicy;
use agents::{
    CancellationToken, Http, HttpSettings, NoWatch, Outside, Panel, RetryPolicy, Speaker,
};
use debate::model::{Ask, FailureClass};
use fake_provider::{FakeOptions, LedgerEntry};
use table::{SIGNERS, agent, ask, outside, settings, start};

/// Calls that are on their way at the same time.
const AT_ONCE: usize = 15;

struct Size {
    calls: usize,
    storm: Duration,
    breaker: BreakerPolicy,
    /// How many of those that came again may do so within 100 ms.
    together: fn(usize) -> usize,
}

#[allow(clippy::disallowed_methods, reason = "a test may be asked to do more")]
fn size() -> Size {
    if std::env::var_os("ROUNDTABLE_LONG").is_some() {
        Size {
            calls: 300,
            storm: Duration::from_secs(10),
            breaker: BreakerPolicy::default(),
            // A fifth; of so few, chance may put one or two more together.
            together: |again| again / 5 + 2,
        }
    } else {
        Size {
            calls: 100,
            storm: Duration::from_millis(1500),
            breaker: BreakerPolicy { rest: Duration::from_secs(1), ..BreakerPolicy::default() },
            // A machine that is busy elsewhere puts some together by itself.
            together: |again| again - 1,
        }
    }
}

/// Which call a request belongs to.
fn call(entry: &LedgerEntry) -> String {
    entry.body["messages"].as_array().unwrap().last().unwrap()["content"].to_string()
}

async fn work(speaker: Arc<dyn Speaker>, next: Arc<AtomicUsize>, calls: usize) -> usize {
    let mut answered = 0;
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= calls {
            return answered;
        }
        let ask = Ask { user: format!("Call {number}.").into(), timeout_seconds: 300, ..ask() };
        let said = speaker.speak(&ask, &NoWatch, CancellationToken::new()).await;
        answered += usize::from(said.is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_was_asked_for_is_kept_by_everybody() {
    let Size { calls, storm, breaker, together } = size();
    let latency = Duration::from_millis(60);
    let fake = start(FakeOptions { latency, ..FakeOptions::default() }).await;
    let retry = RetryPolicy::default();
    let http = Http::new(HttpSettings { breaker, retry, ..HttpSettings::default() }).unwrap();
    let outside = Outside::providers(http, settings("custom", &fake.base_url()));
    let panel = Panel::open(&[agent("custom", "m")], None, &outside).unwrap();
    let speaker = panel.speaker(&ask()).unwrap();
    // The first answer reads the table of prices, which takes a while in a test.
    let first = Ask { user: "First.".into(), ..ask() };
    speaker.speak(&first, &NoWatch, CancellationToken::new()).await.unwrap();
    let began = fake.age();
    fake.storm(storm);
    let ends = began + storm;
    let next = Arc::new(AtomicUsize::new(0));
    let workers =
        (0..AT_ONCE).map(|_| tokio::spawn(work(speaker.clone(), Arc::clone(&next), calls)));
    let mut answered = 0;
    for worker in workers.collect::<Vec<_>>() {
        answered += worker.await.unwrap();
    }
    assert_eq!(answered, calls, "some calls were given up");

    let ledger = fake.ledger();
    let mut by_call: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for entry in ledger.iter().filter(|entry| entry.at >= began) {
        by_call.entry(call(entry)).or_default().push(entry.at);
    }
    let requests: usize = by_call.values().map(Vec::len).sum();
    // A refusal names all that is left of the storm, so whoever was refused once
    // comes back after it.
    let early: usize =
        by_call.values().map(|times| times.iter().skip(1).filter(|at| **at < ends).count()).sum();
    let again: Vec<Duration> =
        by_call.values().flat_map(|times| times.iter().skip(1).copied()).collect();
    let densest = again
        .iter()
        .map(|at| {
            let end = *at + Duration::from_millis(100);
            again.iter().filter(|other| (*at..end).contains(other)).count()
        })
        .max()
        .unwrap_or(0);
    println!(
        "{calls} calls, {} requests, {} came again, {early} too early, at most {densest} of them \
         within 100 ms",
        requests,
        again.len(),
    );
    assert_eq!(early, 0, "somebody came back before the time");
    assert!(requests * 10 <= calls * 12, "{requests} requests for {calls} calls");
    assert!(!again.is_empty(), "nobody was refused");
    assert!(densest <= together(again.len()), "{densest} of {} came at once", again.len());
}

/// Everything that means: this account does not pay.
const NO_MONEY: [&str; 8] = [
    "quota_code",
    "quota_credit",
    "quota_words",
    "spend_limit",
    "no_credit",
    "bad_key",
    "forbidden",
    "no_model",
];

#[tokio::test(flavor = "multi_thread")]
async fn what_money_or_a_key_must_mend_is_asked_once() {
    for signer in SIGNERS {
        for shape in NO_MONEY {
            let fault = fake_provider::faults::find(shape).unwrap();
            if !fault.happens_on(signer.1) {
                continue;
            }
            let fake = start(FakeOptions::default()).await;
            let model = format!("fault:{shape}");
            let panel = Panel::open(
                &[agent(signer.0, &model)],
                None,
                &outside(*signer, &fake, agents::NativeSearch::Off),
            );
            let speaker = panel.unwrap().speaker(&ask()).unwrap();
            let failed =
                speaker.speak(&ask(), &NoWatch, CancellationToken::new()).await.unwrap_err();
            let mended =
                [FailureClass::OutOfCredit, FailureClass::Unauthorised, FailureClass::BadRequest];
            assert!(mended.contains(&failed.class), "{} {shape}: {failed:?}", signer.0);
            assert_eq!(fake.ledger().len(), 1, "{} {shape}", signer.0);
        }
    }
}
