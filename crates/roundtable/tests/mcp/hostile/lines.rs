//! Messages that no client should send, over both ways in. Each is answered, so that no
//! client waits for ever, with the number of the request wherever it can be known, and
//! the next message is served as if nothing had happened.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::http::{Serving, WANTED};
use crate::support::Home;

/// A message, the code it is answered with, and its number if that can be known.
fn corpus() -> Vec<(String, i64, Value)> {
    let long = "x".repeat(17 * 1024 * 1024);
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let call = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#)
    };
    vec![
        (call(r#"{"name":"\ud800"}"#), -32700, json!(7)),
        (call(r#"{"name":"\udfff\ud800x"}"#), -32700, json!(7)),
        (
            r#"{"method":"ping","params":{"x":"\ud800"},"jsonrpc":"2.0","id":"a"}"#.into(),
            -32700,
            json!("a"),
        ),
        (call(&format!("{{\"name\":\"{long}\"}}")), -32700, json!(7)),
        (
            format!(r#"{{"method":"ping","params":{{"x":"{long}"}},"jsonrpc":"2.0","id":8}}"#),
            -32700,
            json!(8),
        ),
        (call(&deep), -32700, json!(7)),
        ("nonsense".into(), -32700, Value::Null),
        ("{".into(), -32700, Value::Null),
        ("\u{0}".into(), -32700, Value::Null),
        (r#"{"jsonrpc":"2.0","id":9,"method":"ping""#.into(), -32700, json!(9)),
        (call("[1]"), -32600, json!(7)),
        (r#"{"jsonrpc":"2.0","id":10}"#.into(), -32600, json!(10)),
        (r#"{"jsonrpc":"2.0","id":11,"method":12}"#.into(), -32600, json!(11)),
        (r#"{"id":12,"method":"ping"}"#.into(), -32600, json!(12)),
        ("[]".into(), -32600, Value::Null),
        ("17".into(), -32600, Value::Null),
        ("null".into(), -32600, Value::Null),
    ]
}

#[test]
fn lines_that_are_no_messages_are_answered_on_stdio() {
    let home = Home::new();
    let mut process = Command::new(assert_cmd::cargo::cargo_bin("roundtable"))
        .arg("mcp")
        .env_clear()
        .envs(home.variables())
        .current_dir(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = process.stdin.take().unwrap();
    let mut output = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut answer = || -> Value {
        let line = output.next().expect("the server has ended").unwrap();
        serde_json::from_str(&line).expect("a line that is no JSON")
    };
    for greeted in [false, true] {
        for (message, code, id) in corpus() {
            let shown: String = message.chars().take(80).collect();
            input.write_all(message.as_bytes()).unwrap();
            input.write_all(b"\n").unwrap();
            let said = answer();
            assert_eq!(said["error"]["code"], code, "{shown}: {said}");
            assert_eq!(said["id"], id, "{shown}: {said}");
        }
        // Bytes that are no text.
        input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":13,\"method\":\"\xff\"}\n").unwrap();
        let said = answer();
        assert_eq!((&said["error"]["code"], &said["id"]), (&json!(-32700), &json!(13)), "{said}");
        if !greeted {
            writeln!(input, "{}", crate::http::hello()).unwrap();
            assert!(answer()["result"]["serverInfo"].is_object());
            let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            writeln!(input, "{ready}").unwrap();
        }
    }
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/list" })).unwrap();
    assert_eq!(answer()["id"], 99);
    drop(input);
    assert!(process.wait().unwrap().success());
}

#[test]
fn http_answers_errors_as_json() {
    let home = Home::new();
    let server = Serving::begin(&home, &[]);
    for (message, code, id) in corpus() {
        let shown: String = message.chars().take(80).collect();
        let said = server.send("POST", "/mcp", &WANTED, &message);
        if message.len() > 4 * 1024 * 1024 {
            assert_eq!((said.status, &said.message()["error"]["code"]), (413, &json!(-32000)));
            continue;
        }
        assert_eq!(said.status, 400, "{shown}: {said:?}");
        assert_eq!(said.message()["error"]["code"], code, "{shown}: {said:?}");
        assert_eq!(said.message()["id"], id, "{shown}: {said:?}");
    }
    let good = crate::http::hello();
    let json_type = ("content-type", "application/json");
    let session = ("mcp-session-id", "nobody-opened-it");
    for (status, method, headers, body) in [
        (415, "POST", vec![("content-type", "text/plain"), WANTED[1]], good.as_str()),
        (406, "POST", vec![json_type, ("accept", "text/plain")], &good),
        (403, "POST", vec![WANTED[0], WANTED[1], ("origin", "http://evil.example")], &good),
        (403, "POST", vec![WANTED[0], WANTED[1], ("host", "evil.example")], &good),
        (404, "POST", vec![WANTED[0], WANTED[1], session], &good),
        (401, "POST", vec![WANTED[0], WANTED[1], ("authorization", "Bearer x")], &good),
        (405, "PUT", vec![], ""),
    ] {
        let said = server.send(method, "/mcp", &headers, body);
        assert_eq!(said.status, status, "{headers:?}: {said:?}");
        assert!(said.head.contains("content-type: application/json"), "{headers:?}: {said:?}");
        let error = said.message()["error"].clone();
        assert!(error["code"].is_i64() && error["message"].is_string(), "{headers:?}: {said:?}");
    }
}
