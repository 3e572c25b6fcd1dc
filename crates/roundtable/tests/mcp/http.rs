//! The server over HTTP, spoken to byte by byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Home;
use crate::table::{Table, short};

pub const TOKEN: &str = "a-secret-of-more-than-sixteen-letters";

pub struct Serving {
    pub process: Child,
    pub address: String,
    /// The token that goes with every request that names none itself.
    pub token: Option<String>,
}

impl Serving {
    /// Starts a server with a token.
    pub fn begin(home: &Home, variables: &[(&str, &str)]) -> Serving {
        let variables = [&[("ROUNDTABLE_TOKEN", TOKEN)], variables].concat();
        let mut serving = Serving::begin_as(home, &[], &variables);
        serving.token = Some(TOKEN.into());
        serving
    }

    pub fn begin_as(home: &Home, args: &[&str], variables: &[(&str, &str)]) -> Serving {
        let mut process = Command::new(assert_cmd::cargo::cargo_bin("roundtable"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(args)
            .env_clear()
            .envs(home.variables())
            .envs(variables.iter().copied())
            .current_dir(home.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(process.stderr.take().unwrap());
        said.read_line(&mut line).unwrap();
        let address = line.rsplit_once("://").expect(&line).1;
        let address = address.trim().strip_suffix("/mcp").unwrap().to_owned();
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Serving { process, address, token: None }
    }

    /// Sends a request and reads the whole answer.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head.push_str(&format!("host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let named = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        if let Some(token) = self.token.as_ref().filter(|_| !named) {
            head.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses may stop reading before all is sent.
        let _ = stream.write_all(body.as_bytes());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        Answer::read(&String::from_utf8_lossy(&text))
    }

    /// A request of the stateless era.
    pub fn post(&self, method: &str, params: Value, more: &[(&str, &str)]) -> Answer {
        self.post_as(json!({}), method, params, more)
    }

    /// The same from a client that can do more.
    pub fn post_as(
        &self,
        capabilities: Value,
        method: &str,
        mut params: Value,
        more: &[(&str, &str)],
    ) -> Answer {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "wire", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let name = ["name", "taskId", "uri"].iter().find_map(|field| params[field].as_str());
        let name = name.unwrap_or_default().to_owned();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut headers = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
        ];
        if !name.is_empty() {
            headers.push(("mcp-name", &name));
        }
        headers.extend(more);
        self.send("POST", "/mcp", &headers, &body.to_string())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    /// The head as it was sent.
    pub text: String,
    pub body: String,
}

impl Answer {
    fn read(text: &str) -> Answer {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_lowercase(), text: head.to_owned(), body: body.to_owned() }
    }

    /// The last message in the body, be it alone or in a stream of events.
    pub fn message(&self) -> Value {
        let lines = self.body.lines().rev();
        let mut messages = lines.filter_map(|line| {
            serde_json::from_str::<Value>(line.strip_prefix("data:").unwrap_or(line).trim()).ok()
        });
        messages.find(Value::is_object).unwrap_or_else(|| panic!("no message in {self:?}"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debate_is_held_over_http_in_both_eras() {
    let table = Table::new().await;
    let url = table.fake.base_url();
    let server = Serving::begin(&table.home, &[("OLLAMA_BASE_URL", &url)]);
    let call = json!({ "name": "start_roundtable", "arguments": short() });
    let held = server.post("tools/call", call.clone(), &[]);
    assert_eq!(held.status, 200, "{held:?}");
    assert!(!held.head.contains("access-control"), "{}", held.head);
    let result = held.message()["result"]["structuredContent"].clone();
    assert_eq!(result["status"], "completed", "{held:?}");
    // The older era: a session first.
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "wire", "version": "1" },
        },
    });
    let headers =
        [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let greeted = server.send("POST", "/mcp", &headers, &hello.to_string());
    let marks = greeted.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    let session = marks.unwrap_or_else(|| panic!("{greeted:?}")).to_owned();
    let read = json!({ "sessionId": result["sessionId"] });
    let call = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "get_consensus", "arguments": read },
    });
    let mut known = headers.to_vec();
    known.push(("mcp-session-id", &session));
    let seen = server.send("POST", "/mcp", &known, &call.to_string());
    assert_eq!(seen.message()["result"]["structuredContent"]["status"], "completed", "{seen:?}");
    // A session nobody opened is not one.
    let mut stranger = headers.to_vec();
    stranger.push(("mcp-session-id", "0123456789abcdef"));
    assert_eq!(server.send("POST", "/mcp", &stranger, &call.to_string()).status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_browser_could_be_tricked_into_is_refused() {
    let home = Home::new();
    let server = Serving::begin(&home, &[]);
    let list = |more: &[(&str, &str)]| server.post("tools/list", json!({}), more).status;
    assert_eq!(list(&[]), 200);
    for origin in ["http://localhost:3000", "http://127.0.0.1:80", "http://[::1]:9"] {
        assert_eq!(list(&[("origin", origin)]), 200, "{origin}");
    }
    for origin in ["http://evil.example", "https://localhost.evil.example", "null"] {
        assert_eq!(list(&[("origin", origin)]), 403, "{origin}");
    }
    assert_eq!(list(&[("host", "evil.example")]), 403);
    let json_type = ("content-type", "application/json");
    let accepts = ("accept", "application/json, text/event-stream");
    let plain = [("content-type", "text/plain"), accepts];
    assert_eq!(server.send("POST", "/mcp", &plain, "{}").status, 415);
    let broken = server.send("POST", "/mcp", &[json_type, accepts], "{\"jsonrpc\": ");
    assert_eq!(broken.status, 400);
    assert_eq!(broken.message()["error"]["code"], -32700, "{broken:?}");
    let large = format!("\"{}\"", "x".repeat(5 * 1024 * 1024));
    assert_eq!(server.send("POST", "/mcp", &[json_type, accepts], &large).status, 413);
    let preflight = [("origin", "http://evil.example"), ("access-control-request-method", "POST")];
    let answer = server.send("OPTIONS", "/mcp", &preflight, "");
    assert!(!answer.head.contains("access-control-allow"), "{answer:?}");
    // The page wants its own sign-in.
    assert_eq!(server.send("GET", "/", &[], "").status, 303);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_asked_for_and_compared() {
    let home = Home::new();
    let mut server = Serving::begin(&home, &[]);
    server.token = None;
    let right = format!("Bearer {TOKEN}");
    let wrong = format!("Bearer {TOKEN}x");
    let none = server.post("tools/list", json!({}), &[]);
    assert_eq!(none.status, 401);
    assert!(none.head.contains("www-authenticate: bearer realm=\"roundtable\""), "{none:?}");
    for sent in [wrong.as_str(), "Bearer", "Basic abc", ""] {
        let answer = server.post("tools/list", json!({}), &[("authorization", sent)]);
        assert_eq!(answer.status, 401, "{sent:?}");
        assert!(answer.head.contains("invalid_token"), "{answer:?}");
        assert!(!answer.body.contains(TOKEN));
    }
    // Nothing but the header counts.
    let query = format!("/mcp?access_token={TOKEN}");
    assert_eq!(server.send("POST", &query, &[], "{}").status, 401);
    let answer = server.post("tools/list", json!({}), &[("authorization", &right)]);
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn a_server_that_cannot_be_is_refused_before_it_listens() {
    let home = Home::new();
    let said = home.refused(&["serve", "--listen", "0.0.0.0:0"]);
    assert!(said.contains("ROUNDTABLE_TOKEN") && said.contains("127.0.0.1"), "{said}");
    let said = home.refused(&["serve", "--listen", "0.0.0.0:0", "--token", "short"]);
    assert!(said.contains("16"), "{said}");
    let unread = [("ROUNDTABLE_MAX_WAIT_SECONDS", "soon")];
    for command in [&["mcp"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let did = home.run_with(command, &unread);
        assert_eq!((did.code, did.stdout.as_str()), (2, ""), "{did:?}");
        assert!(did.stderr.contains("ROUNDTABLE_MAX_WAIT_SECONDS"), "{did:?}");
    }
    let said = home.refused(&["serve", "--listen", "nonsense"]);
    assert!(said.contains("nonsense") && said.contains("127.0.0.1:8765"), "{said}");
}

#[test]
fn too_many_requests_are_put_off() {
    let home = Home::new();
    let server = Serving::begin(&home, &[]);
    // More than a client ever sends at once, from more than one thread.
    let put_off = std::thread::scope(|scope| {
        let send = || {
            let server = &server;
            scope.spawn(move || (0..400).any(|_| server.send("GET", "/", &[], "").status == 429))
        };
        let threads: Vec<_> = (0..8).map(|_| send()).collect();
        threads.into_iter().any(|thread| thread.join().unwrap())
    });
    assert!(put_off, "3,200 requests at once were all answered");
}

pub const WANTED: [(&str, &str); 2] =
    [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];

/// How a client of the older era begins.
pub fn hello() -> String {
    let client = json!({ "name": "wire", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_ended_is_gone() {
    let home = Home::new();
    let serving = Serving::begin(&home, &[]);
    let (wanted, hello) = (WANTED, hello());
    let begun = serving.send("POST", "/mcp", &wanted, &hello);
    let session = begun.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    let session = ("mcp-session-id", session.expect("no session").trim());
    assert_eq!(serving.send("DELETE", "/mcp", &[session], "").status, 204);
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }).to_string();
    let headers = [wanted[0], wanted[1], session];
    assert_eq!(serving.send("POST", "/mcp", &headers, &list).status, 404);
}

#[test]
fn health_is_told_without_a_token_and_nothing_else_is() {
    let home = Home::new();
    let mut serving = Serving::begin(&home, &[]);
    serving.token = None;
    let healthy = serving.send("GET", "/healthz", &[], "");
    assert_eq!((healthy.status, healthy.body.as_str()), (200, "ok\n"));
    assert_eq!(serving.send("GET", "/readyz", &[], "").status, 200);
    assert_eq!(serving.send("POST", "/mcp", &[], "{}").status, 401);
    // A database that is none stops the server from taking debates, not from answering.
    std::fs::create_dir_all(home.path().join("data")).unwrap();
    std::fs::write(home.path().join("data/roundtable.db"), "this is no database").unwrap();
    let mut other = Serving::begin_as(&home, &[], &[]);
    other.token = None;
    assert_eq!(other.send("GET", "/readyz", &[], "").status, 503);
    assert_eq!(other.send("GET", "/healthz", &[], "").status, 200);
}

#[test]
fn a_variable_says_where_to_listen_and_is_named_when_it_is_wrong() {
    let home = Home::new();
    let run = |args: &[&str], listen: &str| {
        Command::new(assert_cmd::cargo::cargo_bin("roundtable"))
            .args(args)
            .env_clear()
            .envs(home.variables())
            .env("ROUNDTABLE_LISTEN", listen)
            .output()
            .unwrap()
    };
    let wrong = run(&["serve"], "8765");
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert_eq!(wrong.status.code(), Some(2), "{said}");
    assert!(said.contains("ROUNDTABLE_LISTEN: \"8765\" is not an address and a port"), "{said}");
    // Off loopback a token is needed, so the variable was heard; the flag is nearer.
    let open = run(&["serve"], "0.0.0.0:0");
    assert!(String::from_utf8_lossy(&open.stderr).contains("0.0.0.0:0"), "{open:?}");
    let nearer = run(&["serve", "--listen", "nowhere"], "0.0.0.0:0");
    assert!(
        String::from_utf8_lossy(&nearer.stderr).contains("--listen: \"nowhere\""),
        "{nearer:?}"
    );
}
