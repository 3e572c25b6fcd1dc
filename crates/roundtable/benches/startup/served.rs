//! The MCP server on standard input and output: how soon it answers, and how much
//! memory it takes, idle and with a hundred debates on their way.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use fake_provider::{FakeOptions, FakeProvider};
use serde_json::{Value, json};

const RUNNING: usize = 100;
const RUNS: usize = 20;

struct Server {
    process: Child,
    lines: BufReader<std::process::ChildStdout>,
    number: i64,
}

impl Server {
    fn start(home: &Path, models: &str) -> Server {
        let mut process = super::command(home, &["mcp"])
            .env("OLLAMA_BASE_URL", models)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap());
        let mut server = Server { process, lines, number: 0 };
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" } });
        server.ask("initialize", &hello);
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn send(&mut self, message: &Value) {
        let input = self.process.stdin.as_mut().unwrap();
        writeln!(input, "{message}").and_then(|()| input.flush()).unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let id = self.number;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the server has gone");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    fn mebibytes(&self) -> f64 {
        let path = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
        let kib = line.split_whitespace().nth(1).and_then(|kib| kib.parse::<f64>().ok());
        kib.unwrap_or(0.0) / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

pub fn measure(home: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let options = FakeOptions { latency: Duration::from_secs(60), ..FakeOptions::default() };
    let fake = runtime.block_on(FakeProvider::start(options)).unwrap();
    let models = fake.base_url();
    let folder = home.join("config/roundtable");
    std::fs::create_dir_all(&folder).unwrap();
    let most = format!("[server]\nmost_debates = {RUNNING}\n");
    std::fs::write(folder.join("config.toml"), most).unwrap();
    let first = (0..RUNS).map(|_| {
        let began = Instant::now();
        drop(Server::start(home, &models));
        began.elapsed()
    });
    println!("\nmcp, first answer        {:>8.1} ms   aim 300 ms", median(first.collect()));
    let mut server = Server::start(home, &models);
    println!("mcp, memory when idle    {:>8.1} MiB", server.mebibytes());
    let mut timed = |name: &str, method: &str, params: Value| {
        let times = (0..RUNS).map(|_| {
            let began = Instant::now();
            server.ask(method, &params);
            began.elapsed()
        });
        println!("{name:<24} {:>8.1} ms", median(times.collect()));
    };
    timed("mcp, tools/list", "tools/list", json!({}));
    let list = json!({ "name": "list_sessions", "arguments": {} });
    timed("mcp, list_sessions", "tools/call", list);
    let running = json!({ "name": "list_sessions", "arguments": { "status": "running" } });
    timed("… those that run", "tools/call", running);
    for number in 0..RUNNING {
        let arguments = json!({
            "topic": format!("Tabs or spaces, number {number}?"), "background": true,
            "agents": ["ollama/fake-large", "ollama/fake-small"], "rounds": 1, "clerk": "none",
        });
        let begun = server.call("start_roundtable", &arguments);
        assert_ne!(begun["isError"], true, "{begun}");
    }
    println!("mcp, memory with {RUNNING:>3}     {:>8.1} MiB", server.mebibytes());
}
