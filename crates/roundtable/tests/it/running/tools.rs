//! Tools through the whole binary: models on a fake provider's wires call them,
//! a search engine on loopback answers, and what was found stands in the turn,
//! the register and the verdict. What is called wrongly is told in words.

use std::sync::{Arc, Mutex};

use crate::support::{Did, Home};
use fake_provider::{FakeOptions, FakeProvider};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const KEY: &str = "sk-canary-1234567890";
const TOPIC: &str = "Should the office stock tea?";
const URL: &str = "https://tea.example/survey";
const CITING: &str = r#"{"position":"Yes, stock tea.","reasoning":"Most of the staff drink it [FACT][1].","keyPoints":["It is wanted.","It is cheap."],"confidence":0.6,"vote":{"ballot":"ACCEPT"},"claims":[{"text":"Most of the staff drink tea","label":"FACT","evidenceType":"DOCUMENTED","citations":[1]}],"citations":[]}"#;

/// Provider and model, variables of its key and its address, and whether its
/// address carries the version.
#[rustfmt::skip]
const WIRES: [(&str, &str, &str, bool); 4] = [
    ("anthropic/claude-opus-5-5", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", false),
    ("openai/gpt-6.1-sol", "OPENAI_API_KEY", "OPENAI_BASE_URL", true),
    ("gemini/gemini-4-argon", "GEMINI_API_KEY", "GEMINI_BASE_URL", false),
    ("mistral/mistral-large-latest", "MISTRAL_API_KEY", "MISTRAL_BASE_URL", true),
];

fn wants(tool: &str, arguments: Value) -> Option<(String, Value)> {
    Some((tool.into(), arguments))
}

async fn fake(
    calls: impl Fn(&Value, usize) -> Option<(String, Value)> + Send + Sync + 'static,
) -> FakeProvider {
    let options = FakeOptions {
        key: Some(KEY.into()),
        answer: Arc::new(|_| CITING.to_owned()),
        calls: Arc::new(calls),
        ..FakeOptions::default()
    };
    FakeProvider::start(options).await.unwrap()
}

/// A search engine in SearXNG's form; gives its address and the queries it saw.
async fn engine() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.windows(4).any(|part| part == b"\r\n\r\n") {
                if socket.read_buf(&mut head).await.unwrap_or(0) == 0 {
                    break;
                }
            }
            let first = String::from_utf8_lossy(&head).lines().next().unwrap_or("").to_owned();
            log.lock().unwrap().push(first);
            let found = json!({"results": [
                {"title": "Tea survey", "url": URL, "content": "Seven of ten drink tea."},
                {"title": "A page here", "url": "http://127.0.0.1:9/inside", "content": "x"},
            ]});
            let body = found.to_string();
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    });
    (address, seen)
}

struct Held {
    home: Home,
    did: Did,
    session: Value,
}

/// Two or more seats of one model at the fake provider.
fn hold(
    fake: &FakeProvider,
    wire: (&str, &str, &str, bool),
    seats: usize,
    more: &[&str],
    engine: &str,
) -> Held {
    let home = Home::new();
    let (model, key, url, versioned) = wire;
    let names = ["Ann", "Bea", "Cem"];
    let agents: Vec<String> = names[..seats].iter().map(|name| format!("{name}={model}")).collect();
    let agents = agents.join(",");
    let address = if versioned { fake.base_url() } else { fake.origin() };
    let mut args = vec!["debate", "--clerk=none", "--agents", &agents, "--json", "--search", "api"];
    args.extend(["--flag", "groupthinkDetection.enabled=false"]);
    args.extend(more);
    args.push(TOPIC);
    let variables = [(key, KEY), (url, address.as_str()), ("SEARXNG_URL", engine)];
    let did = home.run_with(&args, &variables);
    let session = match did.code {
        0 | 3 => {
            let rows = home.run(&["sessions", "list", "--json"]);
            let rows: Value = serde_json::from_str(&rows.stdout).unwrap();
            let id = rows[0]["id"].as_str().unwrap().to_owned();
            let shown = home.run(&["sessions", "show", &id, "--json"]);
            serde_json::from_str(&shown.stdout).unwrap()
        }
        _ => Value::Null,
    };
    Held { home, did, session }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn turns(session: &Value) -> Vec<&Value> {
    let rounds = session["rounds"].as_array().unwrap().iter();
    let answers = rounds.flat_map(|round| round["answers"].as_array().unwrap());
    answers.map(|answer| &answer["turn"]).collect()
}

/// Covers: 3-added
#[tokio::test(flavor = "multi_thread")]
async fn what_tools_find_reaches_turn_register_and_verdict_on_every_wire() {
    for wire in WIRES {
        let fake = fake(|_, told| match told {
            0 => wants("search_web", json!({"query": "who drinks tea"})),
            1 => wants("fact_check", json!({"claims": ["Most of the staff drink tea"]})),
            2 => wants("read_page", json!({"url": "http://127.0.0.1:9/inside"})),
            3 => wants("read_page", json!({"url": "https://made.up.example/?q=secret"})),
            _ => None,
        })
        .await;
        let (address, queries) = engine().await;
        let held = hold(&fake, wire, 2, &["--rounds", "1"], &address);
        assert_eq!(held.did.code, 0, "{}: {:#?}", wire.0, held.did);
        for turn in turns(&held.session) {
            let calls = turn["toolCalls"].as_array().unwrap();
            let names: Vec<&str> =
                calls.iter().map(|call| call["tool"].as_str().unwrap()).collect();
            assert_eq!(names, ["search_web", "fact_check", "read_page", "read_page"], "{}", wire.0);
            assert_eq!(calls[0]["arguments"], json!({"query": "who drinks tea"}), "{}", wire.0);
            assert!(calls[0]["result"].as_str().unwrap().contains("Tea survey"), "{calls:#?}");
            assert!(calls.iter().all(|call| call["durationMs"].is_u64()), "{calls:#?}");
            let private = calls[2]["result"].as_str().unwrap();
            assert!(private.contains("could not be read"), "a page in here was read: {private}");
            let made_up = calls[3]["result"].as_str().unwrap();
            assert!(made_up.contains("neither named by the user nor found"), "{made_up}");
        }
        let evidence = held.session["state"]["evidence"].as_array().unwrap();
        assert!(evidence.iter().any(|source| source["url"] == URL), "{}: {evidence:#?}", wire.0);
        let cited = held.session["verdict"]["evidence"]["citations"].as_array().unwrap();
        let source = cited.iter().find(|source| source["url"] == URL);
        let by = source.unwrap_or_else(|| panic!("{}: {cited:#?}", wire.0))["citedBy"].clone();
        assert_eq!(by, json!(["Ann", "Bea"]), "{}", wire.0);
        let searches = json!({"asked": 2, "made": 1, "native": 0});
        assert_eq!(held.session["searches"], searches, "{}", wire.0);
        assert_eq!(held.session["verdict"]["metadata"]["searches"], searches, "{}", wire.0);
        assert_eq!(queries.lock().unwrap().len(), 1, "{}: the same search was made twice", wire.0);
        let id = held.session["id"].as_str().unwrap();
        let text = one_line(&held.home.run(&["sessions", "show", id]).stdout);
        assert!(text.contains("2 searches asked for, 1 made"), "{text}");
        let full = one_line(&held.home.run(&["sessions", "show", id, "--round", "1"]).stdout);
        assert!(full.contains("search_web {\"query\":\"who drinks tea\"}"), "{full}");
        println!("{:<30} 8 calls, 2 searches asked for, 1 made", wire.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_are_shared_over_a_sequential_debate_unless_told_otherwise() {
    for (flag, made) in [("true", 1), ("false", 6)] {
        let fake = fake(|body, told| {
            // The same question in another spelling by each speaker.
            let shout = body.to_string().len() % 2 == 0;
            let query = if shout { "WHO drinks tea?" } else { "who  drinks tea" };
            if told == 0 { wants("search_web", json!({"query": query})) } else { None }
        })
        .await;
        let (address, queries) = engine().await;
        let flag = format!("sequentialMode.cacheToolResults={flag}");
        let more = ["--mode", "adversarial", "--rounds", "2", "--flag", &flag];
        let held = hold(&fake, WIRES[0], 3, &more, &address);
        assert_eq!(held.did.code, 0, "{:#?}", held.did);
        let searches = json!({"asked": 6, "made": made, "native": 0});
        assert_eq!(held.session["verdict"]["metadata"]["searches"], searches, "{flag}");
        assert_eq!(queries.lock().unwrap().len(), made, "{flag}");
        println!("{flag}: 6 searches asked for, {made} made");
    }
}

/// Covers: 9-levels
#[tokio::test(flavor = "multi_thread")]
async fn levels_hold_agents_to_their_tools() {
    // Nobody calls anything: only strict asks once more, with the demand.
    for (level, requests) in [("strict", 2), ("normal", 1), ("relaxed", 1)] {
        let fake = fake(|_, _| None).await;
        let flag = format!("toolEnforcement.level={level}");
        let held =
            hold(&fake, WIRES[0], 2, &["--rounds", "1", "--flag", &flag], "http://127.0.0.1:9");
        assert_eq!(held.did.code, 0, "{level}: {:#?}", held.did);
        let seen = fake.ledger();
        assert_eq!(seen.len(), 2 * requests, "{level}");
        let demanded =
            seen.iter().filter(|it| it.body.to_string().contains("Before your answer counts"));
        assert_eq!(demanded.count(), 2 * (requests - 1), "{level}");
    }
    // Everybody calls on and on: two calls are allowed where seats wait for one another.
    for (level, calls) in [("strict", 2), ("normal", 2), ("relaxed", 7)] {
        let fake = fake(|body, told| {
            let offered =
                body.get("tools").is_some_and(|tools| tools.to_string().contains("fact_check"));
            let claim = format!("Tea is drunk in part {told} of the house");
            if offered { wants("fact_check", json!({"claims": [claim]})) } else { None }
        })
        .await;
        let flag = format!("toolEnforcement.level={level}");
        let more = ["--mode", "adversarial", "--rounds", "1", "--flag", &flag];
        let held = hold(&fake, WIRES[0], 2, &more, "http://127.0.0.1:9");
        assert_eq!(held.did.code, 0, "{level}: {:#?}", held.did);
        for turn in turns(&held.session) {
            assert_eq!(turn["toolCalls"].as_array().unwrap().len(), calls, "{level}");
        }
        let told = fake.ledger().iter().map(|entry| entry.body.to_string()).collect::<String>();
        assert_eq!(told.contains("this turn allows 2 calls"), level != "relaxed", "{level}");
        assert_eq!(told.contains("advised in one turn: 2"), level == "relaxed", "{level}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_call_gets_an_error_the_model_can_act_on() {
    let fake = fake(|_, told| match told {
        0 => wants("search_web", json!({"question": "tea"})),
        1 => wants("fact_check", json!({"claims": []})),
        2 => wants("request_context", json!({"question": "Tea?", "why": "so", "priority": "now"})),
        3 => wants("search_web", json!({"query": "who drinks tea"})),
        _ => None,
    })
    .await;
    let (address, _) = engine().await;
    let held = hold(&fake, WIRES[0], 2, &["--rounds", "1"], &address);
    assert_eq!(held.did.code, 0, "{:#?}", held.did);
    let told = fake.ledger().last().unwrap().body["messages"].to_string();
    for words in [
        "\\\"query\\\" is missing",
        "\\\"question\\\" is not known",
        "must be one of",
        "Correct it and call again",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    for turn in turns(&held.session) {
        let calls = turn["toolCalls"].as_array().unwrap();
        assert_eq!(calls.len(), 1, "only what was made is recorded: {calls:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_s_required_request_pauses_until_it_is_answered() {
    for wire in WIRES {
        let asks = json!({"question": "How many people work here?", "why": "It sets the amount.", "priority": "required"});
        let fake = fake(move |body, told| {
            let text = body.to_string();
            let ann = text.contains("knows you as Ann") && !text.contains("Forty people.");
            if ann && told == 0 { wants("request_context", asks.clone()) } else { None }
        })
        .await;
        let held = hold(&fake, wire, 2, &["--rounds", "1"], "http://127.0.0.1:9");
        assert_eq!(held.did.code, 3, "{}: {:#?}", wire.0, held.did);
        assert!(held.did.stderr.contains("How many people work here?"), "{}", held.did.stderr);
        assert_eq!(fake.ledger().len(), 2, "{}", wire.0);
        let id = held.session["id"].as_str().unwrap();
        let address = if wire.3 { fake.base_url() } else { fake.origin() };
        let variables =
            [(wire.1, KEY), (wire.2, address.as_str()), ("SEARXNG_URL", "http://127.0.0.1:9")];
        let args = ["sessions", "answer", id, "Forty people.", "--resume"];
        let did = held.home.run_with(&args, &variables);
        assert_eq!(did.code, 0, "{}: {did:#?}", wire.0);
        let seen = fake.ledger();
        assert_eq!(seen.len(), 3, "{}: only Ann was asked again", wire.0);
        let again = seen.last().unwrap().body.to_string();
        assert!(again.contains("knows you as Ann") && again.contains("Forty people."), "{again}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_caller_may_forbid_to_be_asked() {
    for (args, config) in [(&["--no-context-requests"][..], ""), (&[], "contextRequests = false\n")]
    {
        let fake = fake(|_, _| None).await;
        let home = Home::new();
        home.file("config/roundtable/config.toml", config);
        let (model, key, url, _) = WIRES[0];
        let agents = format!("Ann={model},Bea={model}");
        let all = [&["debate", "--clerk=none", "--agents", &agents, "--rounds", "1", TOPIC], args]
            .concat();
        let did = home.run_with(&all, &[(key, KEY), (url, &fake.origin())]);
        assert_eq!(did.code, 0, "{did:#?}");
        let body = fake.ledger()[0].body.to_string();
        assert!(body.contains("fact_check") && !body.contains("request_context"), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_without_tools_hears_nothing_of_them() {
    let fake = fake(|_, _| None).await;
    let home = Home::new();
    home.file("answer.json", CITING);
    let program =
        home.file("bea.sh", "tee -a heard.txt > /dev/null\necho x >> asked.txt\ncat answer.json\n");
    let config = format!("[commands.bea]\nargv = [\"/bin/sh\", {:?}]\n", program.display());
    home.file("config/roundtable/config.toml", &config);
    let (model, key, url, _) = WIRES[0];
    let agents = format!("Ann={model},Bea=bea");
    let args = [
        "debate",
        "--clerk=none",
        "--agents",
        &agents,
        "--rounds",
        "1",
        "--flag",
        "toolEnforcement.level=strict",
        "--flag",
        "groupthinkDetection.enabled=false",
        TOPIC,
    ];
    let did = home.run_with(&args, &[(key, KEY), (url, &fake.origin())]);
    assert_eq!(did.code, 0, "{did:#?}");
    let heard = std::fs::read_to_string(home.path().join("heard.txt")).unwrap();
    assert!(heard.contains(TOPIC) && !heard.to_lowercase().contains("tool"), "{heard}");
    let ann = fake.asked("claude-opus-5-5")[0].body.to_string();
    assert!(ann.contains("Tools: check facts") && ann.contains("fact_check"));
    let asked = std::fs::read_to_string(home.path().join("asked.txt")).unwrap();
    assert_eq!(asked, "x\n", "a seat without tools is not asked to use them");
}

/// A model that is in no table: tools are offered, and where its server refuses them
/// the debate goes on without, having asked once.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_nobody_knows_is_offered_tools_and_may_refuse_them() {
    let fake = fake(|body, told| {
        let offered = body.get("tools").is_some() && told == 0;
        offered.then(|| ("fact_check".into(), json!({"claims": ["Most of the staff drink tea"]})))
    })
    .await;
    let (engine, _) = engine().await;
    let hold = |model: &str| {
        let wire = (model, "GROQ_API_KEY", "GROQ_BASE_URL", true);
        let strict = ["--rounds", "2", "--flag", "toolEnforcement.level=strict"];
        let held = hold(&fake, wire, 2, &strict, &engine);
        assert_eq!(held.did.code, 0, "{:#?}", held.did);
        held.session
    };
    let session = hold("groq/m2");
    assert_eq!(turns(&session).len(), 4);
    for turn in turns(&session) {
        assert_eq!(turn["toolCalls"][0]["tool"], "fact_check", "{turn:#}");
    }

    let session = hold("groq/fault:no_tools");
    let turns = turns(&session);
    assert_eq!(turns.len(), 4, "{session:#}");
    assert!(turns.iter().all(|turn| turn["toolCalls"].as_array().is_none_or(Vec::is_empty)));
    let asked = fake.asked("fault:no_tools");
    let offered = asked.iter().filter(|entry| entry.body.get("tools").is_some()).count();
    assert_eq!((offered, asked.len()), (2, 6), "refused once by each seat, then four answers");
    for entry in asked.iter().filter(|entry| entry.body.get("tools").is_none()) {
        assert!(
            entry.body["messages"].to_string().contains("No tools can be used"),
            "{}",
            entry.body
        );
    }
}

/// Covers: 15-light
#[tokio::test(flavor = "multi_thread")]
async fn the_light_option_seats_light_models_where_seats_wait_for_one_another() {
    for (mode, light) in [("adversarial", true), ("collaborative", false)] {
        let fake = fake(|_, _| None).await;
        let home = Home::new();
        let (model, key, url, _) = WIRES[0];
        let agents = format!("Ann={model},{model}");
        let args = [
            "debate",
            "--clerk=none",
            "--agents",
            &agents,
            "--rounds",
            "1",
            "--mode",
            mode,
            "--flag",
            "sequentialMode.useLightModel=true",
            TOPIC,
        ];
        let did = home.run_with(&args, &[(key, KEY), (url, &fake.origin())]);
        assert_eq!(did.code, 0, "{did:#?}");
        let asked = if light { "claude-haiku-5-5" } else { "claude-opus-5-5" };
        assert_eq!(fake.asked(asked).len(), fake.ledger().len(), "{mode}");
        let said = "claude-haiku-5-5 takes the seat in place of claude-opus-5-5";
        assert_eq!(did.stderr.contains(said), light, "{mode}: {}", did.stderr);
        assert_eq!(
            did.stdout.contains("light, in place of claude-opus-5-5"),
            light,
            "{}",
            did.stdout
        );
        let rows = home.run(&["sessions", "list", "--json"]).stdout;
        let rows: Value = serde_json::from_str(&rows).unwrap();
        let shown = home.run(&["sessions", "show", rows[0]["id"].as_str().unwrap(), "--json"]);
        let brief = serde_json::from_str::<Value>(&shown.stdout).unwrap()["brief"].take();
        let stand_ins = brief.get("standIns").and_then(Value::as_array).map_or(0, Vec::len);
        assert_eq!(stand_ins, if light { 2 } else { 0 }, "{mode}: {brief:#}");
        let names = (&brief["agents"][0]["name"], &brief["agents"][1]["name"]);
        assert_eq!(names, (&json!("Ann"), &json!(asked)), "nobody is called by another's name");
    }
}
