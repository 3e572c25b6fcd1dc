//! What the server says it can do, and a debate through every tool.

use std::sync::Arc;

use fake_provider::FakeOptions;
use serde_json::{Value, json};

use crate::table::{Table, short, short_with};
use crate::wire::{BOTH, Client, Era};

pub const TOOLS: [&str; 14] = [
    "start_roundtable",
    "continue_roundtable",
    "get_consensus",
    "control_session",
    "list_sessions",
    "get_agents",
    "get_round_details",
    "get_response_detail",
    "get_thoughts",
    "get_citations",
    "synthesize_debate",
    "export_session",
    "record_outcome",
    "get_learning",
];
const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
/// What a model may be shown of all tools: names, descriptions and input schemas.
const MOST_TOKENS: usize = 3_600;
/// What the whole list may take on the wire.
const MOST_BYTES: usize = 25_000;

/// As a real tokenizer counts.
pub fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// Words that some client refuses or warns about.
const UNWANTED: [&str; 7] = ["$ref", "$defs", "anyOf", "oneOf", "allOf", "format", "not"];

fn each_schema(schema: &Value, look: &mut dyn FnMut(&Value)) {
    look(schema);
    for inner in schema["properties"].as_object().into_iter().flatten().map(|(_, inner)| inner) {
        each_schema(inner, look);
    }
    for key in ["items", "additionalProperties"] {
        if schema[key].is_object() {
            each_schema(&schema[key], look);
        }
    }
}

/// Covers: 13.1-tools
#[tokio::test(flavor = "multi_thread")]
async fn the_tools_are_described_as_strict_clients_want_them() {
    let table = Table::new().await;
    for era in BOTH {
        let mut client = table.client(era);
        let answer = client.ask("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, TOOLS);
        for tool in tools {
            let name = &tool["name"];
            assert_ne!(tool["title"], *name);
            let words = tool["description"].as_str().unwrap();
            assert!((40..=2048).contains(&words.len()), "{name}: {} characters", words.len());
            for hint in HINTS {
                assert!(tool["annotations"][hint].is_boolean(), "{name} says nothing of {hint}");
            }
            for (key, schema) in [("in", &tool["inputSchema"]), ("out", &tool["outputSchema"])] {
                assert_eq!(schema["type"], "object", "{name} {key}");
                jsonschema::validator_for(schema).unwrap();
                each_schema(schema, &mut |inner| {
                    let map = inner.as_object().unwrap();
                    for word in UNWANTED {
                        assert!(!map.contains_key(word), "{name} {key}: {word} in {inner}");
                    }
                    assert!(inner["type"].is_string(), "{name} {key}: {inner}");
                });
            }
            assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
            // A parameter is described; what is inside of one may speak for itself.
            for (field, property) in tool["inputSchema"]["properties"].as_object().unwrap() {
                let words = property["description"].as_str().unwrap_or_default();
                assert!(words.len() > 10, "{name}: {field} is not described");
            }
            each_schema(&tool["inputSchema"], &mut |inner| {
                let empty = inner["properties"].as_object().is_none_or(|all| all.is_empty());
                assert!(inner["type"] != "object" || !empty, "{name}: {inner} names no field");
                assert!(inner["type"] != "array" || inner["items"].is_object(), "{name}: {inner}");
            });
        }
        let shown = tools.iter().map(|tool| {
            let seen = ["name", "description", "inputSchema"].map(|key| (key, &tool[key]));
            tokens(&Value::from_iter(seen.map(|(key, part)| (key, part.clone()))).to_string())
        });
        let shown: usize = shown.sum();
        let bytes = answer["result"].to_string().len();
        println!("tools/list: a model sees {shown} tokens, at most {MOST_TOKENS}");
        println!("tools/list: {bytes} bytes on the wire, at most {MOST_BYTES}");
        assert!(shown <= MOST_TOKENS, "a model sees {shown} tokens of the tools");
        assert!(bytes <= MOST_BYTES, "the list of tools takes {bytes} bytes");
        let _ = client.leave();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_introduces_itself_the_same_way_in_both_eras() {
    let table = Table::new().await;
    let mut legacy = table.client(Era::Legacy);
    let mut modern = table.client(Era::Modern);
    let discovered = modern.ask("server/discover", json!({}))["result"].clone();
    let instructions = discovered["instructions"].as_str().unwrap();
    assert!(instructions.len() < 2048, "{} bytes", instructions.len());
    assert_eq!(discovered["cacheScope"], "public");
    assert!(discovered["ttlMs"].as_u64().unwrap() > 0);
    let capabilities = &discovered["capabilities"];
    for offered in ["tools", "prompts", "resources", "completions", "logging"] {
        assert!(capabilities[offered].is_object(), "{offered}");
    }
    let about = &discovered["_meta"]["io.modelcontextprotocol/serverInfo"];
    let icon = about["icons"][0]["src"].as_str().unwrap_or_default();
    assert!(icon.starts_with("data:image/svg+xml;base64,"), "{discovered:#}");
    for extension in ["tasks", "skills", "ui"] {
        let name = format!("io.modelcontextprotocol/{extension}");
        assert!(capabilities["extensions"][&name].is_object(), "{name}");
    }
    for method in ["prompts/list", "resources/list", "resources/templates/list"] {
        let new = modern.ask(method, json!({}))["result"].clone();
        assert!(new["ttlMs"].is_u64() && new["cacheScope"].is_string(), "{method}: {new}");
        let old = legacy.ask(method, json!({}))["result"].clone();
        assert!(old.get("resultType").is_none(), "{method}: {old}");
    }
    // A client of the older era may ask whether anybody is there; the other has no such word.
    assert!(legacy.ask("ping", json!({}))["result"].is_object());
    assert_eq!(modern.ask("ping", json!({}))["error"]["code"], -32601);
}

/// A version whose servers must take batches is not agreed on; all others are.
#[tokio::test(flavor = "multi_thread")]
async fn a_version_with_batches_is_not_agreed_on() {
    let table = Table::new().await;
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
    ] {
        let mut client = Client::silent(&table.home, Era::Legacy, &[], json!({}));
        let params = json!({ "protocolVersion": asked, "capabilities": {},
            "clientInfo": { "name": "wire", "version": "1" } });
        let answer = client.ask("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{answer}");
    }
    let mut modern = table.client(Era::Modern);
    let discovered = modern.ask("server/discover", json!({}))["result"].clone();
    let versions = discovered["supportedVersions"].to_string();
    assert!(!versions.contains("2025-03-26"), "{versions}");
}

/// A reading tool and what it is asked besides the debate.
fn reading() -> Vec<(&'static str, Value)> {
    vec![
        ("get_consensus", json!({})),
        ("get_consensus", json!({ "round": 1 })),
        ("get_round_details", json!({})),
        ("get_response_detail", json!({ "agent": "Bea" })),
        ("get_response_detail", json!({ "agent": "s0", "round": 1 })),
        ("get_thoughts", json!({ "agent": "ann" })),
        ("get_thoughts", json!({ "limit": 1 })),
        ("get_citations", json!({})),
        ("export_session", json!({})),
        ("export_session", json!({ "format": "json", "maxChars": 500 })),
        ("export_session", json!({ "format": "adr" })),
        ("export_session", json!({ "format": "html", "maxChars": 500 })),
        ("export_session", json!({ "format": "mermaid" })),
        ("export_session", json!({ "format": "argdown" })),
        ("export_session", json!({ "format": "csv" })),
    ]
}

/// Covers: 13.1-tools
#[tokio::test(flavor = "multi_thread")]
async fn a_debate_is_held_and_read_with_every_tool_in_both_eras() {
    for era in BOTH {
        let table = Table::new().await;
        let mut client = table.client(era);
        let agents = client.result("get_agents", json!({}));
        assert_eq!(agents["agents"][0]["provider"], "ollama", "{agents:#}");
        let held = client.call("start_roundtable", short_with(json!({ "rounds": 2 })));
        assert_eq!(held["isError"], false, "{held:#}");
        let result = &held["structuredContent"];
        assert_eq!(result["status"], "completed");
        assert_eq!(result["decision"]["answer"], "This is a canned position.");
        assert!(result.get("summary").is_none(), "the decision says it: {result:#}");
        assert_eq!(result["agentResponses"].as_array().unwrap().len(), 2);
        let id = result["sessionId"].as_str().unwrap().to_owned();
        let text = held["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(&id) && text.contains("This is a canned position."), "{text}");
        assert_eq!(held["content"][1]["type"], "resource_link");
        assert_eq!(table.asked(), 4, "two agents, two rounds");
        read_everything(&mut client, &id);
        read_resources(&mut client, &id, era);
        assert_eq!(client.leave().code, Some(0));
    }
}

fn read_everything(client: &mut Client, id: &str) {
    let listed = client.result("list_sessions", json!({ "search": "tabs" }));
    assert_eq!(listed["sessions"][0]["sessionId"], id);
    for (tool, mut arguments) in reading() {
        arguments["sessionId"] = id.into();
        let result = client.result(tool, arguments.clone());
        let size = tokens(&result.to_string());
        assert!(size <= 2_000, "{tool} {arguments}: {size} tokens");
        arguments["responseFormat"] = "detailed".into();
        if tool != "export_session" {
            client.result(tool, arguments);
        }
    }
    // Pages put together are the whole.
    let mut pages = String::new();
    let mut cursor = Value::Null;
    loop {
        let args = json!({ "sessionId": id, "maxChars": 500, "cursor": cursor });
        let page = client.result("export_session", args);
        pages.push_str(page["content"].as_str().unwrap());
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            assert_eq!(page["totalChars"], pages.chars().count());
            break;
        }
    }
    assert!(pages.starts_with("# Tabs or spaces?") && pages.contains("## Round 2"), "{pages}");
}

fn read_resources(client: &mut Client, id: &str, era: Era) {
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].clone();
    let uri = format!("roundtable://sessions/{id}");
    assert!(listed.as_array().unwrap().iter().any(|one| one["uri"] == uri), "{listed:#}");
    for (path, holds) in
        [("", "canned position"), ("/rounds/1", "\"round\": 1"), ("/transcript.md", "# Tabs")]
    {
        let uri = format!("{uri}{path}");
        let read = client.ask("resources/read", json!({ "uri": uri }));
        let text = read["result"]["contents"][0]["text"].as_str().unwrap();
        assert!(text.contains(holds), "{uri}: {text}");
        if era == Era::Modern {
            // A debate may change, and is nobody else's business.
            let hints = (&read["result"]["ttlMs"], &read["result"]["cacheScope"]);
            assert_eq!(hints, (&json!(0), &json!("private")), "{uri}");
        }
    }
    let none = if era == Era::Modern { -32602 } else { -32002 };
    for path in ["/rounds/9", "/nothing", "x"] {
        let read = client.ask("resources/read", json!({ "uri": format!("{uri}{path}") }));
        assert_eq!(read["error"]["code"], none, "{path}: {read}");
    }
    let page = client.ask("resources/read", json!({ "uri": "ui://roundtable/table.html" }));
    let page = &page["result"]["contents"][0];
    assert_eq!(page["mimeType"], "text/html;profile=mcp-app");
    let html = page["text"].as_str().unwrap();
    assert!(!html.contains("http://") && !html.contains("https://"), "the page loads something");
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_are_filled_in_and_completed() {
    let table = Table::new().await;
    for era in BOTH {
        let mut client = table.client(era);
        let listed = client.ask("prompts/list", json!({}))["result"]["prompts"].clone();
        let names: Vec<&str> =
            listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["debate", "decide", "red-team"]);
        let filled = json!({ "question": "Which?", "options": "A, B" });
        let got = client.ask("prompts/get", json!({ "name": "decide", "arguments": filled }));
        let text = got["result"]["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("Which?") && text.contains("A, B") && !text.contains('{'), "{text}");
        let got = client.ask("prompts/get", json!({ "name": "decide", "arguments": {} }));
        assert_eq!(got["error"]["code"], -32602, "{got}");
        let of = |reference: Value, name: &str, value: &str| json!({ "ref": reference, "argument": { "name": name, "value": value } });
        let prompt = json!({ "type": "ref/prompt", "name": "debate" });
        let got = client.ask("completion/complete", of(prompt, "mode", "de"));
        let values = &got["result"]["completion"]["values"];
        assert_eq!(*values, json!(["devils-advocate", "delphi"]));
        let stranger = json!({ "type": "ref/prompt", "name": "nobody" });
        let got = client.ask("completion/complete", of(stranger, "x", "y"));
        assert_eq!(got["result"]["completion"]["values"], json!([]));
        let held = client.result("start_roundtable", short());
        let template = json!({ "type": "ref/resource", "uri": "roundtable://sessions/{id}" });
        let id = held["sessionId"].as_str().unwrap();
        let got = client.ask("completion/complete", of(template, "id", &id[..9]));
        let values = got["result"]["completion"]["values"].as_array().unwrap();
        assert!(values.contains(&id.into()), "{got}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_skill_is_served_with_its_digest() {
    let table = Table::new().await;
    let mut client = table.client(Era::Modern);
    let listed = client.ask("skills/list", json!({}))["result"]["skills"][0].clone();
    let uri = listed["uri"].as_str().unwrap().to_owned();
    assert_eq!(listed["frontmatter"]["name"], "roundtable");
    let read = client.ask("resources/read", json!({ "uri": uri }));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(listed["resources"][0]["size"], text.len());
    let got = client.ask("skills/get", json!({ "uri": uri }));
    assert_eq!(got["result"]["skill"], listed, "{got}");
    let none = client.ask("skills/get", json!({ "uri": "skill://nobody/SKILL.md" }));
    assert_eq!(none["error"]["code"], -32602);
    // The file is also found by its directory, which is written without a slash.
    let discovered = client.ask("server/discover", json!({}))["result"]["capabilities"].clone();
    let settings = &discovered["extensions"]["io.modelcontextprotocol/skills"];
    assert_eq!(settings["directoryRead"], true, "{discovered}");
    let directory = uri.strip_suffix("/SKILL.md").unwrap();
    let read = client.ask("resources/directory/read", json!({ "uri": directory }));
    let inside = |read: &Value| {
        let rows = read["result"]["resources"].as_array().unwrap().clone();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        rows.iter().map(|row| (text(&row["uri"]), text(&row["mimeType"]))).collect::<Vec<_>>()
    };
    let folder = format!("{directory}/references");
    assert_eq!(
        inside(&read),
        [(uri.clone(), "text/markdown".into()), (folder.clone(), "inode/directory".into())]
    );
    let deeper = client.ask("resources/directory/read", json!({ "uri": folder }));
    // Every file that is listed can be read, and is what its digest says.
    let files = listed["resources"].as_array().unwrap();
    assert_eq!(inside(&deeper).len() + 1, files.len());
    for file in files {
        let read = client.ask("resources/read", json!({ "uri": file["uri"] }));
        let text = read["result"]["contents"][0]["text"].as_str().unwrap();
        assert_eq!(file["size"], text.len(), "{file}");
    }
    assert_eq!(read["result"]["resultType"], "complete", "{read}");
    for wrong in [
        json!({ "uri": uri }),
        json!({ "uri": "skill://nobody" }),
        json!({}),
        json!({ "uri": directory, "cursor": "1" }),
    ] {
        let answer = client.ask("resources/directory/read", wrong);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn what_others_are_told_about_the_server_is_true() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging");
    let read = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(format!("{folder}/{name}")).unwrap()).unwrap()
    };
    let (bundle, entry) = (read("mcpb/manifest.json"), read("server.json"));
    let mut named: Vec<&str> = bundle["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    named.sort_unstable();
    let mut tools = TOOLS;
    tools.sort_unstable();
    assert_eq!(named, tools);
    assert_eq!(bundle["version"], env!("CARGO_PKG_VERSION"));
    // The registry takes a name with one slash, at most 100 characters of description.
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(entry["name"].as_str().unwrap().matches('/').count(), 1);
    assert!((1..=100).contains(&entry["description"].as_str().unwrap().len()), "{entry}");
    assert!((1..=100).contains(&entry["title"].as_str().unwrap().len()), "{entry}");
}

/// An agent that talks too much and means no good.
fn long_winded() -> String {
    let long = "\u{1b}[31mvery\u{202e} long <script>alert(1)</script> words ".repeat(120);
    let citation = |number: u32| {
        let url = format!("https://source.example/{number}?{}", "x".repeat(200));
        json!({ "number": number, "title": &long[..400], "url": url, "snippet": &long[..400] })
    };
    let claim = |number: u32| {
        let (label, kind) = ("FACT", "DOCUMENTED");
        let text = format!("{number} {}", &long[..300]);
        json!({ "text": text, "label": label, "evidenceType": kind, "citations": [number] })
    };
    json!({
        "position": long, "reasoning": long.repeat(3), "keyPoints": [long, long, long],
        "confidence": 0.6, "confidenceReason": long,
        "vote": { "ballot": "BLOCKER", "objection": long },
        "claims": (1..9).map(claim).collect::<Vec<_>>(),
        "citations": (1..9).map(citation).collect::<Vec<_>>(),
    })
    .to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn results_stay_short_and_harmless_whatever_is_said() {
    let answer = long_winded();
    let options =
        FakeOptions { answer: Arc::new(move |_| answer.clone()), ..FakeOptions::default() };
    let table = Table::with(options).await;
    let mut client = table.client(Era::Modern);
    let agents: Vec<String> =
        (0..10).map(|seat| format!("Agent {seat}=ollama/fake-large")).collect();
    let args = short_with(
        json!({ "agents": agents, "topic": "Should it be done in stages? ".repeat(340) }),
    );
    let held = client.result("start_roundtable", args);
    assert_eq!(held["status"], "completed", "{held:#}");
    let id = held["sessionId"].as_str().unwrap().to_owned();
    let short = |what: &str, result: &Value| {
        let text = result.to_string();
        let size = tokens(&text);
        assert!(size <= 2_000, "{what}: {size} tokens in {result:#}");
        assert!(!text.contains("\\u001b") && !text.contains('\u{202e}'), "{what}: {text}");
    };
    short("start_roundtable", &held);
    for (tool, mut arguments) in reading() {
        arguments["sessionId"] = id.as_str().into();
        if arguments["agent"].is_string() {
            arguments["agent"] = "s1".into();
        }
        short(tool, &client.result(tool, arguments));
    }
    let page = client.result("export_session", json!({ "sessionId": id, "maxChars": 80000 }));
    assert!(!page["content"].as_str().unwrap().contains("<script"), "markup in the document");
}
