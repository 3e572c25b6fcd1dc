//! Schemas, seals, outlines and calls that are given up behave as promised.

use rmcp::model::NumberOrString;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::result::outline::outline;
use super::result::schema;
use super::result::shapes::LengthWord;
use super::session::cancellations::{Cancellations, GiveUpReason};
use super::session::seal::{Seal, SealedState, TaskName, digest};
use super::tools;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code)]
struct Sample {
    /// How many.
    #[schemars(range(min = 1, max = 5))]
    count: u32,
    /// Perhaps a word.
    word: Option<Word>,
    /// Names.
    #[schemars(length(max = 2))]
    names: Option<Vec<String>>,
    /// More of it.
    inner: Option<Inner>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Word {
    Yes,
    No,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Inner {
    /// On or off.
    on: Option<bool>,
}

fn faults(value: Value) -> Vec<String> {
    schema::faults(&schema::of_input::<Sample>(), &schema::without_nulls(value))
}

#[test]
fn schemas_are_plain() {
    let made = Value::Object(schema::of_input::<Sample>());
    assert_eq!(made["properties"]["count"]["type"], "integer");
    assert!(made["properties"]["count"].get("format").is_none());
    assert_eq!(made["properties"]["word"]["enum"], json!(["yes", "no"]));
    assert_eq!(made["properties"]["names"]["type"], "array");
    assert_eq!(made["properties"]["inner"]["properties"]["on"]["type"], "boolean");
    assert_eq!(made["required"], json!(["count"]));
    let text = made.to_string();
    for unwanted in ["$ref", "$defs", "anyOf", "null", "uint32"] {
        assert!(!text.contains(unwanted), "{unwanted} in {text}");
    }
}

#[test]
fn everything_that_is_wrong_is_said() {
    assert_eq!(faults(json!({ "count": 3, "word": null, "names": ["a"] })), Vec::<String>::new());
    let wrong =
        json!({ "cuont": 1, "word": "maybe", "names": ["a", 2, "c"], "inner": { "on": 1 } });
    let said = faults(wrong).join("\n");
    for part in [
        "count is required",
        "\"cuont\"",
        "did you mean count",
        "word: \"maybe\"",
        "yes, no",
        "names: has 3 entries; allowed: at most 2",
        "names[1]: 2 is not a string",
        "inner.on: 1 is not true or false",
    ] {
        assert!(said.contains(part), "{part:?} is missing in\n{said}");
    }
    assert_eq!(faults(json!({ "count": 9 })), ["count: 9 is not allowed; allowed: 1 to 5"]);
    assert_eq!(faults(json!({ "count": 1.5 })), ["count: 1.5 is not a whole number"]);
    assert_eq!(faults(json!([])), ["the arguments: [] is not an object"]);
}

#[test]
fn a_seal_opens_for_whom_and_what_it_was_closed() {
    let seal = Seal::new(Some("ann"));
    let state = SealedState::Debate { id: "0199".into(), progress: 2.5 };
    let text = seal.close(&state, "this call");
    assert_eq!(seal.open(&text, "this call"), Some(state.clone()));
    assert_eq!(seal.open(&text, "another call"), None);
    for (place, letter) in text.char_indices() {
        let mut forged = text.clone();
        forged.replace_range(place..=place, if letter == 'A' { "B" } else { "A" });
        assert_eq!(seal.open(&forged, "this call"), None, "{forged}");
    }
    assert_eq!(Seal::new(Some("ann")).open(&text, "this call"), Some(state.clone()), "a node");
    assert_eq!(Seal::new(Some("bea")).open(&text, "this call"), None);
    assert_eq!(seal.for_person("cem").open(&text, "this call"), None);
    let text = Seal::new(None).close(&state, "this call");
    assert_eq!(Seal::new(None).open(&text, "this call"), None, "another process");
    for nonsense in ["", ".", "x.y", "é.{}"] {
        assert_eq!(seal.open(nonsense, "this call"), None);
    }
}

#[test]
fn a_task_belongs_to_whoever_asked() {
    let (ann, bea) = (Seal::new(Some("ann")), Seal::new(Some("bea")));
    let named = |since, format| TaskName { session: "0199".into(), since, format };
    for name in [named(7, LengthWord::Concise), named(8, LengthWord::Detailed)] {
        let task = ann.task_id(&name);
        assert_eq!(ann.read_task(&task), Some(name.clone()));
        assert_eq!(Seal::new(Some("ann")).read_task(&task), Some(name), "another process");
        assert_eq!(bea.read_task(&task), None);
    }
    let task = ann.task_id(&named(7, LengthWord::Concise));
    for forged in [task.replace(".7.", ".7.detailed."), task.replace(".7.", ".8."), "0199".into()] {
        assert_eq!(ann.read_task(&forged), None, "{forged}");
    }
}

#[test]
fn the_order_of_fields_makes_no_other_call() {
    let one = digest("t", &json!({ "a": 1, "b": { "c": 2, "d": [1, 2] } }));
    assert_eq!(one, digest("t", &json!({ "b": { "d": [1, 2], "c": 2 }, "a": 1 })));
    assert_ne!(one, digest("t", &json!({ "a": 1, "b": { "c": 2, "d": [2, 1] } })));
    assert_ne!(one, digest("u", &json!({ "a": 1, "b": { "c": 2, "d": [1, 2] } })));
}

#[test]
fn a_call_is_given_up_once_whichever_comes_first() {
    let request = NumberOrString::Number(7);
    let watched = Cancellations::default();
    assert_eq!(watched.waits(&request, "0199"), None);
    assert_eq!(watched.give_up(&request, GiveUpReason::Abort), Some("0199".into()));
    // The message was quicker than the call.
    assert_eq!(watched.give_up(&request, GiveUpReason::Abort), None);
    assert_eq!(watched.waits(&request, "0199"), Some(GiveUpReason::Abort));
    assert_eq!(watched.waits(&request, "0199"), None);
    watched.done(&request);
}

#[test]
fn calls_that_never_wait_are_forgotten_in_time() {
    let watched = Cancellations::default();
    for number in 0..1000 {
        watched.give_up(&NumberOrString::Number(number), GiveUpReason::Abort);
    }
    assert_eq!(watched.waits(&NumberOrString::Number(0), "0199"), None);
    // A call that begins late is still told, once.
    let last = NumberOrString::Number(999);
    assert_eq!(watched.waits(&last, "0199"), Some(GiveUpReason::Abort));
    assert_eq!(watched.waits(&last, "0199"), None);
}

#[test]
fn time_outs_are_told_from_aborts() {
    for reason in [
        "McpError: MCP error -32001: Request timed out",
        "SdkError: Request timed out",
        "timed out after 1.5s",
        "Timeout",
        "deadline exceeded",
    ] {
        assert_eq!(GiveUpReason::read(Some(reason)), GiveUpReason::Time, "{reason}");
    }
    for reason in [Some("user pressed Escape"), Some("AbortError"), None] {
        assert_eq!(GiveUpReason::read(reason), GiveUpReason::Abort, "{reason:?}");
    }
}

#[test]
fn an_outline_says_everything() {
    let value = json!({
        "id": "x", "list": [], "names": ["a", "b"], "rows": [{ "n": 1, "t": "one" }, { "n": 2 }],
        "text": "first\nsecond", "inner": { "deep": true },
    });
    let expected = "id: x\nlist: none\nnames: a, b\nrows:\n  - n: 1\n    t: one\n  - n: 2\n\
                    text:\n  first\n  second\ninner:\n  deep: true";
    assert_eq!(outline(&value), expected);
}

#[test]
fn every_tool_has_its_own_row() {
    let mut names: Vec<&str> = tools::ROWS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), 14);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 14);
}
