//! How long results are by default after a big debate: under 2,000 tokens each,
//! whichever tool is asked.

use std::sync::Arc;

use fake_provider::FakeOptions;
use serde_json::{Value, json};

use crate::table::Table;
use crate::wire::Era;

const AGENTS: usize = 8;
const ROUNDS: u32 = 5;
/// As a real tokenizer counts.
const MOST_TOKENS: usize = 2_000;

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

fn long(words: usize) -> String {
    let said = "The migration ought to be done in stages because every stage can be undone ";
    said.split(' ').cycle().take(words).collect::<Vec<_>>().join(" ")
}

/// An agent with much to say.
fn answer(body: &Value) -> String {
    // Nobody says the same as another, or as before.
    let mark = blake3_of(&body.to_string());
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
        "keyPoints": [long(30), long(30), long(30), long(30)], "confidence": 0.6,
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
        println!("{tool:<22} {size:>5} tokens");
        assert!(size <= MOST_TOKENS, "{tool}: {size} tokens in {result:#}");
    }
    let mut tools: Vec<&str> = sizes.iter().map(|(tool, _)| *tool).collect();
    tools.sort_unstable();
    tools.dedup();
    assert_eq!(tools.len(), 14, "a tool is not measured");
}
