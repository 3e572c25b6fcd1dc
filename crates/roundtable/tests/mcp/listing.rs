//! The list of debates, as a tool and as resources: pages that lose and repeat
//! nothing, and one word for how a debate stands.

use std::sync::Arc;

use debate::model::Event;
use fake_provider::{DEFAULT_ANSWER, FakeOptions};
use serde_json::{Value, json};
use store::{ListFilter, Store};

use crate::table::{Gate, Table, short, short_with};
use crate::wire::{BOTH, Client, Era};

/// More than fit two pages of resources.
const DEBATES: usize = 103;

/// Holds one debate and stores its log again under other ids.
async fn many(table: &Table) {
    let mut client = table.client(Era::Modern);
    client.result("start_roundtable", short());
    client.leave();
    let store = Store::open_existing(&table.home.database()).await.unwrap();
    let held = store.list(&ListFilter::default()).await.unwrap().remove(0);
    let log = store.log(&held.id).await.unwrap();
    let events: Vec<Event> = log.into_iter().map(|recorded| recorded.event).collect();
    for number in 1..DEBATES {
        let mut events = events.clone();
        if let Some(Event::Opened { brief, .. }) = events.first_mut() {
            brief.topic = format!("In stages, number {number}?");
        }
        let id = format!("01a00000-0000-7000-8000-{number:012x}");
        // Some began in the same millisecond.
        let created = 1_790_000_000_000 + i64::try_from(number / 3).unwrap();
        store.create(&id, created, &events).await.unwrap();
    }
    store.close().await;
}

/// All pages: how many entries each had, and the ids in order.
fn pages(mut next: impl FnMut(Value) -> (Vec<String>, Value)) -> (Vec<usize>, Vec<String>) {
    let (mut sizes, mut all, mut cursor) = (Vec::new(), Vec::new(), Value::Null);
    loop {
        let (ids, after) = next(cursor);
        sizes.push(ids.len());
        all.extend(ids);
        cursor = after;
        if cursor.is_null() {
            return (sizes, all);
        }
    }
}

fn ids(rows: &Value, field: &str) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| row[field].as_str().unwrap().to_owned()).collect()
}

fn unique(all: &[String]) -> usize {
    all.iter().collect::<std::collections::HashSet<_>>().len()
}

fn listed(client: &mut Client, mut args: Value, cursor: Value) -> (Vec<String>, Value) {
    args["cursor"] = cursor;
    let page = client.result("list_sessions", args);
    (ids(&page["sessions"], "sessionId"), page["nextCursor"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_debate_is_on_one_page() {
    let table = Table::new().await;
    many(&table).await;
    for era in BOTH {
        let mut client = table.client(era);
        let (sizes, resources) = pages(|cursor| {
            let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
            let page = client.ask("resources/list", params)["result"].clone();
            let uris = ids(&page["resources"], "uri");
            let debates = uris.into_iter().filter(|uri| uri.starts_with("roundtable://sessions/"));
            (debates.collect(), page["nextCursor"].clone())
        });
        assert_eq!(sizes, [50, 50, 3]);
        assert_eq!(unique(&resources), DEBATES);
        let (sizes, sessions) = pages(|cursor| listed(&mut client, json!({}), cursor));
        assert_eq!((sizes.len(), sizes[0], unique(&sessions)), (11, 10, DEBATES));
        let uris: Vec<String> =
            sessions.iter().map(|id| format!("roundtable://sessions/{id}")).collect();
        assert_eq!(uris, resources, "two orders of one list");
        for args in [json!({ "search": "number 1", "limit": 7 }), json!({ "status": "completed" })]
        {
            let (_, some) = pages(|cursor| listed(&mut client, args.clone(), cursor));
            assert_eq!(unique(&some), some.len());
            let wanted = if args["search"].is_string() { 14 } else { DEBATES };
            assert_eq!(some.len(), wanted, "{args}");
        }
        // Past the end there is nothing, and what is no cursor is refused.
        let past = client.ask("resources/list", json!({ "cursor": "1_0" }))["result"].clone();
        assert_eq!((&past["resources"], past.get("nextCursor")), (&json!([]), None));
        for cursor in ["", "soon", "50", "x_y"] {
            let bad = client.ask("resources/list", json!({ "cursor": cursor }));
            assert_eq!(bad["error"]["code"], -32602, "{bad}");
            let said = client.refused("list_sessions", json!({ "cursor": cursor }));
            assert!(said.contains("nextCursor"), "{said}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_and_cited_is_read_page_by_page() {
    let claim = |number: u32| {
        json!({ "text": format!("Claim {number} holds"), "label": "FACT",
            "evidenceType": "DOCUMENTED", "citations": [number] })
    };
    let source = |number: u32| {
        json!({ "number": number, "title": format!("Source {number}"),
            "url": format!("https://source.example/{number}"), "snippet": "It says so." })
    };
    let mut answer: Value = serde_json::from_str(DEFAULT_ANSWER).unwrap();
    answer["claims"] = (1..24).map(claim).collect();
    answer["citations"] = (1..24).map(source).collect();
    let answer = answer.to_string();
    let options =
        FakeOptions { answer: Arc::new(move |_| answer.clone()), ..FakeOptions::default() };
    let table = Table::with(options).await;
    let mut client = table.client(Era::Modern);
    let held = client.result("start_roundtable", short_with(json!({ "rounds": 4 })));
    let id = held["sessionId"].clone();
    for (tool, list, limit, total) in [
        ("get_citations", "citations", json!(null), 23),
        ("get_citations", "citations", json!(7), 23),
        ("get_thoughts", "thoughts", json!(null), 8),
        ("get_thoughts", "thoughts", json!(3), 8),
        ("get_round_details", "answers", json!(1), 2),
    ] {
        let mut notes = Vec::new();
        let (sizes, all) = pages(|cursor| {
            let args = json!({ "sessionId": id, "limit": limit, "cursor": cursor });
            let page = client.result(tool, args);
            notes.push(page["note"].as_str().unwrap().to_owned());
            let entries = page[list].as_array().unwrap();
            (entries.iter().map(Value::to_string).collect(), page["nextCursor"].clone())
        });
        assert_eq!((all.len(), unique(&all)), (total, total), "{tool}: {sizes:?} {notes:?}");
        assert!(notes.iter().all(|note| note.contains(&total.to_string())), "{notes:?}");
        let said = client.refused(tool, json!({ "sessionId": id, "cursor": "next" }));
        assert!(said.contains("nextCursor"), "{said}");
        let past = client.result(tool, json!({ "sessionId": id, "cursor": "999" }));
        assert_eq!((&past[list], past.get("nextCursor")), (&json!([]), None), "{tool}");
        assert!(past["note"].as_str().unwrap().contains("none after"), "{past}");
    }
}

/// Bea's answers wait at the gate; Cem must know something first.
async fn held_up(gate: &Gate) -> Table {
    let calls = |body: &Value, results: usize| {
        let asks = results == 0 && body["model"] == "mistral-large-latest";
        asks.then(|| {
            let wanted = json!({ "question": "How many?", "why": "Size.", "priority": "required" });
            ("request_context".to_owned(), wanted)
        })
    };
    let options = FakeOptions { calls: Arc::new(calls), ..FakeOptions::default() };
    let table = Table::behind(gate, options).await;
    table.home.file("config/roundtable/config.toml", "[server]\nmost_debates = 2\n");
    table
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn a_state_has_one_word() {
    let gate = Gate::default();
    let table = held_up(&gate).await;
    let mut client = table.client(Era::Legacy);
    let pair = |other: &str| json!(["Ann=ollama/fake-large", other]);
    let mut start = |other: &str, key: &str, seconds: u64| {
        let more = json!({ "agents": pair(other), "idempotencyKey": key, "waitSeconds": seconds });
        client.result("start_roundtable", short_with(more))
    };
    let completed = start("Dan=ollama/fake-large", "a", 45);
    let needs = start("Cem=mistral/mistral-large-latest", "b", 45);
    let paused = start("Bea=ollama/fake-small", "c", 0);
    let running = start("Bea=ollama/fake-small", "d", 0);
    let queued = start("Bea=ollama/fake-small", "e", 0);
    let id = &paused["sessionId"];
    client.result("control_session", json!({ "sessionId": id, "action": "pause" }));
    let rows = [
        (&completed, "completed"),
        (&needs, "needs_context"),
        (&paused, "paused"),
        (&running, "running"),
        (&queued, "queued"),
    ];
    let all = client.result("list_sessions", json!({}))["sessions"].clone();
    for (debate, word) in rows {
        let id = &debate["sessionId"];
        let seen = client.result("get_consensus", json!({ "sessionId": id, "waitSeconds": 0 }));
        assert_eq!(seen["status"], word, "{seen:#}");
        let row = all.as_array().unwrap().iter().find(|row| row["sessionId"] == *id).unwrap();
        assert_eq!(row["status"], word);
        let only = client.result("list_sessions", json!({ "status": word }));
        assert_eq!(ids(&only["sessions"], "sessionId"), [id.as_str().unwrap()], "{word}");
        let listed = client.ask("resources/list", json!({}))["result"]["resources"].clone();
        let uri = format!("roundtable://sessions/{}", id.as_str().unwrap());
        let entry = listed.as_array().unwrap().iter().find(|one| one["uri"] == *uri).unwrap();
        let said = entry["description"].as_str().unwrap();
        assert!(said.contains(&word.replace('_', " ")), "{said}");
    }
    // Neither a refusal nor a filter has another word.
    let said = client.refused("list_sessions", json!({ "status": "active" }));
    assert!(said.contains("running, needs_context"), "{said}");
    let resume = json!({ "sessionId": running["sessionId"], "action": "resume" });
    assert_eq!(client.result("control_session", resume)["status"], "running");
    let entry = json!({ "status": "on_track", "event": "x" });
    let early = json!({ "sessionId": running["sessionId"], "entry": entry });
    let said = client.refused("record_outcome", early);
    assert!(said.contains("running") && said.contains("continue_roundtable"), "{said}");
    assert!(!said.contains("active") && !said.contains("roundtable sessions"), "{said}");
    gate.open();
}
