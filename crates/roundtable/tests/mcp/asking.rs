//! What the server asks of its clients: whether it may cost that much, what only
//! the user knows, and their own model's words. Clients that cannot, and users
//! who will not, are met in each case.

use std::sync::Arc;

use fake_provider::{DEFAULT_ANSWER, FakeOptions};
use serde_json::{Value, json};

use crate::table::{Table, short, short_with};
use crate::wire::{BOTH, Client, Era};

/// What a client that is sent away brings back, by the name it was asked under.
fn bring(asked: &Value, answer: &mut dyn FnMut(&Value) -> Value) -> Value {
    let requests = asked["inputRequests"].as_object().unwrap();
    let responses: serde_json::Map<String, Value> =
        requests.iter().map(|(key, request)| (key.clone(), answer(request))).collect();
    responses.into()
}

/// Calls a tool as a client that answers what it is asked, in its era's way.
fn call_asked(
    client: &mut Client,
    era: Era,
    tool: &str,
    arguments: Value,
    answer: &mut dyn FnMut(&Value) -> Value,
) -> Value {
    let mut params = json!({ "name": tool, "arguments": arguments });
    loop {
        let number = client.post("tools/call", params.clone());
        let got = client.answer(number, answer);
        let result = client.checked(tool, &got);
        if era == Era::Legacy || result["resultType"] != "input_required" {
            return result;
        }
        params["inputResponses"] = bring(&result, answer);
        params["requestState"] = result["requestState"].clone();
    }
}

const DEAR: &str = "[server]\nconfirm_above = 0.001\n\
    [prices.\"mistral/fake-large\"]\ninput = 10\noutput = 50\n\
    [prices.\"mistral/fake-small\"]\ninput = 10\noutput = 50\n";

fn dear(more: Value) -> Value {
    let agents = json!(["Ann=mistral/fake-large", "Bea=mistral/fake-small"]);
    let mut args = short_with(json!({ "agents": agents }));
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    args
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dear_debate_is_confirmed_by_the_user_where_there_is_one() {
    let yes = json!({ "action": "accept", "content": { "proceed": true } });
    let no = json!({ "action": "accept", "content": { "proceed": false } });
    for era in BOTH {
        for (answer, held) in [
            (yes.clone(), true),
            (no.clone(), false),
            (json!({ "action": "decline" }), false),
            (json!({ "action": "cancel" }), false),
        ]
        .iter()
        {
            let table = Table::new().await;
            table.home.file("config/roundtable/config.toml", DEAR);
            let mut client = table.client_with(era, json!({ "elicitation": { "form": {} } }));
            let mut asked = 0;
            let result =
                call_asked(&mut client, era, "start_roundtable", dear(json!({})), &mut |form| {
                    asked += 1;
                    assert_eq!(form["method"], "elicitation/create");
                    assert!(form["params"]["message"].as_str().unwrap().contains('$'), "{form}");
                    answer.clone()
                });
            assert_eq!(asked, 1);
            assert_eq!(result["isError"], !held, "{answer}: {result:#}");
            assert_eq!(table.asked() > 0, *held);
            if !held {
                let said = result["content"][0]["text"].as_str().unwrap();
                assert!(
                    said.contains("budgetUsd") && said.contains("Nothing was started"),
                    "{said}"
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_can_be_asked_a_budget_stands_for_consent() {
    let table = Table::new().await;
    table.home.file("config/roundtable/config.toml", DEAR);
    let mut client = table.client(Era::Modern);
    let said = client.refused("start_roundtable", dear(json!({})));
    assert!(said.contains("budgetUsd"), "{said}");
    let held = client.result("start_roundtable", dear(json!({ "budgetUsd": 20 })));
    assert_eq!(held["status"], "completed", "{held:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_carries_back_must_be_ours() {
    let table = Table::new().await;
    table.home.file("config/roundtable/config.toml", DEAR);
    let mut client = table.client_with(Era::Modern, json!({ "elicitation": {} }));
    let asked = client.call_once("start_roundtable", json!({ "arguments": dear(json!({})) }));
    let state = asked["requestState"].as_str().unwrap().to_owned();
    let yes = json!({ "confirm": { "action": "accept", "content": { "proceed": true } } });
    // One letter in the middle of it is another.
    let middle = state.len() / 2;
    let letter = if state[middle..].starts_with('A') { "B" } else { "A" };
    let forged = format!("{}{letter}{}", &state[..middle], &state[middle + 1..]);
    let other = dear(json!({ "rounds": 2 }));
    for (state, arguments) in
        [(forged, dear(json!({}))), ("x".to_owned(), dear(json!({}))), (state.clone(), other)]
    {
        let params = json!({
            "name": "start_roundtable", "arguments": arguments, "requestState": state,
            "inputResponses": yes,
        });
        let answer = client.ask("tools/call", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    assert_eq!(table.asked(), 0);
    // Who comes back with nothing is asked once more.
    let params = json!({ "arguments": dear(json!({})), "requestState": state });
    let again = client.call_once("start_roundtable", params);
    assert_eq!(again["resultType"], "input_required", "{again}");
    let params =
        json!({ "arguments": dear(json!({})), "requestState": state, "inputResponses": yes });
    let held = client.call_once("start_roundtable", params);
    assert_eq!(held["structuredContent"]["status"], "completed", "{held:#}");
}

/// A table where Ann needs to know something before she can answer.
async fn curious() -> Table {
    let calls = |body: &Value, results: usize| {
        let told = body.to_string().contains("Forty people");
        (results == 0 && !told && body["model"] == "mistral-large-latest").then(|| {
            let wanted = json!({
                "question": "How many people use it?", "why": "It decides the size.",
                "priority": "required",
            });
            ("request_context".to_owned(), wanted)
        })
    };
    Table::with(FakeOptions { calls: Arc::new(calls), ..FakeOptions::default() }).await
}

fn curious_args() -> Value {
    short_with(json!({ "agents": ["Ann=mistral/mistral-large-latest", "Bea=ollama/fake-small"] }))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_agents_need_to_know_is_asked_of_the_user_at_once() {
    for era in BOTH {
        let table = curious().await;
        let mut client = table.client_with(era, json!({ "elicitation": { "form": {} } }));
        let mut asked = Vec::new();
        let args = curious_args();
        let result = call_asked(&mut client, era, "start_roundtable", args, &mut |form| {
            asked.push(form["params"]["message"].as_str().unwrap().to_owned());
            json!({ "action": "accept", "content": { "answer": "Forty people." } })
        });
        assert_eq!(result["structuredContent"]["status"], "completed", "{result:#}");
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert!(asked[0].contains("How many people use it?") && asked[0].contains("Ann"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_grows_through_a_call_that_asks_in_between() {
    let table = curious().await;
    let mut client = table.client_with(Era::Legacy, json!({ "elicitation": { "form": {} } }));
    let meta = json!({ "progressToken": "news" });
    let params = json!({ "name": "start_roundtable", "arguments": curious_args(), "_meta": meta });
    let number = client.post("tools/call", params);
    let answer = client.answer(
        number,
        &mut |_| json!({ "action": "accept", "content": { "answer": "Forty people." } }),
    );
    assert_eq!(answer["result"]["structuredContent"]["status"], "completed", "{answer:#}");
    let news = client.heard.iter().filter(|one| one["method"] == "notifications/progress");
    let told: Vec<f64> = news.map(|one| one["params"]["progress"].as_f64().unwrap()).collect();
    assert!(told.len() >= 3 && told.is_sorted_by(|one, next| one < next), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_does_not_fall_when_a_call_is_repeated_with_an_answer() {
    let table = curious().await;
    let mut client = table.client_with(Era::Modern, json!({ "elicitation": { "form": {} } }));
    let meta = json!({ "progressToken": "news" });
    let params = json!({ "arguments": curious_args(), "_meta": meta });
    let asked = client.call_once("start_roundtable", params.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked:#}");
    let mut again = params;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = bring(
        &asked,
        &mut |_| json!({ "action": "accept", "content": { "answer": "Forty people." } }),
    );
    let held = client.call_once("start_roundtable", again);
    assert_eq!(held["structuredContent"]["status"], "completed", "{held:#}");
    let news = client.heard.iter().filter(|one| one["method"] == "notifications/progress");
    let told: Vec<f64> = news.map(|one| one["params"]["progress"].as_f64().unwrap()).collect();
    assert!(told.len() >= 3 && told.is_sorted_by(|one, next| one < next), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_cannot_or_will_not_ask_answers_by_a_call() {
    let declining = json!({ "elicitation": { "form": {} } });
    for (era, capabilities) in [
        (Era::Legacy, json!({})),
        (Era::Modern, json!({})),
        (Era::Legacy, declining.clone()),
        (Era::Modern, declining),
    ] {
        let table = curious().await;
        let mut client = table.client_with(era, capabilities);
        let args = curious_args();
        let result = call_asked(
            &mut client,
            era,
            "start_roundtable",
            args,
            &mut |_| json!({ "action": "decline" }),
        );
        let waiting = &result["structuredContent"];
        assert_eq!(waiting["status"], "needs_context", "{waiting:#}");
        let request = &waiting["contextRequests"][0];
        assert_eq!(request["question"], "How many people use it?");
        assert_eq!(waiting["next"][0]["tool"], "continue_roundtable");
        let id = waiting["sessionId"].clone();
        let stranger = json!([{ "requestId": "c9", "content": "x" }]);
        let said = client
            .refused("continue_roundtable", json!({ "sessionId": id, "contextResults": stranger }));
        assert!(said.contains("c9") && said.contains("c1"), "{said}");
        let told = json!([{ "requestId": request["requestId"], "content": "Forty people." }]);
        let args = json!({ "sessionId": id, "contextResults": told });
        let done = call_asked(&mut client, era, "continue_roundtable", args, &mut |_| {
            panic!("nothing is open")
        });
        assert_eq!(done["structuredContent"]["status"], "completed", "{done:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clients_own_model_takes_a_seat() {
    for era in BOTH {
        let table = Table::new().await;
        let mut client = table.client_with(era, json!({ "sampling": {} }));
        let agents = client.result("get_agents", json!({}));
        let rows = agents["agents"].as_array().unwrap();
        assert!(rows.iter().any(|row| row["provider"] == "client"), "{agents:#}");
        let args =
            short_with(json!({ "agents": ["Own=client", "Bea=ollama/fake-small"], "rounds": 2 }));
        let mut asked = 0;
        let result = call_asked(&mut client, era, "start_roundtable", args, &mut |request| {
            assert_eq!(request["method"], "sampling/createMessage", "{request}");
            let params = &request["params"];
            assert!(!params["systemPrompt"].as_str().unwrap().is_empty());
            assert!(params["messages"][0]["content"].to_string().contains("Tabs or spaces?"));
            asked += 1;
            json!({
                "role": "assistant", "model": "the-clients-model", "stopReason": "endTurn",
                "content": { "type": "text", "text": DEFAULT_ANSWER },
            })
        });
        let done = &result["structuredContent"];
        assert_eq!(done["status"], "completed", "{done:#}");
        assert!(asked >= 2, "at least once a round");
        assert_eq!(done["agentResponses"][0]["model"], "the-clients-model", "{done:#}");
    }
}

fn tasks() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

/// Asks for a task until it is in this state.
fn task_until(client: &mut Client, task: &Value, status: &str) -> Value {
    loop {
        let got = client.ask("tasks/get", json!({ "taskId": task }))["result"].clone();
        assert_eq!(got["resultType"], "complete", "{got}");
        if got["status"] == status {
            return got;
        }
        assert!(["working", "input_required"].contains(&got["status"].as_str().unwrap()), "{got}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_knows_tasks_gets_one_that_outlives_the_server() {
    let table = Table::new().await;
    let mut client = table.client_with(Era::Modern, tasks());
    let begun = client.call_once("start_roundtable", json!({ "arguments": short() }));
    assert_eq!(begun["resultType"], "task", "{begun}");
    let task = begun["taskId"].clone();
    assert!(begun["pollIntervalMs"].as_u64().unwrap() >= 1000, "{begun}");
    let done = task_until(&mut client, &task, "completed");
    client.fits("start_roundtable", &done["result"]["structuredContent"]);
    let _ = client.leave();
    let mut client = table.client_with(Era::Modern, tasks());
    let again = client.ask("tasks/get", json!({ "taskId": task }))["result"].clone();
    assert_eq!(again["status"], "completed");
    // A debate's id alone is no task: whoever knows it must also be who asked.
    let session = task.as_str().unwrap().split('.').next().unwrap().to_owned();
    for stranger in [session.clone(), format!("{session}.0123456789abcdef"), "x".to_owned()] {
        let answer = client.ask("tasks/get", json!({ "taskId": stranger }));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    // Who does not declare tasks has none.
    let mut plain = table.client(Era::Modern);
    let answer = plain.ask("tasks/get", json!({ "taskId": task }));
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_asks_its_client_and_can_be_cancelled() {
    let table = curious().await;
    let mut capabilities = tasks();
    capabilities["elicitation"] = json!({ "form": {} });
    let mut client = table.client_with(Era::Modern, capabilities);
    let begun = client.call_once("start_roundtable", json!({ "arguments": curious_args() }));
    let task = begun["taskId"].clone();
    let waiting = task_until(&mut client, &task, "input_required");
    let told = bring(&waiting, &mut |form| {
        assert!(form["params"]["message"].as_str().unwrap().contains("How many people"));
        json!({ "action": "accept", "content": { "answer": "Forty people." } })
    });
    let answer = client.ask("tasks/update", json!({ "taskId": task, "inputResponses": told }));
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let done = task_until(&mut client, &task, "completed");
    assert_eq!(done["result"]["structuredContent"]["status"], "completed");
    // One that is over stays as it is.
    let answer = client.ask("tasks/cancel", json!({ "taskId": task }));
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    task_until(&mut client, &task, "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_whose_user_will_not_answer_ends_and_says_what_is_open() {
    for says in ["decline", "cancel"] {
        let table = curious().await;
        let mut capabilities = tasks();
        capabilities["elicitation"] = json!({ "form": {} });
        let mut client = table.client_with(Era::Modern, capabilities);
        let begun = client.call_once("start_roundtable", json!({ "arguments": curious_args() }));
        let task = begun["taskId"].clone();
        let waiting = task_until(&mut client, &task, "input_required");
        let told = bring(&waiting, &mut |_| json!({ "action": says }));
        let answer = client.ask("tasks/update", json!({ "taskId": task, "inputResponses": told }));
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        let got = client.ask("tasks/get", json!({ "taskId": task }))["result"].clone();
        assert_eq!(got["status"], "completed", "{got:#}");
        let open = &got["result"]["structuredContent"];
        assert_eq!(open["status"], "needs_context", "{open:#}");
        assert_eq!(open["contextRequests"][0]["question"], "How many people use it?");
    }
}
