//! How long results are by default: a debate's under 1,500 tokens, and every other tool's
//! under 2,000, however big the debate was.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fake_provider::FakeOptions;
use serde_json::{Value, json};

use crate::table::Table;
use crate::tools::{TOOLS, tokens};
use crate::wire::Era;

const AGENTS: usize = 8;
const ROUNDS: u32 = 5;
/// As a real tokenizer counts.
const MOST_TOKENS: usize = 2_000;
/// For the result of a debate, and for the text that goes with it.
const MOST_OF_A_DEBATE: usize = 1_500;
const MOST_TEXT: usize = 500;
const DEBATES: [&str; 3] = ["start_roundtable", "continue_roundtable", "get_consensus"];

/// Words that say nothing twice: an answer that repeats itself would be cut off.
fn long(words: usize) -> String {
    static SAID: AtomicU64 = AtomicU64::new(1);
    let pool: Vec<&str> = "the migration ought to be done in stages because every stage can be \
        undone while a single step leaves no way back and our team has little time for long \
        repairs after dark so costs grow where nobody measures load before each move begins"
        .split_whitespace()
        .collect();
    let mut state = SAID.fetch_add(1, Ordering::Relaxed);
    let word = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        pool[(state >> 33) as usize % pool.len()]
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// An agent with much to say.
fn answer(body: &Value) -> String {
    // Nobody says the same as another, or as before.
    let mark = blake3_of(&body.to_string());
    let sure = 0.4 + f64::from(u8::from_str_radix(&mark[..2], 16).unwrap()) / 1000.0;
    let claim = |number: u32| {
        json!({ "text": format!("{mark} {number} {}", long(30)), "label": "INFER",
            "evidenceType": "LOGICAL", "citations": [number] })
    };
    let source = |number: u32| {
        json!({ "number": number, "title": format!("{mark} {}", long(12)),
            "url": format!("https://source.example/{mark}/{number}"), "snippet": long(60) })
    };
    json!({
        "position": format!("{mark} {}", long(80)), "reasoning": long(400),
        "keyPoints": [long(30), long(30), long(30), long(30)], "confidence": sure,
        "confidenceReason": long(40), "vote": { "ballot": "MINOR", "objection": long(40) },
        "claims": (1..7).map(claim).collect::<Vec<_>>(),
        "citations": (1..7).map(source).collect::<Vec<_>>(),
    })
    .to_string()
}

fn blake3_of(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(8).collect()
}

/// A clerk that writes as much as it is let.
fn clerk(body: &Value) -> String {
    let point = || json!({ "text": long(70), "claims": ["C1", "C2", "C3"] });
    let points: Vec<Value> = (0..6).map(|_| point()).collect();
    let text = body.to_string();
    if text.contains("keyDifferences") {
        return json!({ "commonGround": points, "keyDifferences": points, "evolution": points,
            "conclusion": point(), "recommendation": point(), "confidence": 0.4 })
        .to_string();
    }
    json!({ "propositions": [], "clusters": [], "commonGround": [long(40), long(40)],
        "disagreements": [long(40), long(40)], "nuances": { "partialAgreements": [],
        "conditionalPositions": [], "uncertainties": [] }, "conflicts": [],
        "reasoning": long(40), "rating": 0.4, "summary": long(40), "oneLiner": long(20) })
    .to_string()
}

/// Covers: 13.1-short
#[tokio::test(flavor = "multi_thread")]
async fn every_default_result_of_a_big_debate_is_short() {
    let said =
        |body: &Value| if body["model"] == "fake-small" { clerk(body) } else { answer(body) };
    let table = Table::with(FakeOptions { answer: Arc::new(said), ..FakeOptions::default() }).await;
    let mut client = table.client(Era::Modern);
    let agents: Vec<String> =
        (0..AGENTS).map(|seat| format!("Agent number {seat}=ollama/fake-large")).collect();
    let started = json!({
        "topic": format!("Should the migration be done in stages? {}", long(300)),
        "agents": agents, "rounds": ROUNDS, "clerk": "ollama/fake-small", "waitSeconds": 0,
    });
    let begun = client.result("start_roundtable", started);
    let id = begun["sessionId"].clone();
    let on = |more: Value| {
        let mut args = json!({ "sessionId": id });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    let steered = client.result("control_session", on(json!({ "action": "pause" })));
    let done = client.result("continue_roundtable", on(json!({ "waitSeconds": 300 })));
    assert_eq!(done["status"], "completed", "{done:#}");
    assert_eq!(done["metadata"]["roundsHeld"].as_u64().unwrap(), u64::from(ROUNDS));
    let mut sizes = vec![
        ("start_roundtable", begun),
        ("control_session", steered),
        ("continue_roundtable", done),
    ];
    let assessment = json!({
        "decisionAccuracy": 0.4, "summary": long(100),
        "whatWentWrong": [{ "aspect": long(20), "evidenceType": "LOGICAL", "validation": "refuted" }],
        "lessons": [{ "lesson": long(30), "question": "What does each stage cost?" }],
    });
    for (tool, args) in [
        ("get_consensus", on(json!({}))),
        ("list_sessions", json!({})),
        ("get_agents", json!({})),
        ("get_agents", json!({ "includeMissing": true })),
        ("get_round_details", on(json!({}))),
        ("get_response_detail", on(json!({ "agent": "s3" }))),
        ("get_thoughts", on(json!({}))),
        ("get_citations", on(json!({}))),
        ("synthesize_debate", on(json!({}))),
        ("export_session", on(json!({}))),
        ("record_outcome", on(json!({ "assessment": assessment }))),
        ("get_learning", json!({})),
    ] {
        sizes.push((tool, client.result(tool, args)));
    }
    for (tool, result) in &sizes {
        let size = tokens(&result.to_string());
        let most = if DEBATES.contains(tool) { MOST_OF_A_DEBATE } else { MOST_TOKENS };
        println!("{tool:<22} {size:>5} tokens, at most {most}");
        assert!(size <= most, "{tool}: {size} tokens in {result:#}");
    }
    let mut tools: Vec<&str> = sizes.iter().map(|(tool, _)| *tool).collect();
    tools.sort_unstable();
    tools.dedup();
    let mut all = TOOLS;
    all.sort_unstable();
    assert_eq!(tools, all, "a tool is not measured");
}

/// Covers: 13.1-short
#[tokio::test(flavor = "multi_thread")]
async fn the_result_of_three_agents_and_three_rounds_is_short_and_said_once() {
    let said =
        |body: &Value| if body["model"] == "fake-small" { clerk(body) } else { answer(body) };
    let table = Table::with(FakeOptions { answer: Arc::new(said), ..FakeOptions::default() }).await;
    let mut client = table.client(Era::Modern);
    let agents: Vec<String> =
        ["Ada", "Brook", "Chen"].map(|name| format!("{name}=ollama/fake-large")).into();
    let started = json!({
        "topic": "Should the migration be done in stages?", "agents": agents, "rounds": 3,
        "clerk": "ollama/fake-small", "waitSeconds": 300,
    });
    let held = client.call("start_roundtable", started);
    let result = &held["structuredContent"];
    assert_eq!(result["status"], "completed", "{held:#}");
    let text = held["content"][0]["text"].as_str().unwrap();
    let (data, words) = (tokens(&result.to_string()), tokens(text));
    println!("3 agents, 3 rounds: {data} tokens of data, at most {MOST_OF_A_DEBATE}");
    println!("3 agents, 3 rounds: {words} tokens of text, at most {MOST_TEXT}");
    assert!(data <= MOST_OF_A_DEBATE, "{data} tokens in {result:#}");
    assert!(words <= MOST_TEXT, "{words} tokens in {text}");
    // The text is no second copy: the agents' words are in the data alone.
    for one in result["agentResponses"].as_array().unwrap() {
        let position = one["position"].as_str().unwrap();
        let decided = result["decision"]["answer"].as_str().unwrap();
        let same = decided.starts_with(position.trim_end_matches('…'));
        assert!(same || !text.contains(position), "{text}");
    }
    for layer in ["decision", "agentResponses", "evidence", "metadata"] {
        assert!(!result[layer].is_null(), "{layer} is missing: {result:#}");
    }
    let agent = &result["agentResponses"][0];
    assert!(agent["confidenceChange"]["previousRound"].is_u64(), "{agent:#}");
    assert_eq!(agent["evidenceUsed"]["searches"], 0, "{agent:#}");
    assert!(agent["evidenceUsed"]["citations"].as_u64().unwrap() > 0, "{agent:#}");
    let metadata = &result["metadata"];
    assert_eq!(metadata["answered"], "3 of 3", "{metadata:#}");
    assert_eq!(metadata["roundsHeld"], 3, "{metadata:#}");
    for key in ["code", "reason"] {
        assert!(metadata["exit"][key].is_string(), "{metadata:#}");
    }
    for hint in metadata["verificationHints"].as_array().into_iter().flatten() {
        assert!(hint["what"].is_string() && hint["how"].is_string(), "{hint}");
    }
}
