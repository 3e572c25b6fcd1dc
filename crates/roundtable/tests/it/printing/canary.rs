//! Keys never get out of the binary: debates in which providers fail in every
//! way they can, at the most verbose log level, and then a look into everything
//! that was written: the database, the log, both streams, what is shown, backups,
//! recordings, every form a debate is exported in.
//!
//! The long form, 200 debates: `ROUNDTABLE_LONG=1 cargo test -p roundtable --test canary`.

use std::path::Path;
use std::sync::Arc;

use crate::support::{Did, Home};
use fake_provider::faults::FAULTS;
use fake_provider::shapes::Wire;
use fake_provider::{FakeOptions, FakeProvider, KeySeen};
use futures::StreamExt;

const KEY: &str = "sk-canary-1234567890";
const SEARCH_KEY: &str = "canary-search-0987654321";
const SECRETS: [&str; 3] = [KEY, "1234567890", SEARCH_KEY];

/// Provider, its wire, variables of its key and its address, and whether its
/// address carries the version.
#[rustfmt::skip]
const WIRES: [(&str, Wire, &str, &str, bool); 5] = [
    ("openai", Wire::Responses, "OPENAI_API_KEY", "OPENAI_BASE_URL", true),
    ("anthropic", Wire::Messages, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", false),
    ("gemini", Wire::Gemini, "GEMINI_API_KEY", "GEMINI_BASE_URL", false),
    ("mistral", Wire::Chat, "MISTRAL_API_KEY", "MISTRAL_BASE_URL", true),
    ("perplexity", Wire::Agent, "PERPLEXITY_API_KEY", "PERPLEXITY_BASE_URL", false),
];

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
    "rate_huge",
];

/// Where else a key could be shown. The first three are looked at every time.
const AFTERWARDS: [&[&str]; 13] = [
    &["backup", "copy.db"],
    &["sessions", "show", "0", "--json"],
    &["sessions", "show", "0", "--round", "1"],
    &["sessions", "list", "--json"],
    &["sessions", "show", "0"],
    &["costs", "--json"],
    &["agents", "--json"],
    &["agents"],
    &["config", "show", "--sources"],
    &["config", "show", "--json"],
    &["config", "path"],
    &["doctor"],
    &["doctor", "--json"],
];

/// Every fault that is quick, on every wire it happens on, the telling ones first.
fn cases() -> Vec<(usize, &'static str)> {
    let quick = FAULTS.iter().filter(|fault| !SLOW.contains(&fault.name));
    let mut all: Vec<(usize, &'static str)> = quick
        .flat_map(|fault| {
            let wires = (0..WIRES.len()).filter(|wire| fault.happens_on(WIRES[*wire].1));
            wires.map(|wire| (wire, fault.name))
        })
        .collect();
    // A server that quotes the key back is the case this is all about.
    all.sort_by_key(|(_, name)| *name != "bad_key");
    all
}

fn found_in(folder: &Path, bytes_read: &mut usize) -> Option<String> {
    std::fs::read_dir(folder).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return found_in(&path, bytes_read);
        }
        let bytes = std::fs::read(&path).unwrap();
        *bytes_read += bytes.len();
        let holds = |secret: &&str| bytes.windows(secret.len()).any(|at| at == secret.as_bytes());
        SECRETS.iter().find(|secret| holds(secret)).map(|_| path.display().to_string())
    })
}

/// One debate and everything one can look at afterwards; how much was looked at.
fn hold(origin: &str, base: &str, (wire, fault): (usize, &str), all: bool) -> usize {
    let (provider, _, key, url, versioned) = WIRES[wire];
    let home = Home::new();
    let agents = format!("Ann={provider}/m1,Bea={provider}/m2,Cem={provider}/fault:{fault}");
    let address = if versioned { base } else { origin };
    let variables =
        [(key, KEY), (url, address), ("BRAVE_API_KEY", SEARCH_KEY), ("ROUNDTABLE_LOG", "trace")];
    let debate = [
        "debate",
        "--clerk=none",
        "--agents",
        &agents,
        "--rounds",
        "1",
        "--json",
        "--record",
        "tape.jsonl",
        "--timeout",
        "10",
        "--flag",
        "groupthinkDetection.enabled=false",
        "Is it safe?",
    ];
    let mut looked = 0;
    let mut look = |what: &str, did: &Did| {
        for secret in SECRETS {
            for (stream, text) in [("stdout", &did.stdout), ("stderr", &did.stderr)] {
                let line = text.lines().find(|line| line.contains(secret));
                assert!(line.is_none(), "{provider} {fault}: {what}: {stream}: {line:?}");
            }
        }
        looked += did.stdout.len() + did.stderr.len();
    };
    let did = home.run_with(&debate, &variables);
    assert!(matches!(did.code, 0 | 3), "{provider} {fault}: {did:#?}");
    assert!(did.stderr.contains("TRACE"), "{provider} {fault}: nothing was logged");
    look("debate", &did);
    for args in AFTERWARDS.iter().take(if all { AFTERWARDS.len() } else { 3 }) {
        look(args[0], &home.run_with(args, &variables));
    }
    let mut files = vec!["copy.db".to_owned(), "tape.jsonl".to_owned()];
    let formats = if all { home.formats() } else { Vec::new() };
    for format in &formats {
        let file = format!("debate-{format}");
        let export = ["sessions", "export", "0", "--format", format, "-o", &file];
        look("export", &home.run_with(&export, &variables));
        files.push(file);
    }
    for file in files {
        let size = std::fs::metadata(home.path().join(&file)).map_or(0, |found| found.len());
        assert!(size > 0, "{provider} {fault}: {file} was not written");
    }
    let mut stored = 0;
    let hit = found_in(home.path(), &mut stored);
    assert!(hit.is_none(), "{provider} {fault}: a key is in {hit:?}");
    looked + stored
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_in_anything_after_faulty_debates_at_trace() {
    let long = std::env::var_os("ROUNDTABLE_LONG").is_some();
    let most = if long { 200 } else { 20 };
    let cases = cases();
    assert!(cases.len() >= 200, "only {} cases", cases.len());
    // The short form takes some of all of them.
    let step = if long { 1 } else { cases.len() / most };
    let rest = cases.iter().skip(5).step_by(step);
    let chosen: Vec<_> = cases.iter().take(5).chain(rest).copied().take(most).collect();
    let fake = FakeProvider::start(FakeOptions { key: Some(KEY.into()), ..FakeOptions::default() });
    let fake = Arc::new(fake.await.unwrap());
    let looked = futures::stream::iter(chosen.clone())
        .map(|case| {
            let (origin, base) = (fake.origin(), fake.base_url());
            tokio::task::spawn_blocking(move || {
                hold(&origin, &base, case, long || case.1 == "bad_key")
            })
        })
        .buffer_unordered(8)
        .map(|looked| looked.unwrap())
        .fold(0, |all, one| async move { all + one })
        .await;
    // The key did arrive where it belongs, so there was something to leak.
    let calls = fake.ledger().into_iter().filter(|entry| entry.method == "POST");
    let calls: Vec<KeySeen> = calls.map(|entry| entry.key).collect();
    assert!(calls.iter().all(|key| *key == KeySeen::Right), "a call without its key");
    println!(
        "{} faulty debates, {} calls, {looked} bytes looked through, 0 keys",
        chosen.len(),
        calls.len()
    );
}

#[test]
fn a_log_level_that_is_none_is_refused() {
    let home = Home::new();
    let did = home.run_with(&["modes"], &[("ROUNDTABLE_LOG", "verbose")]);
    assert_eq!((did.code, did.stdout.as_str()), (2, ""), "{did:#?}");
    assert!(did.stderr.contains("ROUNDTABLE_LOG") && did.stderr.contains("trace"), "{did:#?}");
}
