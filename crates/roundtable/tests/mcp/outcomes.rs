//! Outcomes over the wire: what is recorded is learned from, and only that.

use serde_json::json;

use crate::table::{Table, short};
use crate::wire::BOTH;

#[tokio::test(flavor = "multi_thread")]
async fn an_outcome_is_recorded_and_learned_from() {
    for era in BOTH {
        let table = Table::new().await;
        let mut client = table.client(era);
        let nothing = client.result("get_learning", json!({}));
        assert_eq!(nothing["outcomes"], 0, "{nothing:#}");
        let id = client.result("start_roundtable", short())["sessionId"].clone();

        let entry = json!({ "status": "on_track", "event": "It was begun.", "surprise": 0.2 });
        let noted = client.result("record_outcome", json!({ "sessionId": id, "entry": entry }));
        assert_eq!((&noted["entries"], &noted["assessed"]), (&json!(1), &json!(false)));
        // An entry alone teaches nothing.
        assert_eq!(client.result("get_learning", json!({}))["outcomes"], 0);

        let assessment = json!({
            "decisionAccuracy": 0.9,
            "whatWentWrong": [{ "aspect": "cost", "evidenceType": "SPECULATIVE", "validation": "refuted" }],
            "lessons": [{ "lesson": "Ask about cost.", "question": "What will it cost to run?" }],
        });
        let judged =
            client.result("record_outcome", json!({ "sessionId": id, "assessment": assessment }));
        assert_eq!(judged["assessed"], true, "{judged:#}");
        assert!(!judged["changes"].as_array().unwrap().is_empty(), "{judged:#}");
        let learned = client.result("get_learning", json!({}));
        assert_eq!((&learned["outcomes"], &learned["judgedShare"]), (&json!(1), &json!(1.0)));

        let again =
            client.refused("record_outcome", json!({ "sessionId": id, "assessment": assessment }));
        assert!(again.contains("replace to true") && !again.contains("--"), "{again}");
        let replaced = json!({ "sessionId": id, "assessment": assessment, "replace": true });
        assert_eq!(client.result("record_outcome", replaced)["assessed"], true);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_an_outcome_is_refused_with_what_can() {
    let table = Table::new().await;
    let mut client = table.client(BOTH[0]);
    let id = client.result("start_roundtable", short())["sessionId"].clone();
    let rows = [
        (json!({ "sessionId": id }), "nothing to record"),
        (
            json!({ "sessionId": "nobody", "entry": { "status": "blocked", "event": "x" } }),
            "nobody",
        ),
        (json!({ "sessionId": id, "assessment": { "decisionAccuracy": 1.5 } }), "1"),
        (json!({ "sessionId": id, "entry": { "mood": "x" } }), "mood"),
        (
            json!({ "sessionId": id, "assessment": { "decisionAccuracy": 0.5,
                "whatWentRight": [{ "aspect": "a", "evidenceType": "RUMOUR" }] } }),
            "RUMOUR",
        ),
    ];
    for (arguments, expected) in rows {
        let said = client.refused("record_outcome", arguments.clone());
        assert!(said.contains(expected), "{arguments}: {said}");
    }
    let said = client.refused("get_learning", json!({ "domain": "alchemy" }));
    assert!(said.contains("alchemy"), "{said}");
    assert_eq!(client.result("get_learning", json!({}))["outcomes"], 0);
}
