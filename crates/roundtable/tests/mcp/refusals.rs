//! What a model gets wrong is told to it in words it can act on; only mistakes
//! in the protocol are protocol errors, and nothing is half done.

use serde_json::{Value, json};

use crate::table::{Table, short, short_with};
use crate::wire::{BOTH, Client};

/// Tool, arguments, and what the refusal must name.
fn cases(id: &str) -> Vec<(&'static str, Value, Vec<&'static str>)> {
    let on = |more: Value| {
        let mut args = json!({ "sessionId": id });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    vec![
        ("start_roundtable", json!({}), vec!["topic is required"]),
        ("start_roundtable", short_with(json!({ "topic": "" })), vec!["topic", "1 to 10000"]),
        (
            "start_roundtable",
            short_with(json!({ "topic": "x".repeat(10_001) })),
            vec!["topic", "10001", "1 to 10000"],
        ),
        (
            "start_roundtable",
            // Everything that is wrong is said at once.
            short_with(
                json!({ "rounds": 99, "agentCuont": 3, "waitSeconds": "long", "mode": "x" }),
            ),
            vec![
                "rounds: 99",
                "1 to 20",
                "agentCuont",
                "agentCount",
                "waitSeconds",
                "mode",
                "delphi",
            ],
        ),
        (
            "start_roundtable",
            short_with(json!({ "agents": ["nobody/x", "ollama/fake-large"] })),
            vec!["nobody", "provider"],
        ),
        (
            "start_roundtable",
            short_with(json!({ "agents": ["client", "ollama/fake-large"] })),
            vec!["client", "none that offers its model is connected"],
        ),
        (
            "start_roundtable",
            short_with(json!({ "flags": ["exitCriteria.enabled=perhaps"] })),
            vec!["exitCriteria.enabled", "true or false"],
        ),
        (
            "start_roundtable",
            short_with(json!({ "budgetUsd": -1 })),
            vec!["budgetUsd", "0 or more"],
        ),
        ("get_consensus", json!({ "sessionId": "nope" }), vec!["nope", "list_sessions"]),
        ("get_consensus", json!({ "sessionId": 7 }), vec!["sessionId: 7", "a string"]),
        ("get_consensus", on(json!({ "round": 9 })), vec!["round 9", "held so far: 1"]),
        ("get_round_details", on(json!({ "round": 9 })), vec!["round 9"]),
        ("get_round_details", on(json!({ "cursor": "soon" })), vec!["cursor", "nextCursor"]),
        ("get_response_detail", on(json!({ "agent": "Zoe" })), vec!["Zoe", "Ann"]),
        ("get_citations", on(json!({ "limit": 0 })), vec!["limit", "1 to 50"]),
        ("list_sessions", json!({ "cursor": "x" }), vec!["cursor"]),
        ("list_sessions", json!({ "status": "done" }), vec!["status", "completed"]),
        ("control_session", on(json!({ "action": "pause" })), vec!["completed", "get_consensus"]),
        ("control_session", on(json!({ "action": "explode" })), vec!["action", "stop"]),
        ("control_session", on(json!({ "action": "remark" })), vec!["text is required"]),
        ("continue_roundtable", on(json!({})), vec!["completed", "question"]),
        (
            "continue_roundtable",
            on(json!({ "contextResults": [{ "requestId": "c1", "content": "x" }] })),
            vec!["c1", "nothing is open"],
        ),
        (
            "continue_roundtable",
            on(json!({ "contextResults": [{ "requestId": "c1" }] })),
            vec!["contextResults[0]", "declined"],
        ),
        ("synthesize_debate", on(json!({})), vec!["clerk"]),
        ("export_session", on(json!({ "format": "pdf" })), vec!["format", "markdown"]),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_calls_are_refused_with_what_to_do_instead() {
    for era in BOTH {
        let table = Table::new().await;
        let mut client = table.client(era);
        let held = client.result("start_roundtable", short());
        let id = held["sessionId"].as_str().unwrap().to_owned();
        let asked = table.asked();
        for (tool, arguments, named) in cases(&id) {
            let said = client.refused(tool, arguments.clone());
            for word in named {
                assert!(said.contains(word), "{tool} {arguments}: no {word:?} in {said:?}");
            }
            assert!(!said.contains("--"), "an option of the command line: {said}");
        }
        assert_eq!(table.asked(), asked, "somebody was asked");
        let listed = client.result("list_sessions", json!({}));
        assert_eq!(listed["sessions"].as_array().unwrap().len(), 1, "{listed:#}");
        past_the_end(&mut client, &id);
    }
}

/// Paging past the end is no error: there is nothing more.
fn past_the_end(client: &mut Client, id: &str) {
    for tool in ["get_round_details", "get_thoughts", "get_citations", "export_session"] {
        let result = client.result(tool, json!({ "sessionId": id, "cursor": "99999" }));
        assert!(result.get("nextCursor").is_none(), "{tool}: {result:#}");
    }
    let last = client.result("list_sessions", json!({ "cursor": "1_0" }));
    assert_eq!(last["sessions"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_in_the_protocol_are_protocol_errors() {
    let table = Table::new().await;
    for era in BOTH {
        let mut client = table.client(era);
        let cases = [
            ("tools/call", json!({ "name": "no_such_tool", "arguments": {} }), -32602),
            ("tools/call", json!({ "name": "list_sessions", "arguments": "x" }), -32602),
            ("tools/call", json!({ "arguments": {} }), -32602),
            ("prompts/get", json!({ "name": "nobody" }), -32602),
            ("no/such/method", json!({}), -32601),
        ];
        for (method, params, code) in cases {
            let answer = client.ask(method, params.clone());
            assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
        }
        // It is still there.
        client.result("list_sessions", json!({}));
        let left = client.leave();
        assert_eq!((left.code, left.stderr.as_str()), (Some(0), ""), "{left:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_made_by_looking() {
    let table = Table::new().await;
    let mut client = table.client(crate::wire::Era::Modern);
    client.result("list_sessions", json!({}));
    client.result("get_agents", json!({ "includeMissing": true }));
    client.refused("get_consensus", json!({ "sessionId": "x" }));
    client.ask("resources/list", json!({}));
    let _ = client.leave();
    assert!(!table.home.database().exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_are_no_messages_are_passed_over() {
    let table = Table::new().await;
    let mut client = table.client(crate::wire::Era::Legacy);
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/unheard_of" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 4711, "result": {} }));
    let answer = client.ask("tools/list", json!({}));
    assert!(answer["result"]["tools"].is_array());
}
