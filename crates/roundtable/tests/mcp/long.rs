//! Debates that outlive the calls that ask for them.

use serde_json::{Value, json};

use crate::table::{Gate, Table, short, short_with};
use crate::wire::{BOTH, Client, Era};

/// Starts a debate whose second agent does not answer yet.
fn begin(client: &mut Client) -> String {
    let started = client.result("start_roundtable", short_with(json!({ "waitSeconds": 0 })));
    assert!(["running", "queued"].contains(&started["status"].as_str().unwrap()), "{started:#}");
    assert_eq!(started["next"][0]["tool"], "get_consensus");
    started["sessionId"].as_str().unwrap().to_owned()
}

/// Looks until the debate stands so; each look waits by itself.
fn until(client: &mut Client, id: &str, status: &str) -> Value {
    for _ in 0..100 {
        let seen = client.result("get_consensus", json!({ "sessionId": id, "waitSeconds": 1 }));
        if seen["status"] == status {
            return seen;
        }
    }
    panic!("the debate never was {status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_call_waits_as_long_as_it_may_and_the_debate_goes_on() {
    for era in BOTH {
        let gate = Gate::default();
        let table = Table::gated(&gate).await;
        let mut client = table.client(era);
        let args = short_with(json!({ "waitSeconds": 1 }));
        let meta = json!({ "progressToken": "news" });
        let begun = client
            .call_once("start_roundtable", json!({ "arguments": args.clone(), "_meta": meta }));
        let first = begun["structuredContent"].clone();
        assert_eq!(first["status"], "running", "{first:#}");
        assert!(first["progress"]["pollAfterSeconds"].is_u64());
        let id = first["sessionId"].as_str().unwrap().to_owned();
        // The same again joins it, whoever asks and however long they wait.
        let again = client.result("start_roundtable", short_with(json!({ "waitSeconds": 0 })));
        assert_eq!(again["sessionId"], first["sessionId"]);
        assert!(again["notices"][0].as_str().unwrap().contains("same debate"), "{again:#}");
        assert_eq!(table.asked(), 2, "somebody was asked twice");
        gate.open();
        let done = until(&mut client, &id, "completed");
        assert!(done.get("progress").is_none(), "{done:#}");
        told_in_order(&client.heard);
        assert_eq!(table.asked(), 2);
    }
}

/// Progress grows, has words, and belongs to the call that wanted it.
fn told_in_order(heard: &[Value]) {
    let news: Vec<&Value> =
        heard.iter().filter(|one| one["method"] == "notifications/progress").collect();
    assert!(!news.is_empty());
    let mut before = -1.0;
    for one in news {
        let params = &one["params"];
        assert_eq!(params["progressToken"], "news");
        let progress = params["progress"].as_f64().unwrap();
        assert!(progress > before, "{progress} after {before}");
        assert!(params["total"].as_f64().unwrap() >= progress);
        let words = params["message"].as_str().unwrap();
        assert!(!words.is_empty() && words.chars().count() <= 200, "{words}");
        before = progress;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn an_end_of_input_pauses_what_runs_and_nothing_is_lost() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    let mut client = table.client(Era::Modern);
    let id = begin(&mut client);
    // One of the two answers is in; the other waits at the gate.
    while table.asked() < 2 {
        client.result("get_consensus", json!({ "sessionId": id, "waitSeconds": 0 }));
    }
    // A call that waits must not keep the process.
    let waits = json!({ "name": "get_consensus", "arguments": { "sessionId": id } });
    client.post("tools/call", waits);
    let left = client.leave();
    assert_eq!((left.code, left.stderr.as_str()), (Some(0), ""), "{left:?}");
    gate.open();
    let mut client = table.client(Era::Legacy);
    let seen = client.result("get_consensus", json!({ "sessionId": id }));
    assert_eq!(seen["status"], "paused", "{seen:#}");
    assert_eq!(seen["next"][0]["tool"], "continue_roundtable");
    let done = client.result("continue_roundtable", json!({ "sessionId": id }));
    assert_eq!(done["status"], "completed", "{done:#}");
    assert_eq!(table.fake.asked("fake-large").len(), 1, "an answer was asked for twice");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_killed_server_leaves_a_debate_that_another_goes_on_with() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    let mut client = table.client(Era::Legacy);
    let id = begin(&mut client);
    loop {
        let seen = client.result("get_consensus", json!({ "sessionId": id, "waitSeconds": 1 }));
        if seen["progress"]["turns"] == 1 {
            break;
        }
    }
    client.kill();
    gate.open();
    let mut client = table.client(Era::Modern);
    let seen = client.result("get_consensus", json!({ "sessionId": id }));
    assert_eq!(seen["status"], "paused", "{seen:#}");
    assert!(seen["summary"].as_str().unwrap().contains("process that ran it has ended"));
    let done = client.result("continue_roundtable", json!({ "sessionId": id }));
    assert_eq!(done["status"], "completed", "{done:#}");
    assert_eq!(table.fake.asked("fake-large").len(), 1, "an answer was asked for twice");
    assert!(done["metadata"]["possiblyBilledUsd"].is_null(), "a local model costs nothing");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_client_out_of_time_detaches_and_a_user_who_aborts_pauses() {
    for (reason, status) in [
        ("McpError: MCP error -32001: Request timed out", "running"),
        ("The operation was aborted by the user", "paused"),
    ] {
        let gate = Gate::default();
        let table = Table::gated(&gate).await;
        let mut client = table.client(Era::Legacy);
        let number =
            client.post("tools/call", json!({ "name": "start_roundtable", "arguments": short() }));
        while table.asked() < 2 {
            client.result("list_sessions", json!({}));
        }
        let given_up = json!({ "requestId": number, "reason": reason });
        let method = "notifications/cancelled";
        client.send(&json!({ "jsonrpc": "2.0", "method": method, "params": given_up }));
        let listed = client.result("list_sessions", json!({}));
        let id = listed["sessions"][0]["sessionId"].as_str().unwrap().to_owned();
        let seen = match status {
            "paused" => until(&mut client, &id, "paused"),
            _ => client.result("get_consensus", json!({ "sessionId": id, "waitSeconds": 0 })),
        };
        assert_eq!(seen["status"], status, "{reason}");
        gate.open();
        let done = match status {
            "paused" => client.result("continue_roundtable", json!({ "sessionId": id })),
            _ => until(&mut client, &id, "completed"),
        };
        assert_eq!(done["status"], "completed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn silence_is_broken_before_a_client_gives_up() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    let mut client = table.client(Era::Legacy);
    let arguments = short_with(json!({ "waitSeconds": 60 }));
    let meta = json!({ "progressToken": "news" });
    let params = json!({ "name": "start_roundtable", "arguments": arguments, "_meta": meta });
    let number = client.post("tools/call", params);
    // Ann has answered; from then on nothing happens but the sign of life.
    let mut lines: Vec<String> = Vec::new();
    while lines.len() < 2 || lines[lines.len() - 1] != lines[lines.len() - 2] {
        let message = client.next();
        lines.push(message["params"]["message"].as_str().unwrap().to_owned());
        client.heard.push(message);
    }
    gate.open();
    client.answer(number, &mut |asked| panic!("nobody expected to be asked: {asked}"));
    told_in_order(&client.heard);
}

/// A client whose server died calls the same again: the debate goes on, and what
/// was answered is not asked again.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn the_same_start_after_a_kill_goes_on_with_the_same_debate() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    let mut client = table.client(Era::Modern);
    let id = begin(&mut client);
    client.kill();
    gate.open();
    let mut client = table.client(Era::Modern);
    let again = client.result("start_roundtable", short_with(json!({ "waitSeconds": 0 })));
    assert_eq!(again["sessionId"], id.as_str(), "{again:#}");
    assert!(again["notices"][0].as_str().unwrap().contains("same debate"), "{again:#}");
    until(&mut client, &id, "completed");
    let asked = table.asked();
    client.kill();
    // When it has ended it is shown, and nobody is asked.
    let mut client = table.client(Era::Legacy);
    let shown = client.result("start_roundtable", short_with(json!({ "waitSeconds": 0 })));
    assert_eq!((&shown["sessionId"], &shown["status"]), (&json!(id), &json!("completed")));
    assert_eq!(table.asked(), asked);
    let other = short_with(json!({ "waitSeconds": 0, "rounds": 2 }));
    assert_ne!(client.result("start_roundtable", other)["sessionId"], id.as_str());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn debates_beyond_the_limit_wait_for_their_turn() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    table.home.file("config/roundtable/config.toml", "[server]\nmost_debates = 1\n");
    let mut client = table.client(Era::Modern);
    let first = begin(&mut client);
    let args = short_with(json!({ "waitSeconds": 0, "idempotencyKey": "another" }));
    let second = client.result("start_roundtable", args);
    assert_ne!(second["sessionId"], first.as_str());
    assert_eq!(second["status"], "queued", "{second:#}");
    assert!(table.asked() <= 2, "a debate that waits has asked somebody");
    gate.open();
    until(&mut client, &first, "completed");
    until(&mut client, second["sessionId"].as_str().unwrap(), "completed");
    assert_eq!(table.asked(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_debate_is_steered_and_seen_from_another_process() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    let mut one = table.client(Era::Legacy);
    let mut two = table.client(Era::Modern);
    let id = begin(&mut one);
    let seen = two.result("get_consensus", json!({ "sessionId": id, "waitSeconds": 0 }));
    assert_eq!(seen["status"], "running", "{seen:#}");
    let remark = json!({ "sessionId": id, "action": "remark", "text": "Think of the budget." });
    assert_eq!(two.result("control_session", remark)["status"], "running");
    let stop = json!({ "sessionId": id, "action": "stop" });
    let params = json!({ "name": "control_session", "arguments": stop });
    let number = two.post("tools/call", params);
    // The debate counts as paused until the answer on its way is in.
    until(&mut one, &id, "paused");
    gate.open();
    let stopped = two.answer(number, &mut |asked| panic!("nobody expected to be asked: {asked}"));
    // It returns when the debate is stopped, with its verdict.
    let stopped = &stopped["result"]["structuredContent"];
    assert_eq!(stopped["status"], "completed", "{stopped:#}");
    assert!(stopped["decision"]["actionRecommendation"]["type"].is_string(), "{stopped:#}");
    let done = until(&mut one, &id, "completed");
    assert_eq!(done["metadata"]["exit"]["code"], "stopped", "{done:#}");
}

/// Watches a debate as a resource, in the way of its era.
fn watch(client: &mut Client, era: Era, id: &str) {
    let uri = format!("roundtable://sessions/{id}");
    match era {
        Era::Legacy => {
            let answer = client.ask("resources/subscribe", json!({ "uri": uri }));
            assert!(answer["result"].is_object(), "{answer}");
        }
        Era::Modern => {
            let wanted = json!({ "notifications": { "resourceSubscriptions": [uri] } });
            client.post("subscriptions/listen", wanted);
        }
    }
}

/// Returns when a change of the debate has been told.
fn hear_of_change(client: &mut Client, id: &str) {
    let uri = format!("roundtable://sessions/{id}");
    let told = |one: &Value| {
        one["method"] == "notifications/resources/updated" && one["params"]["uri"] == *uri
    };
    while !client.heard.iter().any(told) {
        let message = client.next();
        client.heard.push(message);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_resource_that_is_watched_tells_of_changes_in_both_eras() {
    for era in BOTH {
        let gate = Gate::default();
        let table = Table::gated(&gate).await;
        let mut client = table.client(era);
        let id = begin(&mut client);
        watch(&mut client, era, &id);
        gate.open();
        until(&mut client, &id, "completed");
        hear_of_change(&mut client, &id);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_debate_that_stands_still_is_watched_until_it_goes_on() {
    for era in BOTH {
        let gate = Gate::default();
        let table = Table::gated(&gate).await;
        let mut client = table.client(Era::Legacy);
        let id = begin(&mut client);
        client.leave();
        gate.open();
        let mut client = table.client(era);
        watch(&mut client, era, &id);
        let seen = client.result("get_consensus", json!({ "sessionId": id }));
        assert_eq!(seen["status"], "paused", "{seen:#}");
        // Another process goes on with it.
        table.client(Era::Modern).result("continue_roundtable", json!({ "sessionId": id }));
        hear_of_change(&mut client, &id);
    }
}
