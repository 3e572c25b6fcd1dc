//! One, two and three nodes on one PostgreSQL server, with models that answer after 200 ms: how
//! many debates end in a second, and the processor time of the nodes and of the database. The
//! server is started by `tools/postgres` and waits for its disk.
//!
//! The program is the one beside this benchmark (`cargo build` with the same profile) or the one
//! named in `ROUNDTABLE_BIN`. Arguments after `--`: `--small` (60 debates instead of 300).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fake_provider::{FakeOptions, FakeProvider};
use serde_json::json;
use store::{ListFilter, Store, StoreAddress};

const TOKEN: &str = "a-secret-of-more-than-sixteen-letters";
/// Ticks of processor time in a second, as Linux counts them.
const TICKS: f64 = 100.0;
/// Two agents and two rounds.
const ANSWERS: usize = 4;

#[tokio::main]
async fn main() {
    // `cargo test --benches` only wants to know that it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let program = program().expect("build the program first, or name it in ROUNDTABLE_BIN");
    let debates = if std::env::args().any(|argument| argument == "--small") { 60 } else { 300 };
    let latency = Duration::from_millis(200);
    let models = FakeProvider::start(FakeOptions { latency, ..FakeOptions::default() }).await;
    let models = models.unwrap();
    println!("{} · {debates} debates of {ANSWERS} answers after 200 ms", program.display());
    println!(
        "nodes  debates/s  answers/s  processors of nodes  of the database  ms of it per debate"
    );
    for nodes in 1..=3 {
        let database = Database::start();
        let took = hold(&program, &models, &database, nodes, debates).await;
        let seconds = took.wall.as_secs_f64();
        println!(
            "{nodes:>5}  {:>9.1}  {:>9.1}  {:>19.2}  {:>15.2}  {:>19.1}",
            debates as f64 / seconds,
            (debates * ANSWERS) as f64 / seconds,
            took.nodes / seconds,
            took.database / seconds,
            took.database * 1_000.0 / debates as f64,
        );
    }
}

fn program() -> Option<PathBuf> {
    let named = std::env::var_os("ROUNDTABLE_BIN").map(PathBuf::from);
    let beside = std::env::current_exe().ok()?.parent()?.parent()?.join("roundtable");
    named.or_else(|| beside.exists().then_some(beside))
}

/// Times in seconds of the processor, and on the wall.
struct Took {
    wall: Duration,
    nodes: f64,
    database: f64,
}

async fn hold(
    program: &Path,
    models: &FakeProvider,
    database: &Database,
    nodes: usize,
    debates: usize,
) -> Took {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(StoreAddress::server(&database.address).unwrap()).await.unwrap();
    let nodes: Vec<Node> = (0..nodes)
        .map(|node| {
            let home = folder.path().join(node.to_string());
            Node::start(program, &home, &models.origin(), &database.address)
        })
        .collect();
    let before = (nodes.iter().map(Node::seconds).sum::<f64>(), database.seconds());
    let began = Instant::now();
    tokio::task::block_in_place(|| {
        std::thread::scope(|scope| {
            for worker in 0..8 {
                let nodes = &nodes;
                scope.spawn(move || {
                    for number in (worker..debates).step_by(8) {
                        nodes[number % nodes.len()].begin(number);
                    }
                });
            }
        });
    });
    for status in ["created", "active"] {
        let filter =
            ListFilter { status: Some(status.into()), limit: Some(1), ..ListFilter::default() };
        while !store.list(&filter).await.unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    let wall = began.elapsed();
    let after = (nodes.iter().map(Node::seconds).sum::<f64>(), database.seconds());
    store.close().await;
    Took { wall, nodes: after.0 - before.0, database: after.1 - before.1 }
}

struct Node {
    process: Child,
    address: String,
}

impl Node {
    fn start(program: &Path, home: &Path, models: &str, database: &str) -> Node {
        let config = home.join("config/roundtable/config.toml");
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        let limits =
            "[server]\nmost_debates = 256\nmost_queued = 1000\nstarts_per_minute = 100000\n";
        std::fs::write(config, limits).unwrap();
        let mut process = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env_clear()
            .env("HOME", home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("ROUNDTABLE_DATA_DIR", home.join("data"))
            .env("ROUNDTABLE_DATABASE_URL", database)
            .env("ROUNDTABLE_TOKEN", TOKEN)
            .env("OLLAMA_BASE_URL", models)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(process.stderr.take().unwrap());
        said.read_line(&mut line).unwrap();
        let address = line.split_once("://").expect(&line).1;
        let address = address.trim().strip_suffix("/mcp").unwrap().to_owned();
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Node { process, address }
    }

    /// Starts a debate and does not wait for its end.
    fn begin(&self, number: usize) {
        let arguments = json!({
            "topic": format!("Should the change number {number} be made in stages?"),
            "agents": ["Ann=ollama/fake-large", "Bea=ollama/fake-small"],
            "rounds": 2, "clerk": "none", "waitSeconds": 0,
            "flags": ["groupthinkDetection.enabled=false"],
        });
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": "start_roundtable", "arguments": arguments, "_meta": meta });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let (body, address) = (body.to_string(), &self.address);
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
             authorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
             mcp-method: tools/call\r\nmcp-name: start_roundtable\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let started = answer.starts_with("HTTP/1.1 200") && !answer.contains("\"isError\":true");
        assert!(started, "{answer}");
    }

    fn seconds(&self) -> f64 {
        seconds_of(self.process.id())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The fields of a process's stat line after its name.
fn stat(process: u32) -> Option<Vec<String>> {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(line.rsplit_once(") ")?.1.split(' ').map(str::to_owned).collect())
}

/// Processor time of a process and of its children that have ended.
fn seconds_of(process: u32) -> f64 {
    let Some(fields) = stat(process) else { return 0.0 };
    (11..15).filter_map(|field| fields.get(field)?.parse::<f64>().ok()).sum::<f64>() / TICKS
}

struct Database {
    address: String,
    folder: tempfile::TempDir,
}

impl Database {
    fn start() -> Database {
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        let folder = tempfile::Builder::new().permissions(open).tempdir().unwrap();
        let address = tool(&["start"], folder.path(), &["on"]);
        Database { address, folder }
    }

    /// Processor time of all of its processes.
    fn seconds(&self) -> f64 {
        let file = self.folder.path().join("server/data/postmaster.pid");
        let first = std::fs::read_to_string(file).unwrap();
        let main: u32 = first.lines().next().unwrap().trim().parse().unwrap();
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let own =
            |id: &u32| stat(*id).is_some_and(|fields| fields.get(1) == Some(&main.to_string()));
        ids.filter(own).chain([main]).map(seconds_of).sum()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        tool(&["stop"], self.folder.path(), &[]);
    }
}

fn tool(what: &[&str], folder: &Path, more: &[&str]) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/postgres");
    let mut command = Command::new(script);
    let done = command.args(what).arg(folder.join("server")).args(more).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}
