//! What a debate costs beside its models, through everything a client uses: the MCP
//! server as a process of its own, models over HTTP, a clerk, a store that is empty and
//! one that holds ten thousand debates. The figures are processor time of the server, in
//! medians of runs that alternate between the two stores; the load of the machine is
//! printed beside them.
//!
//! Another tool is measured in the same run where `tools/peers` has installed it.
//!
//! The program is the one beside this benchmark (`cargo build` with the same profile) or
//! the one named in `ROUNDTABLE_BIN`. Arguments after `--`: `--small` (200 debates stored),
//! `--warm` (only debates on a warm server with an empty store, for a profiler).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "served/server.rs"]
mod server;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fake_provider::{FakeOptions, FakeProvider};
use serde_json::{Value, json};
use server::Server;
use store::{ListFilter, SealedEntry, Store};

/// Alternating runs of this many debates each: the system tells processor time in steps of 10 ms,
/// and words are indexed for 32 debates together.
const RUNS: usize = 5;
const DEBATES_PER_RUN: usize = 32;
/// Runs of `--warm`.
const WARM_RUNS: usize = 15;
const STARTS: usize = 200;
/// Nine such answers have 34 kB.
const ANSWER_WORDS: usize = 720;
/// The stored debates were held one after another, an hour between two.
const BETWEEN_MS: i64 = 3_600_000;
/// So many are imported at once, and share a commit.
const AT_ONCE: usize = 100;

#[tokio::main]
async fn main() {
    // `cargo test --benches` only wants to know that it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let program = program().expect("build the program first, or name it in ROUNDTABLE_BIN");
    let has = |wanted: &str| std::env::args().any(|argument| argument == wanted);
    let stored = if has("--small") { 200 } else { 10_000 };
    println!("{} · load {}", program.display(), load());
    let size = std::fs::metadata(&program).unwrap().len() as f64 / 1e6;
    row("binary", size, "MB", "");
    let (quick, slow) = (models(0).await, models(200).await);
    let empty = tempfile::tempdir().unwrap();
    let mut first = Server::start(&program, empty.path(), &quick.base_url());
    debate(&mut first, 0);
    row("memory after the first debate, idle", first.mebibytes(), "MiB", "");
    if has("--warm") {
        return warm(&mut first, &program);
    }
    let full = tempfile::tempdir().unwrap();
    fill(empty.path(), full.path(), stored).await;
    let mut second = Server::start(&program, full.path(), &quick.base_url());
    debate(&mut second, 5_000);
    let what = format!("CPU of the one check of a store, in the background, {stored} stored");
    row(&what, second.rest(), "ms", "");
    processor_time(&mut first, &mut second, stored);
    peer(&mut first, &quick);
    first.close();
    drop(second);
    bytes(&program, &quick, empty.path());
    stages(&program, &slow, empty.path());
    starts(&program, &slow, full.path(), (100, stored));
    starts(&program, &slow, empty.path(), (STARTS, 0));
    println!("load {} at the end", load());
}

fn row(what: &str, value: f64, unit: &str, note: &str) {
    println!("  {what:<66}{value:>9.2} {unit:<6}{note}");
}

fn program() -> Option<PathBuf> {
    let named = std::env::var_os("ROUNDTABLE_BIN").map(PathBuf::from);
    let beside = std::env::current_exe().ok()?.parent()?.parent()?.join("roundtable");
    named.or_else(|| beside.exists().then_some(beside))
}

fn load() -> String {
    let said = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    said.split_whitespace().next().unwrap_or("unknown").to_owned()
}

/// The words of texts that people wrote, so that answers compress and read as answers do.
fn prose() -> Vec<&'static str> {
    let texts = [
        include_str!("../../../README.md"),
        include_str!("../../../ARCHITECTURE.md"),
        include_str!("../../../CONTRIBUTING.md"),
        include_str!("../../../docs/team.md"),
        include_str!("../../../docs/verdict.md"),
    ];
    let is_word =
        |word: &&str| word.chars().all(|one| one.is_alphabetic() || ".,;'’".contains(one));
    texts.iter().flat_map(|text| text.split_whitespace()).filter(is_word).collect()
}

/// Models that answer after this many milliseconds; 34 kB in nine answers.
async fn models(latency_ms: u64) -> FakeProvider {
    let prose = prose();
    // Each answer says something else.
    let worked_out = move |asked: &str| {
        let number = asked
            .bytes()
            .fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
        let from = number % (prose.len() - ANSWER_WORDS);
        let words = prose[from..from + ANSWER_WORDS].join(" ");
        format!("{words}\n\nVote: ACCEPT\nConfidence: 0.6")
    };
    let read = json!({
        "propositions": [{"id": "", "text": "Stages are cheaper.", "settled": false, "stands": [
            {"participant": "Participant 1", "side": "for"},
            {"participant": "Participant 2", "side": "against"},
            {"participant": "Participant 3", "side": "open"}]}],
        "clusters": [], "commonGround": [], "disagreements": [], "conflicts": [],
        "nuances": {"partialAgreements": [], "conditionalPositions": [], "uncertainties": []},
        "reasoning": "", "rating": 0.4, "summary": "They part.",
        "byAgent": [], "contested": [], "decisions": [], "oneLiner": "Stages were weighed.",
    })
    .to_string();
    let record = json!({
        "position": "Do it in stages.", "keyPoints": ["Stages can be undone.", "They cost little."],
        "confidence": 0.6, "vote": {"ballot": "ACCEPT", "objection": null}, "citations": [],
        "claims": [{"text": "Stages can be undone", "label": "INFER", "evidenceType": "LOGICAL",
            "citations": [], "supports": [], "opposes": [], "retracts": []}],
    })
    .to_string();
    // An agent works its answer out in words and hands in a record of it, at once or when it is
    // asked to; the clerk reads.
    let answer = move |body: &Value| {
        let asked = body.to_string();
        if asked.contains("submit_response") {
            return format!("{}\n{record}", worked_out(&asked));
        }
        let by_prompt = [("keyPoints", &record), ("You are the clerk", &read)];
        let row = by_prompt.iter().find(|(words, _)| asked.contains(words));
        row.map_or_else(|| worked_out(&asked), |(_, answer)| (*answer).clone())
    };
    let options = FakeOptions {
        latency: Duration::from_millis(latency_ms),
        answer: std::sync::Arc::new(answer),
        ..FakeOptions::default()
    };
    FakeProvider::start(options).await.unwrap()
}

/// Models that hand in their record with their answer, and models that are asked for it.
const IN_ONE_GO: [&str; 2] = ["openai/gpt-6.1-sol", "openai/gpt-6-luna"];
const IN_TWO_CALLS: [&str; 2] = ["ollama/fake-large", "ollama/fake-small"];

/// The arguments of a debate of three agents and three rounds with a clerk that looks for
/// no groupthink, so that no round waits for the clerk but the last.
fn order(number: usize, [large, small]: [&str; 2]) -> Value {
    json!({
        "topic": format!("Should the change number {number} be made in stages?"),
        "flags": ["groupthinkDetection.enabled=false"], "rounds": 3, "clerk": small,
        "agents": [large, large, small],
    })
}

/// Starts a debate and waits for its end.
fn debate(server: &mut Server, number: usize) -> Value {
    debate_with(server, number, IN_ONE_GO)
}

fn debate_with(server: &mut Server, number: usize, models: [&str; 2]) -> Value {
    let mut arguments = order(number, models);
    arguments["waitSeconds"] = json!(60);
    let ended = server.call("start_roundtable", &arguments);
    assert_eq!(ended["structuredContent"]["status"], "completed", "{ended:#}");
    ended
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Fills another store with copies of the debate that the first one holds.
async fn fill(from: &Path, to: &Path, debates: usize) {
    let store = Store::read_only(&database(from)).await.unwrap();
    let held = store.list(&ListFilter::default()).await.unwrap();
    let log = store.sealed_log(&held[0].id).await.unwrap();
    store.close().await;
    std::fs::create_dir_all(to.join("data")).unwrap();
    let store = Store::open(&database(to)).await.unwrap();
    let numbers: Vec<usize> = (0..debates).collect();
    for some in numbers.chunks(AT_ONCE) {
        let imports = some.iter().map(|number| {
            let id = format!("d{number}");
            let earlier = (*number as i64 + 1) * BETWEEN_MS;
            let copy = |one: &SealedEntry| {
                SealedEntry::seal(&id, one.seq, one.at - earlier, &one.kind, &one.json)
            };
            let log = log.iter().map(copy).collect();
            let store = store.clone();
            async move { store.import(&id, log).await.unwrap() }
        });
        futures::future::join_all(imports).await;
    }
    store.close().await;
    println!("  {debates} debates of {} events stored", log.len());
}

fn database(home: &Path) -> PathBuf {
    home.join("data/roundtable.db")
}

fn processor_time(empty: &mut Server, full: &mut Server, stored: usize) {
    let mut each = [Vec::new(), Vec::new(), Vec::new()];
    for run in 0..RUNS {
        let [none, many, twice] = &mut each;
        let runs = [(&mut *empty, none, IN_ONE_GO), (&mut *full, many, IN_ONE_GO)];
        for (server, times, models) in runs {
            times.push(of_a_debate(server, run, models));
        }
        twice.push(of_a_debate(empty, run, IN_TWO_CALLS));
    }
    let [none, many, twice] = each.map(median);
    let what = "CPU of a 3 × 3 debate over MCP, HTTP and clerk, warm";
    row(&format!("{what}, empty store"), none, "ms", "");
    row(&format!("{what}, {stored} stored"), many, "ms", "");
    row(&format!("{what}, two calls an answer"), twice, "ms", "");
}

/// Debates in turn on one server, whose process a profiler may watch meanwhile.
fn warm(server: &mut Server, program: &Path) {
    let mut times: Vec<f64> =
        (0..WARM_RUNS).map(|run| of_a_debate(server, run, IN_ONE_GO)).collect();
    times.sort_by(f64::total_cmp);
    let (least, most) = (times[0], times[WARM_RUNS - 1]);
    let what = format!("CPU of a 3 × 3 debate, warm, {}", program.display());
    row(&what, median(times), "ms", &format!("{least:.1} to {most:.1}"));
}

/// The server of another tool, as `tools/peers` installs it.
const PEER: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/peers/bin/quorum-mcp-server");

/// One question to three models of another tool, which stores nothing, in turn with ours.
fn peer(ours: &mut Server, models: &FakeProvider) {
    let program = Path::new(PEER);
    if !program.exists() {
        println!("  no other tool is measured: tools/peers installs one");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let mut theirs = Server::start_peer(program, home.path(), &models.base_url());
    let ask = |server: &mut Server, number: usize| {
        let question = format!("Should the change number {number} be made in stages?");
        let models = ["custom:m0", "custom:m1", "custom:m2"];
        let said = server.call("quorum_discuss", &json!({"question": question, "models": models}));
        assert_ne!(said["isError"], true, "{said}");
    };
    ask(&mut theirs, 0);
    row("quorum-cli: memory after the first question, idle", theirs.mebibytes(), "MiB", "");
    let (mut own, mut others, mut asked) = (Vec::new(), Vec::new(), [0, 0]);
    for run in 0..RUNS {
        let (began, before) = (theirs.processor_ms(), models.ledger().len());
        (0..DEBATES_PER_RUN).for_each(|number| ask(&mut theirs, 1 + number));
        others.push((theirs.processor_ms() - began) / DEBATES_PER_RUN as f64);
        let between = models.ledger().len();
        own.push(of_a_debate(ours, 100 + run, IN_ONE_GO));
        asked = [asked[0] + between - before, asked[1] + models.ledger().len() - between];
    }
    let [theirs, ours] = asked.map(|calls| calls / (RUNS * DEBATES_PER_RUN));
    let note = format!("{theirs} calls, nothing stored");
    row("quorum-cli: CPU of a question to three models, warm", median(others), "ms", &note);
    let note = format!("{ours} calls, everything stored");
    row("… Roundtable in the same turns", median(own), "ms", &note);
}

/// The processor time of one debate, in milliseconds, as the mean of some.
fn of_a_debate(server: &mut Server, run: usize, models: [&str; 2]) -> f64 {
    let before = server.processor_ms();
    (0..DEBATES_PER_RUN).for_each(|number| {
        debate_with(server, 1 + run * DEBATES_PER_RUN + number, models);
    });
    (server.processor_ms() - before) / DEBATES_PER_RUN as f64
}

fn bytes(program: &Path, models: &FakeProvider, home: &Path) {
    // Enough for several times at which the log is emptied into the file.
    const DEBATES: usize = 120;
    let size = || std::fs::metadata(database(home)).map_or(0, |file| file.len());
    let stored = size();
    let mut server = Server::start(program, home, &models.base_url());
    (0..DEBATES).for_each(|number| {
        debate(&mut server, 1_000 + number);
    });
    let each = |bytes: u64| bytes as f64 / 1e3 / DEBATES as f64;
    row("bytes written per debate", each(server.written_bytes()), "kB", "");
    // Before and after, no server has the file open: everything is in it.
    server.close();
    row("bytes stored per debate", each(size().saturating_sub(stored)), "kB", "");
}

fn stages(program: &Path, slow: &FakeProvider, home: &Path) {
    let mut server = Server::start(program, home, &slow.base_url());
    debate(&mut server, 2_000);
    let mut walls = Vec::new();
    let before = slow.ledger().len();
    for number in 0..RUNS {
        let began = Instant::now();
        debate(&mut server, 2_001 + number);
        walls.push(began.elapsed().as_secs_f64() * 1e3);
    }
    let calls = (slow.ledger().len() - before) as f64 / RUNS as f64;
    let wall = median(walls);
    row("wall time of 3 rounds with a clerk, answers of 200 ms", wall, "ms", "");
    row("… in stages of 200 ms", wall / 200.0, "", "three rounds and the last reading are 4");
    row("… calls", calls, "", "nine answers, and the clerk's");
}

fn starts(program: &Path, slow: &FakeProvider, home: &Path, (debates, stored): (usize, usize)) {
    let mut server = Server::start(program, home, &slow.base_url());
    debate(&mut server, 3_000);
    server.rest();
    let began = Instant::now();
    let orders = (0..debates).map(|number| {
        let mut arguments = order(4_000 + number, IN_ONE_GO);
        arguments["waitSeconds"] = json!(0);
        arguments["idempotencyKey"] = json!(format!("start-{number}"));
        arguments
    });
    server.call_all("start_roundtable", orders.collect());
    loop {
        let running = server.call("list_sessions", &json!({ "status": "running" }));
        let queued = server.call("list_sessions", &json!({ "status": "queued" }));
        let count = |said: &Value| said["structuredContent"]["sessions"].as_array().map(Vec::len);
        if count(&running) == Some(0) && count(&queued).unwrap_or(0) == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let what = format!("{debates} starts at once, answers of 200 ms, {stored} stored");
    row(&what, began.elapsed().as_secs_f64(), "s", &format!("{:.0} MiB", server.mebibytes()));
}
