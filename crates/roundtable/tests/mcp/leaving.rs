//! Clients that leave while a debate runs, a hundred times: over HTTP by closing
//! the stream of the answer, on stdio by giving the call up or by ending the
//! input. The debates are held to their end, each answer is asked for once, and
//! whoever asks later gets the result.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::http::{Serving, TOKEN};
use crate::table::{Gate, Table, short_with};
use crate::wire::{Client, Era};

const OVER_HTTP: usize = 33;
const BY_CANCEL: usize = 34;
const BY_END: usize = 33;

fn config(table: &Table) {
    table.home.file("config/roundtable/config.toml", "[server]\nmost_debates = 200\n");
}

/// A debate of its own, for a caller who would wait for it to the end.
fn patient(number: usize) -> Value {
    short_with(json!({ "idempotencyKey": number.to_string(), "waitSeconds": 600 }))
}

/// Sends a call and reads until the server has something to tell; what is
/// returned closes when it is dropped.
fn call(server: &Serving, headers: &str, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
    let body = body.to_string();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nauthorization: Bearer {TOKEN}\r\n\
         {headers}content-length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    )
    .unwrap();
    for line in BufReader::new(stream.try_clone().unwrap()).lines() {
        if line.unwrap().contains("notifications/progress") {
            return stream;
        }
    }
    panic!("the server told nothing");
}

fn start(number: usize, mut meta: Value) -> Value {
    meta["progressToken"] = number.into();
    let params = json!({ "name": "start_roundtable", "arguments": patient(number), "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params })
}

fn session(server: &Serving) -> String {
    let about = json!({ "name": "wire", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let headers =
        [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let greeted = server.send("POST", "/mcp", &headers, &hello.to_string());
    let mark = greeted.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    let session = format!("mcp-session-id: {}\r\n", mark.unwrap().trim());
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let mut headers = headers.to_vec();
    headers.push(("mcp-session-id", mark.unwrap().trim()));
    assert_eq!(server.send("POST", "/mcp", &headers, &ready.to_string()).status, 202);
    session
}

fn ask(server: &Serving, tool: &str, arguments: Value) -> Value {
    let answer = server.post("tools/call", json!({ "name": tool, "arguments": arguments }), &[]);
    answer.message()["result"]["structuredContent"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_stream_that_closes_ends_the_call_and_not_the_debate() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    config(&table);
    let url = table.fake.base_url();
    let server = Serving::begin(&table.home, &[("OLLAMA_BASE_URL", &url)]);
    let session = session(&server);
    let modern = "mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n\
                  mcp-name: start_roundtable\r\n";
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "wire", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    for number in 0..OVER_HTTP {
        let stream = match number % 3 {
            0 => call(&server, &session, &start(number, json!({}))),
            _ => call(&server, modern, &start(number, meta.clone())),
        };
        drop(stream);
    }
    let listed = ask(&server, "list_sessions", json!({ "limit": 50, "status": "running" }));
    let rows = listed["sessions"].as_array().unwrap().clone();
    assert_eq!(rows.len(), OVER_HTTP, "{listed:#}");
    gate.open();
    for row in rows {
        let read = json!({ "sessionId": row["sessionId"], "waitSeconds": 60 });
        let done = ask(&server, "get_consensus", read);
        assert_eq!(done["status"], "completed", "{done:#}");
        assert_eq!(done["agentResponses"].as_array().unwrap().len(), 2, "{done:#}");
    }
    assert_eq!(table.asked(), 2 * OVER_HTTP, "somebody was asked twice, or not at all");
}

/// Starts a debate, and returns when its call is waiting.
fn begin(client: &mut Client, number: usize) -> i64 {
    let meta = json!({ "progressToken": number });
    let params = json!({ "name": "start_roundtable", "arguments": patient(number), "_meta": meta });
    let request = client.post("tools/call", params);
    loop {
        let message = client.next();
        if message["params"]["progressToken"] == number {
            return request;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_call_that_ran_out_of_time_leaves_the_debate_alone() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    config(&table);
    let mut clients = [table.client(Era::Legacy), table.client(Era::Modern)];
    for number in 0..BY_CANCEL {
        let client = &mut clients[number % 2];
        let request = begin(client, number);
        let params = json!({ "requestId": request, "reason": "Request timed out" });
        let method = "notifications/cancelled";
        client.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }
    let [first, _] = &mut clients;
    let listed = first.result("list_sessions", json!({ "limit": 50, "status": "running" }));
    let rows = listed["sessions"].as_array().unwrap().clone();
    assert_eq!(rows.len(), BY_CANCEL, "{listed:#}");
    gate.open();
    for row in rows {
        let read = json!({ "sessionId": row["sessionId"], "waitSeconds": 60 });
        assert_eq!(first.result("get_consensus", read)["status"], "completed");
    }
    assert_eq!(table.asked(), 2 * BY_CANCEL, "somebody was asked twice, or not at all");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn an_input_that_ends_pauses_every_debate_and_another_process_ends_them() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    config(&table);
    let mut numbers = 0..BY_END;
    for _ in 0..3 {
        let mut client = table.client(Era::Modern);
        for number in numbers.by_ref().take(BY_END / 3) {
            begin(&mut client, number);
        }
        // Every one of these calls would wait ten minutes.
        let left = client.leave();
        assert_eq!((left.code, left.stderr.as_str()), (Some(0), ""), "{left:?}");
    }
    let mut client = table.client(Era::Legacy);
    let listed = client.result("list_sessions", json!({ "limit": 50, "status": "paused" }));
    let rows = listed["sessions"].as_array().unwrap().clone();
    assert_eq!(rows.len(), BY_END, "{listed:#}");
    gate.open();
    for row in rows {
        let done = client.result("continue_roundtable", json!({ "sessionId": row["sessionId"] }));
        assert_eq!(done["status"], "completed", "{done:#}");
    }
    assert_eq!(table.fake.asked("fake-large").len(), BY_END, "an answer was asked for twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_user_who_calls_it_off_while_being_asked_has_started_nothing() {
    let table = Table::new().await;
    table.home.file(
        "config/roundtable/config.toml",
        "[server]\nconfirm_above = 0.001\n\
         [prices.\"mistral/fake-large\"]\ninput = 10\noutput = 50\n",
    );
    let mut client = table.client_with(Era::Legacy, json!({ "elicitation": { "form": {} } }));
    let agents = ["Ann=mistral/fake-large", "Bea=mistral/fake-large"];
    // The budget would stand for consent where nobody can be asked.
    let arguments = short_with(json!({ "agents": agents, "budgetUsd": 20 }));
    let request =
        client.post("tools/call", json!({ "name": "start_roundtable", "arguments": arguments }));
    assert_eq!(client.next()["method"], "elicitation/create");
    let params = json!({ "requestId": request, "reason": "The user pressed Escape" });
    let method = "notifications/cancelled";
    client.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    // Whatever the client still does with the form.
    for _ in 0..3 {
        assert_eq!(client.result("list_sessions", json!({}))["sessions"], json!([]));
    }
    assert_eq!(client.leave().code, Some(0));
    assert_eq!(table.asked(), 0);
    assert!(!table.home.database().exists(), "a debate was written down");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn who_looks_away_from_anothers_debate_does_not_stop_it() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    let mut owner = table.client(Era::Legacy);
    let mut guest = table.client(Era::Modern);
    let args = short_with(json!({ "waitSeconds": 0 }));
    let id = owner.result("start_roundtable", args)["sessionId"].clone();
    let meta = json!({ "progressToken": "look" });
    let arguments = json!({ "sessionId": id, "waitSeconds": 600 });
    let look = json!({ "name": "get_consensus", "arguments": arguments, "_meta": meta });
    let give_up = |client: &mut Client| {
        let request = client.post("tools/call", look.clone());
        while client.next()["method"] != "notifications/progress" {}
        let params = json!({ "requestId": request, "reason": "The user pressed Escape" });
        let method = "notifications/cancelled";
        client.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    };
    let now = json!({ "sessionId": id, "waitSeconds": 0 });
    give_up(&mut guest);
    for _ in 0..5 {
        assert_eq!(guest.result("get_consensus", now.clone())["status"], "running");
    }
    // The same from whoever started it means the debate.
    give_up(&mut owner);
    while owner.result("get_consensus", now.clone())["status"] != "paused" {}
    gate.open();
    let done = owner.result("continue_roundtable", json!({ "sessionId": id }));
    assert_eq!(done["status"], "completed", "{done:#}");
}
