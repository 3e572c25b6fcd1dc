//! The table as a model: OpenAI's API, spoken to byte by byte.

use fake_provider::FakeOptions;
use serde_json::{Value, json};

use crate::http::{Answer, Serving, TOKEN};
use crate::table::Table;

const CONFIG: &str = "\
clerk = \"none\"
[flags.groupthinkDetection]
enabled = false
[profiles.quick]
about = \"Two models, one round\"
agents = [\"Ann=ollama/fake-large\", \"Bea=ollama/fake-small\"]
rounds = 1
";
const JSON: (&str, &str) = ("content-type", "application/json");

async fn serving(options: FakeOptions) -> (Table, Serving) {
    let table = Table::with(options).await;
    table.home.file("config/roundtable/config.toml", CONFIG);
    let url = table.fake.base_url();
    let server = Serving::begin(&table.home, &[("OLLAMA_BASE_URL", &url)]);
    (table, server)
}

fn chat(text: &str) -> Value {
    json!({ "model": "roundtable/quick", "messages": [{ "role": "user", "content": text }] })
}

fn post(server: &Serving, path: &str, body: &Value) -> Answer {
    server.send("POST", path, &[JSON], &body.to_string())
}

fn content(answer: &Answer) -> String {
    let message = answer.message();
    assert_eq!(answer.status, 200, "{answer:?}");
    message["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

/// The events of a stream, without the last word.
fn events(answer: &Answer) -> Vec<Value> {
    let lines = answer.body.lines().filter_map(|line| line.trim().strip_prefix("data:"));
    lines
        .filter(|line| line.trim() != "[DONE]")
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn debate_of(text: &str) -> String {
    text.rsplit_once("/debates/").unwrap().1.trim_end_matches(')').to_owned()
}

fn debate_of_stream(answer: &Answer) -> String {
    let parts = events(answer);
    let text = parts.iter().filter_map(|one| one["choices"][0]["delta"]["content"].as_str());
    debate_of(&text.collect::<String>())
}

/// Covers: 20-models
#[tokio::test(flavor = "multi_thread")]
async fn profiles_and_presets_are_models() {
    let (_table, server) = serving(FakeOptions::default()).await;
    let listed = server.send("GET", "/v1/models", &[], "").message();
    let names: Vec<&str> =
        listed["data"].as_array().unwrap().iter().filter_map(|one| one["id"].as_str()).collect();
    for name in [
        "roundtable",
        "roundtable/vote",
        "roundtable/debate",
        "roundtable/quick",
        "roundtable/code-review",
    ] {
        assert!(names.contains(&name), "{name}: {names:?}");
        assert_eq!(
            server.send("GET", &format!("/v1/models/{name}"), &[], "").message()["id"],
            name
        );
    }
    let unknown = server.send("GET", "/v1/models/gpt-9", &[], "");
    assert_eq!(
        (unknown.status, &unknown.message()["error"]["code"]),
        (404, &json!("model_not_found"))
    );
}

/// Covers: 20-answer, 20-same
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_its_stream_and_its_follow_up() {
    let (table, server) = serving(FakeOptions::default()).await;
    let whole = post(&server, "/v1/chat/completions", &chat("Tabs or spaces?"));
    let text = content(&whole);
    assert!(text.contains("This is a canned position") && text.contains("CHECK FIRST"), "{text}");
    let first = debate_of(&text);
    assert!(text.contains(&format!("(http://{}/debates/{first})", server.address)), "{text}");
    let usage = whole.message()["usage"].clone();
    assert!(usage["total_tokens"].as_u64().unwrap() > 0 && usage["cost"].is_number(), "{usage}");

    // The same request, tried again, as a stream: the same debate, and nothing more is paid for.
    let calls = table.asked();
    let tried = [JSON, ("x-stainless-retry-count", "1")];
    let mut body = chat("Tabs or spaces?");
    body["stream"] = true.into();
    body["stream_options"] = json!({ "include_usage": true });
    let streamed = server.send("POST", "/v1/chat/completions", &tried, &body.to_string());
    assert!(streamed.head.contains("text/event-stream"), "{}", streamed.head);
    let all = events(&streamed);
    let part = |name: &str| -> String {
        all.iter().filter_map(|one| one["choices"][0]["delta"][name].as_str()).collect()
    };
    assert_eq!(part("content"), text);
    for line in ["Round 1\n", "Ann: This is a canned position.", "Agreement"] {
        assert!(part("reasoning_content").contains(line), "{line}: {}", part("reasoning_content"));
    }
    assert_eq!(all.last().unwrap()["usage"], usage);
    assert!(streamed.body.contains("data: [DONE]"));
    assert_eq!(table.asked(), calls);

    let further = json!({ "model": "roundtable/quick", "messages": [
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": "Tabs or spaces?" },
        { "role": "assistant", "content": text },
        { "role": "user", "content": [{ "type": "text", "text": "And in Makefiles?" }] },
    ] });
    let second = debate_of(&content(&post(&server, "/v1/chat/completions", &further)));
    let did = table.home.run(&["sessions", "show", &second, "--json"]);
    let shown: Value = serde_json::from_str(&did.stdout).unwrap();
    assert_eq!(shown["brief"]["after"]["id"], *first);
    assert_eq!(shown["brief"]["topic"], "And in Makefiles?");
    assert_eq!(shown["brief"]["attachments"][0]["text"], "system: Be brief.");
    assert_eq!(shown["state"]["claims"][0]["id"], "C1");
}

/// Covers: 20-responses
#[tokio::test(flavor = "multi_thread")]
async fn responses_are_answered_streamed_and_followed_up() {
    let (table, server) = serving(FakeOptions::default()).await;
    let body = json!({ "model": "roundtable/quick", "input": "Tabs or spaces?", "instructions": "Be brief." });
    let whole = post(&server, "/v1/responses", &body).message();
    assert_eq!((&whole["object"], &whole["status"]), (&json!("response"), &json!("completed")));
    let text = whole["output"][0]["content"][0]["text"].as_str().unwrap().to_owned();
    let mut again = body.clone();
    again["stream"] = true.into();
    let tried = [JSON, ("x-stainless-retry-count", "2")];
    let all = events(&server.send("POST", "/v1/responses", &tried, &again.to_string()));
    let kinds: Vec<&str> = all.iter().filter_map(|one| one["type"].as_str()).collect();
    assert_eq!((kinds[0], *kinds.last().unwrap()), ("response.created", "response.completed"));
    let parts = all.iter().filter(|one| one["type"] == "response.output_text.delta");
    assert_eq!(parts.filter_map(|one| one["delta"].as_str()).collect::<String>(), text);
    let numbers: Vec<u64> = all.iter().filter_map(|one| one["sequence_number"].as_u64()).collect();
    assert_eq!(numbers, (0..all.len() as u64).collect::<Vec<_>>());
    let further = json!({
        "model": "roundtable/quick", "previous_response_id": whole["id"],
        "input": [{ "role": "user", "content": [{ "type": "input_text", "text": "And in Makefiles?" }] }],
    });
    let further = post(&server, "/v1/responses", &further).message();
    let id = further["id"].as_str().unwrap().trim_start_matches("resp_").to_owned();
    let did = table.home.run(&["sessions", "show", &id, "--json"]);
    let shown: Value = serde_json::from_str(&did.stdout).unwrap();
    assert_eq!(format!("resp_{}", shown["brief"]["after"]["id"].as_str().unwrap()), whole["id"]);
}

/// Covers: 20-same
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_breaks_costs_nothing_twice() {
    use std::io::{Read as _, Write as _};
    let latency = std::time::Duration::from_millis(700);
    let (table, server) = serving(FakeOptions { latency, ..FakeOptions::default() }).await;
    let mut body = chat("Who pays twice?");
    body["stream"] = true.into();
    let body = body.to_string();
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut first = [0; 64];
    assert!(stream.read(&mut first).unwrap() > 0);
    drop(stream);
    let text = content(&post(&server, "/v1/chat/completions", &chat("Who pays twice?")));
    assert!(text.contains("/debates/"), "{text}");
    assert_eq!(table.asked(), 2, "two agents were asked once");
    // It was answered whole: asked once more it is a wish for another answer.
    let again = content(&post(&server, "/v1/chat/completions", &chat("Who pays twice?")));
    assert_ne!(debate_of(&again), debate_of(&text), "regenerated");
    assert_eq!(table.asked(), 4);
    let mut streamed = chat("Who pays twice?");
    streamed["stream"] = true.into();
    let third = debate_of_stream(&post(&server, "/v1/chat/completions", &streamed));
    assert!(![debate_of(&again), debate_of(&text)].contains(&third), "also after a stream");
    // A client that only tries again, and says so, gets the last one.
    let tried = [JSON, ("x-stainless-retry-count", "1")];
    let body = chat("Who pays twice?").to_string();
    let same = server.send("POST", "/v1/chat/completions", &tried, &body);
    assert_eq!((debate_of(&content(&same)), table.asked()), (third, 6));
    let more = content(&post(&server, "/v1/chat/completions", &chat("Who pays twice?")));
    assert_eq!(table.asked(), 8, "the stream was taken whole: {more}");
    // Another key is another wish.
    let headers = [JSON, ("idempotency-key", "another")];
    let other =
        server.send("POST", "/v1/chat/completions", &headers, &chat("Who pays twice?").to_string());
    assert_ne!(debate_of(&content(&other)), debate_of(&text));
}

/// Covers: 20-refused
#[tokio::test(flavor = "multi_thread")]
async fn what_a_table_cannot_do_is_refused_as_the_api_does() {
    let (table, server) = serving(FakeOptions::default()).await;
    let with = |name: &str, value: Value| {
        let mut body = chat("Look!");
        body[name] = value;
        body
    };
    let picture = json!([{ "type": "image_url", "image_url": { "url": "data:," } }]);
    let rows = [
        (with("tools", json!([{ "type": "function" }])), 400, "tools", "unsupported_parameter"),
        (with("n", json!(3)), 400, "n", "unsupported_parameter"),
        (with("model", json!("gpt-9")), 404, "model", "model_not_found"),
        (with("messages", json!("hello")), 400, "messages", "missing_required_parameter"),
        (with("messages", json!([])), 400, "messages", "invalid_value"),
        (
            with("messages", json!([{ "role": "user", "content": picture }])),
            400,
            "messages",
            "invalid_value",
        ),
    ];
    for (body, status, param, code) in rows {
        let answer = post(&server, "/v1/chat/completions", &body);
        let error = answer.message()["error"].clone();
        assert_eq!(
            (answer.status, &error["param"], &error["code"]),
            (status, &json!(param), &json!(code)),
            "{body}"
        );
        assert_eq!(error["type"], "invalid_request_error");
    }
    let broken = server.send("POST", "/v1/responses", &[JSON], "{");
    assert_eq!((broken.status, &broken.message()["error"]["code"]), (400, &json!("invalid_json")));
    let key = [JSON, ("authorization", "Bearer wrong")];
    let wrong = server.send("POST", "/v1/chat/completions", &key, &chat("Look!").to_string());
    assert_eq!((wrong.status, &wrong.message()["error"]["code"]), (401, &json!("invalid_api_key")));
    let foreign = server.send("GET", "/v1/models", &[("host", "evil.example")], "");
    assert_eq!(foreign.status, 403, "{foreign:?}");
    assert_eq!(server.send("GET", "/v1/embeddings", &[], "").status, 404);
    assert_eq!(table.asked(), 0);
}
