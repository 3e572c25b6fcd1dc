//! The log that clients may ask for: for the whole connection in the older era,
//! for one call in the other.

use serde_json::{Value, json};

use crate::table::{Table, short, short_with};
use crate::wire::{Client, Era};

/// What was logged, in order.
fn logged(client: &Client) -> Vec<Value> {
    let lines = client.heard.iter().filter(|one| one["method"] == "notifications/message");
    lines.map(|one| one["params"].clone()).collect()
}

fn names(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["data"]["event"].as_str().unwrap()).collect()
}

/// Takes in messages until this was logged.
fn hear(client: &mut Client, event: &str) {
    while !logged(client).iter().any(|line| line["data"]["event"] == event) {
        let message = client.next();
        client.heard.push(message);
    }
}

fn set(client: &mut Client, level: &str) -> Value {
    client.ask("logging/setLevel", json!({ "level": level }))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_hears_what_is_at_its_level_and_nothing_before_it_asks() {
    let table = Table::new().await;
    let mut client = table.client(Era::Legacy);
    client.result("start_roundtable", short());
    assert!(logged(&client).is_empty(), "{:?}", client.heard);
    let refused = set(&mut client, "loud")["error"].clone();
    assert_eq!(refused["code"], -32602);
    assert!(refused["message"].as_str().unwrap().contains("notice"), "{refused}");
    assert_eq!(set(&mut client, "info")["result"], json!({}));
    let args = short_with(json!({ "rounds": 2, "idempotencyKey": "info" }));
    let held = client.result("start_roundtable", args);
    hear(&mut client, "ended");
    let lines = logged(&client);
    assert_eq!(names(&lines), ["started", "round_ended", "round_ended", "ended"]);
    for line in &lines {
        assert_eq!(line["logger"], "roundtable.debate");
        assert_eq!(line["data"]["sessionId"], held["sessionId"], "{line}");
        assert!(["info", "notice"].contains(&line["level"].as_str().unwrap()), "{line}");
        assert!(line["data"]["message"].as_str().unwrap().len() > 10, "{line}");
    }
    let began = lines[0]["data"]["message"].as_str().unwrap();
    assert!(began.contains("collaborative") && began.contains("2 agents"), "{began}");
    assert_eq!(lines[1]["data"]["round"], 1, "{}", lines[1]);
    assert!(lines[1]["data"]["agreement"].is_f64(), "{}", lines[1]);
    // At another level, from now on.
    client.heard.clear();
    set(&mut client, "debug");
    client.result("start_roundtable", short_with(json!({ "idempotencyKey": "debug" })));
    hear(&mut client, "ended");
    let lines = logged(&client);
    let answered = lines.iter().filter(|line| line["data"]["event"] == "answered").count();
    assert_eq!(answered, 2, "{lines:?}");
    client.heard.clear();
    set(&mut client, "error");
    client.result("start_roundtable", short_with(json!({ "idempotencyKey": "error" })));
    assert_eq!(client.leave().code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_asks_for_a_log_gets_it_and_no_other_does() {
    let table = Table::new().await;
    let mut client = table.client(Era::Modern);
    assert_eq!(set(&mut client, "info")["error"]["code"], -32601);
    client.result("start_roundtable", short());
    assert!(logged(&client).is_empty(), "{:?}", client.heard);
    let args = short_with(json!({ "idempotencyKey": "another" }));
    let meta = json!({ "io.modelcontextprotocol/logLevel": "info" });
    let held = client.call_once("start_roundtable", json!({ "arguments": args, "_meta": meta }));
    assert_eq!(held["structuredContent"]["status"], "completed", "{held:#}");
    // All of it came before the answer.
    assert_eq!(names(&logged(&client)), ["started", "round_ended", "ended"]);
    client.heard.clear();
    let meta = json!({ "io.modelcontextprotocol/logLevel": "error" });
    let args = short_with(json!({ "idempotencyKey": "third" }));
    client.call_once("start_roundtable", json!({ "arguments": args, "_meta": meta }));
    assert!(logged(&client).is_empty(), "{:?}", client.heard);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_waited_for_and_who_gave_no_answer_is_a_warning() {
    let table = Table::new().await;
    let mut client = table.client(Era::Legacy);
    set(&mut client, "warning");
    // Bea's first try is told to wait a little; Cem never answers.
    let agents =
        ["Ann=ollama/fake-large", "Bea=ollama/fault:rate_ms@1", "Cem=ollama/fault:forbidden"];
    client.result("start_roundtable", short_with(json!({ "agents": agents })));
    hear(&mut client, "missed");
    hear(&mut client, "held_up");
    for line in logged(&client) {
        let who = if line["data"]["event"] == "held_up" { "Bea waits" } else { "Cem gave" };
        assert!(line["data"]["message"].as_str().unwrap().starts_with(who), "{line}");
        assert_eq!(line["level"], "warning", "{line}");
        assert_eq!(line["data"]["round"], 1, "{line}");
    }
}
