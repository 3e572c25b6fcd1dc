//! Tasks: names that outlive the process, keep what their caller wants, and are
//! worth nothing to anybody else.

use serde_json::{Value, json};

use crate::http::Serving;
use crate::table::{Gate, Table, short, short_with};
use crate::wire::{Client, Era};

const TASKS: &str = "io.modelcontextprotocol/tasks";

fn knows_tasks() -> Value {
    json!({ "extensions": { TASKS: {} } })
}

fn begin(client: &mut Client, arguments: Value) -> Value {
    let begun = client.call_once("start_roundtable", json!({ "arguments": arguments }));
    assert_eq!(begun["resultType"], "task", "{begun}");
    begun
}

fn until(client: &mut Client, task: &Value, status: &str) -> Value {
    loop {
        let got = client.ask("tasks/get", json!({ "taskId": task }))["result"].clone();
        if got["status"] == status {
            return got;
        }
        assert_eq!(got["status"], "working", "{got}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_keeps_how_its_caller_wants_to_be_answered() {
    let table = Table::new().await;
    let mut client = table.client_with(Era::Modern, knows_tasks());
    let concise = begin(&mut client, short())["taskId"].clone();
    // The same start again joins the debate; only the answer is wanted longer.
    let detailed = begin(&mut client, short_with(json!({ "responseFormat": "detailed" })));
    assert_eq!(detailed["ttlMs"], Value::Null, "{detailed}");
    for moment in ["createdAt", "lastUpdatedAt"] {
        assert!(detailed[moment].as_str().unwrap().ends_with('Z'), "{detailed}");
    }
    let detailed = detailed["taskId"].clone();
    assert_ne!(concise, detailed);
    let first = [
        until(&mut client, &concise, "completed")["result"].clone(),
        until(&mut client, &detailed, "completed")["result"].clone(),
    ];
    let debates = first.each_ref().map(|result| &result["structuredContent"]["sessionId"]);
    assert_eq!(debates[0], debates[1]);
    client.leave();
    let mut client = table.client_with(Era::Modern, knows_tasks());
    let again = [
        until(&mut client, &concise, "completed")["result"].clone(),
        until(&mut client, &detailed, "completed")["result"].clone(),
    ];
    assert_eq!(first, again);
    // Nobody makes a long answer of a short one by its name.
    let (name, owner) = concise.as_str().unwrap().rsplit_once('.').unwrap();
    let forged = format!("{name}.detailed.{owner}");
    assert_eq!(client.ask("tasks/get", json!({ "taskId": forged }))["error"]["code"], -32602);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_task_that_is_cancelled_pauses_the_debate_and_loses_nothing() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    let mut client = table.client_with(Era::Modern, knows_tasks());
    let task = begin(&mut client, short())["taskId"].clone();
    until(&mut client, &task, "working");
    let answer = client.ask("tasks/cancel", json!({ "taskId": task }));
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    until(&mut client, &task, "cancelled");
    // The era's tasks have no list, and their result is in the task.
    for method in ["tasks/list", "tasks/result"] {
        let answer = client.ask(method, json!({ "taskId": task }));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    gate.open();
    // Going on is another task, and this one stays as it is.
    let id = client.result("list_sessions", json!({}))["sessions"][0]["sessionId"].clone();
    let arguments = json!({ "sessionId": id });
    let begun = client.call_once("continue_roundtable", json!({ "arguments": arguments }));
    assert_eq!(begun["resultType"], "task", "{begun}");
    assert_ne!(begun["taskId"], task);
    client.ask("tasks/cancel", json!({ "taskId": task }));
    let done = until(&mut client, &begun["taskId"], "completed");
    assert_eq!(done["result"]["structuredContent"]["status"], "completed", "{done:#}");
    until(&mut client, &task, "cancelled");
    client.leave();
    let mut client = table.client_with(Era::Modern, knows_tasks());
    until(&mut client, &task, "cancelled");
    assert_eq!(table.fake.asked("fake-large").len(), 1, "an answer was asked for twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_older_era_that_wants_a_task_gets_its_result() {
    let table = Table::new().await;
    let capabilities = json!({ "tasks": { "requests": { "tools": { "call": {} } } } });
    let mut client = table.client_with(Era::Legacy, capabilities);
    // That era's tasks are not offered, so the wish is passed over.
    let params = json!({ "arguments": short(), "task": { "ttl": 60000 } });
    let held = client.call_once("start_roundtable", params);
    assert_eq!(held["structuredContent"]["status"], "completed", "{held:#}");
    let listed = client.ask("tasks/list", json!({}));
    assert_eq!(listed["error"]["code"], -32601, "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_belongs_to_the_token_it_was_asked_with() {
    let table = Table::new().await;
    let url = table.fake.base_url();
    let post = |token: &str, method: &str, params: Value| {
        let variables = [("OLLAMA_BASE_URL", url.as_str()), ("ROUNDTABLE_TOKEN", token)];
        let server = Serving::begin(&table.home, &variables);
        let authority = format!("Bearer {token}");
        server.post_as(knows_tasks(), method, params, &[("authorization", &authority)]).message()
    };
    let (ours, theirs) = ("the-token-of-one-person", "the-token-of-somebody-else");
    let call = json!({ "name": "start_roundtable", "arguments": short() });
    let begun = post(ours, "tools/call", call)["result"].clone();
    assert_eq!(begun["resultType"], "task", "{begun}");
    let task = json!({ "taskId": begun["taskId"] });
    let got = post(ours, "tasks/get", task.clone());
    assert!(got["result"]["status"].is_string(), "{got}");
    for method in ["tasks/get", "tasks/cancel"] {
        let got = post(theirs, method, task.clone());
        assert_eq!(got["error"]["code"], -32602, "{method}: {got}");
    }
}
