//! Prints what the page costs with a debate of 10 agents over 20 rounds: the first view,
//! an update while it runs, and 200 browsers that watch at once. The answers come from a
//! server of our own on this machine. It needs the program itself: build it with the same
//! profile first, or name it in `ROUNDTABLE_BIN`. `--small` after `--` holds 3 agents over
//! 2 rounds, to see that it works.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fake_provider::{FakeOptions, FakeProvider};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

const TOKEN: &str = "a-token-for-the-bench";
/// Ticks of the processor time in `/proc`, in milliseconds.
const TICK_MS: f64 = 10.0;
const VIEWS: u32 = 20;
const LATENCY: Duration = Duration::from_millis(150);

#[derive(Clone, Copy)]
struct DebateSize {
    agents: usize,
    rounds: usize,
    watchers: usize,
}

/// A server of the program, and a browser that is signed in.
struct PageServer {
    child: Child,
    address: String,
    cookie: String,
}

/// What a browser received while it watched a debate to its end.
#[derive(Default, Clone, Copy)]
struct WatchedStream {
    updates: u64,
    bytes: u64,
}

#[tokio::main]
async fn main() {
    let small = std::env::args().any(|argument| argument == "--small");
    let size = if small {
        DebateSize { agents: 3, rounds: 2, watchers: 20 }
    } else {
        DebateSize { agents: 10, rounds: 20, watchers: 200 }
    };
    let Some(program) = program() else {
        println!("the page: there is no program; build it first, or name it in ROUNDTABLE_BIN");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let fake = provider().await;
    let server = PageServer::start(&program, folder.path(), &fake.base_url()).await;
    println!("{} agents over {} rounds, {}", size.agents, size.rounds, program.display());
    // The first debate only warms the server up. Then the same without, with one and with
    // many watchers; the difference is theirs.
    server.held(&DebateSize { rounds: 1, ..size }, 0).await;
    let mut spent = Vec::new();
    for watchers in [0, 1, size.watchers] {
        let (id, used, seen) = server.held(&size, watchers).await;
        spent.push((watchers, used, seen));
        if watchers == 0 {
            server.views(&id).await;
        }
    }
    report(&spent);
    drop(server);
}

fn report(spent: &[(usize, f64, WatchedStream)]) {
    let [(_, alone, _), (_, watched, one), (many, crowded, _)] = spent else { return };
    let updates = one.updates.max(1) as f64;
    row("the server for the whole debate, nobody watching", *alone, "ms of CPU");
    row("updates that a browser received", one.updates as f64, "");
    row("bytes of one update, on average", one.bytes as f64 / updates, "bytes");
    row("an update for one watcher", (watched - alone).max(0.0) / updates, "ms of CPU");
    let each = (crowded - watched).max(0.0) / updates / (*many as f64 - 1.0).max(1.0);
    row(
        &format!("an update for {many} watchers"),
        (crowded - alone).max(0.0) / updates,
        "ms of CPU",
    );
    row("an update for each further watcher", each, "ms of CPU");
}

fn row(what: &str, value: f64, unit: &str) {
    println!("{what:<52} {value:>12.2} {unit}");
}

/// The program beside this benchmark, where it was built.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("ROUNDTABLE_BIN").map(PathBuf::from);
    let beside = std::env::current_exe().ok()?.parent()?.parent()?.join("roundtable");
    named.or_else(|| beside.exists().then_some(beside))
}

/// Answers as long as those of real models, each with claims and sources of its own.
async fn provider() -> FakeProvider {
    let count = Arc::new(AtomicU64::new(0));
    let answer = move |_: &serde_json::Value| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let claim = |place: u64| {
            json!({ "text": format!("Claim {place} of answer {number} says that part {} of the \
                    system pays for itself within {} months.", number * 3 + place, place + 2),
                "label": "FACT", "evidenceType": "DOCUMENTED", "citations": [1] })
        };
        let mut reasoning = String::new();
        for place in 0..18 {
            let _ = write!(
                reasoning,
                "Point {place} of answer {number}: the cost falls hardest \
                on a small team, and what it buys is bought later for less [1]. "
            );
        }
        json!({ "position": format!("Build it as one program with checked parts, says answer {number}."),
            "reasoning": reasoning, "keyPoints": ["One program", "Checked parts"],
            "confidence": 0.7, "claims": [claim(1), claim(2)], "vote": { "ballot": "ACCEPT" },
            "citations": [{ "number": 1, "title": format!("Report {number}"),
                "url": format!("https://example.com/report/{number}") }] })
        .to_string()
    };
    let options =
        FakeOptions { latency: LATENCY, answer: Arc::new(answer), ..FakeOptions::default() };
    FakeProvider::start(options).await.unwrap()
}

impl PageServer {
    async fn start(program: &Path, folder: &Path, provider: &str) -> PageServer {
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0"]).env_clear();
        for name in ["OLLAMA", "LLAMACPP", "LMSTUDIO", "VLLM"] {
            command.env(format!("{name}_BASE_URL"), "http://127.0.0.1:9");
        }
        command.env("HOME", folder).env("ROUNDTABLE_DATA_DIR", folder.join("data"));
        command.env("CUSTOM_BASE_URL", provider).env("ROUNDTABLE_TOKEN", TOKEN);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address = loop {
            let line = lines.next_line().await.unwrap().expect("the server ended");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.split('/').next().unwrap().to_owned();
            }
        };
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let mut server = PageServer { child, address, cookie: String::new() };
        let answer = server.post("/sign-in", &format!("token={TOKEN}")).await;
        server.cookie = header(&answer, "set-cookie").split(';').next().unwrap().to_owned();
        server
    }

    /// Holds a debate before so many watchers: its id, the processor time of the server,
    /// and what the first watcher received.
    async fn held(&self, size: &DebateSize, watchers: usize) -> (String, f64, WatchedStream) {
        let named: Vec<String> = (1..=size.agents).map(|n| format!("A{n}=custom/m{n}")).collect();
        let form = format!(
            "topic=How+shall+it+be+built+for+{watchers}%3F&named={}&rounds={}&mode=collaborative",
            named.join("%2C").replace('=', "%3D").replace('/', "%2F"),
            size.rounds
        );
        let before = self.cpu_ms();
        let answer = self.post("/new", &form).await;
        let place = header(&answer, "location");
        assert!(place.starts_with("/debates/"), "{answer}");
        let mut streams = JoinSet::new();
        for _ in 0..watchers {
            streams.spawn(watched(self.address.clone(), self.cookie.clone(), place.clone()));
        }
        let seen = streams.join_all().await.into_iter().max_by_key(|one| one.updates);
        loop {
            // A finished debate has its card; looking now and then costs next to nothing.
            let list = self.get("/").await;
            if list.contains(&place) && !list.contains("RUNNING") {
                break;
            }
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
        (place, self.cpu_ms() - before, seen.unwrap_or_default())
    }

    /// Measures the view of a finished debate.
    async fn views(&self, place: &str) {
        let page = self.get(place).await;
        let before = self.cpu_ms();
        for _ in 0..VIEWS {
            assert_eq!(self.get(place).await.len(), page.len());
        }
        let each = (self.cpu_ms() - before) / f64::from(VIEWS);
        row("the view of the finished debate", each, "ms of CPU");
        row("its size", page.len() as f64 / 1024.0, "kB");
        assert!(page.contains("class=\"card"), "the debate is not over");
    }

    fn cpu_ms(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id().unwrap()));
        let stat = stat.unwrap();
        let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
        let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
        ticks * TICK_MS
    }

    async fn get(&self, path: &str) -> String {
        self.ask(&request("GET", path, &self.address, &self.cookie, "")).await
    }

    async fn post(&self, path: &str, form: &str) -> String {
        self.ask(&request("POST", path, &self.address, &self.cookie, form)).await
    }

    async fn ask(&self, request: &str) -> String {
        let mut socket = TcpStream::connect(&self.address).await.unwrap();
        socket.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

fn request(method: &str, path: &str, host: &str, cookie: &str, form: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{form}",
        form.len()
    )
}

fn header(answer: &str, name: &str) -> String {
    let lines = answer.lines().take_while(|line| !line.is_empty());
    let mut found = lines.filter_map(|line| line.split_once(": "));
    let found = found.find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.unwrap_or_else(|| panic!("no {name}: {answer}")).1.to_owned()
}

/// Watches a debate to its end, as a browser does.
async fn watched(address: String, cookie: String, place: String) -> WatchedStream {
    let mut socket = TcpStream::connect(&address).await.unwrap();
    let asked = request("GET", &format!("{place}/events?after=0"), &address, &cookie, "");
    socket.write_all(asked.as_bytes()).await.unwrap();
    let mut seen = WatchedStream::default();
    let mut lines = BufReader::new(socket).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        seen.bytes += line.len() as u64 + 1;
        if line.starts_with(b"event: state") {
            seen.updates += 1;
        } else if line.starts_with(b"event: over") {
            break;
        }
    }
    seen
}
