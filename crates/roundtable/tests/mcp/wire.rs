//! A client that speaks the raw protocol to the binary: one message per line, no
//! library in between that could forgive what a strict client would not.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Home;

/// Nothing that is tested here takes longer, on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Which way the client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    Legacy,
    Modern,
}

pub const BOTH: [Era; 2] = [Era::Legacy, Era::Modern];

pub struct Client {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    era: Era,
    capabilities: Value,
    number: i64,
    /// Notifications that came in, in order.
    pub heard: Vec<Value>,
    /// What the tools promise to give, by name.
    outputs: Vec<(String, Value)>,
}

/// Answers what the server asks while a call runs.
pub type Helper<'a> = &'a mut dyn FnMut(&Value) -> Value;

impl Client {
    pub fn begin(home: &Home, era: Era, variables: &[(&str, &str)], capabilities: Value) -> Client {
        let mut client = Client::silent(home, era, variables, capabilities);
        client.greet();
        client
    }

    /// A client that has said nothing yet.
    pub fn silent(
        home: &Home,
        era: Era,
        variables: &[(&str, &str)],
        capabilities: Value,
    ) -> Client {
        let mut process = Command::new(assert_cmd::cargo::cargo_bin("roundtable"))
            .arg("mcp")
            .env_clear()
            .envs(home.variables())
            .envs(variables.iter().copied())
            .current_dir(home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let input = process.stdin.take();
        Client {
            process,
            input,
            lines,
            era,
            capabilities,
            number: 0,
            heard: Vec::new(),
            outputs: Vec::new(),
        }
    }

    fn greet(&mut self) {
        let about = json!({ "name": "wire", "version": "1" });
        match self.era {
            Era::Legacy => {
                let capabilities = self.capabilities.clone();
                let params = json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": capabilities,
                    "clientInfo": about,
                });
                let answer = self.ask("initialize", params);
                assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
                self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
            }
            Era::Modern => {
                let answer = self.ask("server/discover", json!({}));
                let versions = answer["result"]["supportedVersions"].as_array().unwrap();
                assert!(versions.contains(&"2026-07-28".into()), "{answer}");
            }
        }
        let listed = self.ask("tools/list", json!({}));
        for tool in listed["result"]["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap().to_owned();
            self.outputs.push((name, tool["outputSchema"].clone()));
        }
    }

    pub fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the input was closed");
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    /// Sends a request and returns its number.
    pub fn post(&mut self, method: &str, mut params: Value) -> i64 {
        self.number += 1;
        if self.era == Era::Modern {
            let meta = params.as_object_mut().unwrap().entry("_meta").or_insert(json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "wire", "version": "1" });
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        let number = self.number;
        self.send(&json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params }));
        number
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let number = self.post(method, params);
        self.answer(number, &mut |asked| panic!("nobody expected to be asked: {asked}"))
    }

    /// Waits for the answer to a request; what the server asks meanwhile is
    /// answered by `helper`.
    pub fn answer(&mut self, number: i64, helper: Helper<'_>) -> Value {
        loop {
            let message = self.next();
            if message.get("method").is_some() {
                match message.get("id") {
                    Some(id) => {
                        let result = helper(&message);
                        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                        self.send(&answer);
                    }
                    None => self.heard.push(message),
                }
                continue;
            }
            if message["id"] == number {
                return message;
            }
        }
    }

    /// The next message, whatever it is. Every line must be one.
    pub fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server said nothing");
        let message: Value = serde_json::from_str(&line).expect("a line that is no JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Calls a tool; the result must be complete.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call_once(tool, json!({ "arguments": arguments }));
        assert_ne!(result["resultType"], "input_required", "{result}");
        result
    }

    /// Calls a tool with more than arguments.
    pub fn call_once(&mut self, tool: &str, mut params: Value) -> Value {
        params["name"] = tool.into();
        let number = self.post("tools/call", params);
        let answer =
            self.answer(number, &mut |asked| panic!("nobody expected to be asked: {asked}"));
        self.checked(tool, &answer)
    }

    /// The result of a call, which must be what the tool promises.
    pub fn checked(&self, tool: &str, answer: &Value) -> Value {
        let result = answer["result"].clone();
        assert!(result.is_object(), "{tool}: {answer}");
        let modern = self.era == Era::Modern;
        assert_eq!(result.get("resultType").is_some(), modern, "{result}");
        if result["isError"] == false {
            self.fits(tool, &result["structuredContent"]);
            assert_eq!(result["content"][0]["type"], "text", "{result}");
        }
        result
    }

    pub fn fits(&self, tool: &str, structured: &Value) {
        let (_, schema) = self.outputs.iter().find(|(name, _)| name == tool).unwrap();
        let validator = jsonschema::validator_for(schema).unwrap();
        let faults: Vec<String> =
            validator.iter_errors(structured).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{tool}: {faults:?} in {structured:#}");
    }

    /// The structured result of a call that must succeed.
    pub fn result(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result:#}");
        result["structuredContent"].clone()
    }

    /// The words of a call that must be refused.
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result:#}");
        assert!(result.get("structuredContent").is_none(), "{result:#}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Ends the input and waits until the process has ended.
    pub fn leave(mut self) -> Left {
        drop(self.input.take());
        let begun = std::time::Instant::now();
        let status = self.process.wait().unwrap();
        let after = begun.elapsed();
        let rest: Vec<String> = self.lines.iter().collect();
        for line in &rest {
            serde_json::from_str::<Value>(line).expect("a line that is no JSON");
        }
        let mut stderr = String::new();
        std::io::Read::read_to_string(&mut self.process.stderr.take().unwrap(), &mut stderr)
            .unwrap();
        Left { code: status.code(), after, stderr, rest }
    }

    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// How a process went.
#[derive(Debug)]
pub struct Left {
    pub code: Option<i32>,
    pub after: Duration,
    pub stderr: String,
    /// What it still said.
    pub rest: Vec<String>,
}
