//! Keys never get out: not into messages, not into what is watched, not into the
//! most verbose log, not to another host.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod table;

use std::io::Write;
use std::sync::{Arc, Mutex};

use agents::providers::ProviderSettings;
use agents::{CancellationToken, Outside, Panel, SpeechDelta};
use debate::model::AskId;
use fake_provider::faults::FAULTS;
use fake_provider::{FakeOptions, KeySeen};
use futures::future::join_all;
use table::{KEY, SIGNERS, address, agent, ask, http, start};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// A second secret, in a header of the user's own.
const HEADER_KEY: &str = "canary-header-0987654321";

#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Captured {
    type Writer = Captured;

    fn make_writer(&'a self) -> Captured {
        self.clone()
    }
}

/// Faults that only wait show nothing that the others do not.
const SLOW: &[&str] = &[
    "silence",
    "drip",
    "stall",
    "pings_only",
    "giant_body",
    "bytewise",
    "rate_seconds",
    "rate_date",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_faulty_calls_at_trace_show_no_key() {
    let log = Captured::default();
    let layer = tracing_subscriber::fmt::layer().with_writer(log.clone()).with_ansi(false);
    let all = tracing_subscriber::filter::LevelFilter::TRACE;
    tracing_subscriber::registry().with(all).with(layer).init();

    let seen: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut calls = 0;
    for signer in SIGNERS {
        let fake = start(FakeOptions::default()).await;
        let mut settings = table::settings(signer.0, &address(signer.1, &fake));
        let set: &mut ProviderSettings = settings.get_mut(signer.0).unwrap();
        set.headers.push(("x-extra".into(), HEADER_KEY.into()));
        let outside = Outside::providers(http(), settings);
        let faults: Vec<_> = FAULTS
            .iter()
            .filter(|fault| fault.happens_on(signer.1) && !SLOW.contains(&fault.name))
            .collect();
        calls += faults.len();
        let speak = async |fault: &'static str| {
            let agent = agent(signer.0, &format!("fault:{fault}"));
            let panel = Panel::open(&[agent], None, &outside).unwrap();
            let speaker = panel.speaker(&ask()).unwrap();
            let watch =
                |_: &AskId, delta: SpeechDelta| seen.lock().unwrap().push(format!("{delta:?}"));
            let outcome = speaker.speak(&ask(), &watch, CancellationToken::new()).await;
            seen.lock().unwrap().push(format!("{outcome:?}"));
        };
        join_all(faults.iter().map(|fault| speak(fault.name))).await;
        // The key did arrive where it belongs, so there was something to leak.
        assert!(fake.ledger().iter().all(|entry| entry.key == KeySeen::Right));
        seen.lock().unwrap().push(format!("{:?}", outside.settings));
    }
    assert!(calls >= 200, "only {calls} calls");
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(log.contains("TRACE") && log.len() > 10_000, "nothing was logged");
    let words = seen.into_inner().unwrap().join("\n");
    println!("{calls} faulty calls, {} bytes of log, {} of words", log.len(), words.len());
    for secret in [KEY, "1234567890", HEADER_KEY] {
        assert!(!words.contains(secret), "{secret} in what was said");
        let line = log.lines().find(|line| line.contains(secret));
        assert!(line.is_none(), "{secret} in the log: {line:?}");
    }
}
