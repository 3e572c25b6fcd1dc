//! The MCP server as a process of its own, and what the system says about it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// Ticks of processor time in a second, as Linux counts them.
const TICKS: f64 = 100.0;

pub struct Server {
    process: Child,
    lines: BufReader<ChildStdout>,
    number: i64,
}

impl Server {
    /// Starts the server. Its debates cost nothing that is paid, so the day has no limit: with the
    /// usual one many debates wait for money.
    pub fn start(program: &Path, home: &Path, models: &str) -> Server {
        let settings = home.join("config/roundtable");
        std::fs::create_dir_all(&settings).unwrap();
        std::fs::write(settings.join("config.toml"), "daily_budget = 0\n").unwrap();
        let mut command = Command::new(program);
        command
            .arg("mcp")
            .env_clear()
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("ROUNDTABLE_DATA_DIR", home.join("data"))
            .env("OLLAMA_BASE_URL", models)
            .env("OPENAI_BASE_URL", models)
            .env("OPENAI_API_KEY", "none");
        Server::begin(command, home)
    }

    /// Starts the server of another tool, which asks three models.
    pub fn start_peer(program: &Path, home: &Path, models: &str) -> Server {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("CUSTOM_BASE_URL", models)
            .env("CUSTOM_MODELS", "m0,m1,m2")
            .env("CUSTOM_API_KEY", "none-is-needed-for-these-models");
        Server::begin(command, home)
    }

    fn begin(mut command: Command, home: &Path) -> Server {
        let mut process = command
            .env("HOME", home)
            .current_dir(home)
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

    fn answer(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the server has gone");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer.get("id").is_some() && answer.get("method").is_none() {
                assert!(answer.get("error").is_none(), "{answer}");
                return answer["result"].clone();
            }
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let id = self.number;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.answer()
    }

    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Ends the server as a client does that leaves: its file is at rest then.
    pub fn close(mut self) {
        drop(self.process.stdin.take());
        self.process.wait().unwrap();
    }

    /// Makes all calls before it waits for the first answer.
    pub fn call_all(&mut self, tool: &str, all: Vec<Value>) {
        let count = all.len();
        for arguments in all {
            self.number += 1;
            let (id, params) = (self.number, json!({ "name": tool, "arguments": arguments }));
            let method = "tools/call";
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        }
        for _ in 0..count {
            let begun = self.answer();
            assert_ne!(begun["isError"], true, "{begun}");
        }
    }

    fn told(&self, file: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.process.id())).unwrap_or_default()
    }

    fn field(&self, file: &str, name: &str) -> f64 {
        let told = self.told(file);
        let line = told.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or_default()
    }

    pub fn mebibytes(&self) -> f64 {
        self.field("status", "VmRSS:") / 1024.0
    }

    pub fn written_bytes(&self) -> u64 {
        self.field("io", "write_bytes:") as u64
    }

    /// Waits until the server does nothing more by itself: after its first debate it checks a large
    /// store in the background, once. Returns the processor time of that, in milliseconds.
    pub fn rest(&self) -> f64 {
        let began = self.processor_ms();
        loop {
            let before = self.processor_ms();
            std::thread::sleep(std::time::Duration::from_secs(3));
            if self.processor_ms() - before < 30.0 {
                return before - began;
            }
        }
    }

    /// Processor time of all threads so far, those that have ended included.
    pub fn processor_ms(&self) -> f64 {
        let told = self.told("stat");
        // The name of the program may hold spaces; the fields begin behind it.
        let fields = told.rsplit_once(')').map_or("", |(_, fields)| fields);
        let times = fields.split_whitespace().skip(11).take(2);
        times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * 1e3 / TICKS
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
