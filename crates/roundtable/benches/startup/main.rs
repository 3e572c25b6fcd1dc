//! How soon a command is there: the program itself, and the listing over ten
//! thousand stored debates, on the command line and over MCP. Whole processes
//! are timed, as a person waits for them.
//!
//! `cargo bench -p roundtable --bench startup`
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod served;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use store::{ListFilter, Store};

const DEBATES: usize = 10_000;
/// So many are written at once, and share a commit.
const AT_ONCE: usize = 200;
const RUNS: usize = 40;

/// Arguments, what it is, and the aim.
const ROWS: [(&[&str], &str, Duration); 5] = [
    (&["--version"], "roundtable --version", Duration::from_millis(30)),
    (&["--help"], "roundtable --help", Duration::from_millis(30)),
    (&["sessions", "list"], "sessions list", Duration::from_millis(100)),
    (&["sessions", "list", "--search", "number 4711"], "… --search", Duration::from_millis(100)),
    (
        &["sessions", "list", "--limit", "10000", "--json"],
        "… all, JSON",
        Duration::from_millis(500),
    ),
];

fn main() {
    // `cargo test --benches` only wants to know that it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    println!("{:<24} {:>8} {:>8} {:>8}   aim", "", "best", "median", "worst");
    for (args, name, aim) in ROWS {
        let mut times: Vec<Duration> = (0..RUNS).map(|_| time(folder.path(), args)).collect();
        times.sort();
        let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
        let (best, median, worst) = (times[0], times[RUNS / 2], times[RUNS - 1]);
        let held = if median <= aim { "held" } else { "MISSED" };
        println!(
            "{name:<24} {:>8} {:>8} {:>8}   {} {held}",
            ms(best),
            ms(median),
            ms(worst),
            ms(aim)
        );
    }
    served::measure(folder.path());
}

fn command(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roundtable"));
    command
        .args(args)
        .env_clear()
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("ROUNDTABLE_DATA_DIR", home.join("data"))
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

fn time(home: &Path, args: &[&str]) -> Duration {
    let began = Instant::now();
    let status = command(home, args).status().unwrap();
    let took = began.elapsed();
    assert!(status.success(), "{args:?}");
    took
}

/// One debate is held; its log is stored again and again under other ids.
fn fill(home: &Path) {
    let answer = json!({
        "position": "It should be done in stages.", "reasoning": "It is cheaper [ASSUME].",
        "keyPoints": ["cheaper", "safer"], "confidence": 0.6,
        "claims": [{"text": "Stages are cheaper", "label": "ASSUME",
                    "evidenceType": "SPECULATIVE", "citations": []}],
        "citations": [],
    });
    let agents = ["Ann", "Bea"].map(|name| json!({"name": name, "turn": [{"answer": answer}]}));
    let script = json!({"topic": "In stages?", "agent": agents}).to_string();
    std::fs::write(home.join("script.json"), script).unwrap();
    let args = ["debate", "--script", "script.json", "--clerk=none", "--rounds=1", "-q"];
    assert!(command(home, &args).stderr(Stdio::null()).status().unwrap().success());
    let began = Instant::now();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(copy(&home.join("data/roundtable.db")));
    println!("{DEBATES} debates stored in {:.1} s\n", began.elapsed().as_secs_f64());
}

async fn copy(database: &Path) {
    let store = Store::open_existing(database).await.unwrap();
    let held = store.list(&ListFilter::default()).await.unwrap().remove(0);
    let log = store.log(&held.id).await.unwrap();
    let events: Vec<_> = log.into_iter().map(|recorded| recorded.event).collect();
    let numbers: Vec<usize> = (1..DEBATES).collect();
    for part in numbers.chunks(AT_ONCE) {
        let writes = part.iter().map(|number| {
            let mut events = events.clone();
            if let Some(debate::model::Event::Opened { brief, .. }) = events.first_mut() {
                brief.topic = format!("In stages, number {number}?");
            }
            let store = store.clone();
            async move {
                let id = format!("01a00000-0000-7000-8000-{number:012x}");
                store.create(&id, held_at(*number), &events).await.unwrap();
            }
        });
        futures::future::join_all(writes).await;
    }
    store.close().await;
}

fn held_at(number: usize) -> i64 {
    1_790_000_000_000 + 60_000 * i64::try_from(number).unwrap_or(0)
}
