//! Two nodes on one database: whatever is changed about people at one of them holds at the other
//! within a second, and a client may go on with its call at the other.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::Connection as _;

use super::{CONFIG, Member, PRICES, Team, session_of};
use crate::http::hello;
use crate::postgres::database;
use crate::table::{Table, short, short_with};

async fn node(database: &str, config: &str) -> Team {
    let mut table = Table::new().await;
    table.home.server = Some(database.into());
    Team::at(table, config)
}

/// The answers to a call of a tool, of the API, and for a page.
fn answers(node: &Team, who: &Member) -> (u16, u16, u16) {
    let asked = node.call(who, "list_sessions", json!({})).status;
    let body = json!({ "model": "roundtable/none", "input": "x" });
    (asked, node.api(who, "/v1/responses", &body).status, node.page(who, "/").status)
}

const LET_IN: (u16, u16, u16) = (200, 404, 200);
const REFUSED: (u16, u16, u16) = (401, 401, 303);

/// Looks ten times, a tenth of a second apart, so that the last look is after the second. Each
/// look asks as well, as a caller would who does not stop.
fn within_a_second(what: &str, mut holds: impl FnMut() -> bool) {
    let seen = (0..10).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        holds()
    });
    assert!(seen, "{what} is not known at the other node");
}

/// Covers: 17-nodes-people
#[tokio::test(flavor = "multi_thread")]
async fn what_is_changed_about_people_at_one_node_holds_at_the_other_within_a_second() {
    let Some(database) = database("people_nodes").await else { return };
    let (one, other) = (node(&database, CONFIG).await, node(&database, CONFIG).await);
    let olga = one.member("olga", "operator");
    let [ann, bob, cem, dan] = ["ann", "bob", "cem", "dan"].map(|name| one.member(name, "member"));
    for who in [&ann, &bob, &cem, &dan] {
        assert_eq!(answers(&other, who), LET_IN, "{}", who.name);
    }

    assert_eq!(one.post(&olga, "/people/ann/revoke", "token=laptop").status, 303);
    within_a_second("a token revoked on the page", || answers(&other, &ann) == REFUSED);
    one.people(&["token", "revoke", "bob", "laptop"]);
    for node in [&one, &other] {
        within_a_second("a token revoked by command", || answers(node, &bob) == REFUSED);
    }
    assert_eq!(other.sign_in(&bob.token), None);

    // The clock is not turned; the stored end is.
    let mut server = sqlx::PgConnection::connect(&database).await.unwrap();
    let end = "UPDATE tokens SET expires = extract(epoch FROM now()) * 1000 WHERE person = 'cem'";
    let changed = sqlx::query(end).execute(&mut server).await.unwrap();
    assert_eq!(changed.rows_affected(), 1);
    server.close().await.unwrap();
    within_a_second("an expired token", || answers(&other, &cem) == REFUSED);

    assert_eq!(other.page(&dan, "/people").status, 404);
    one.people(&["role", "dan", "operator"]);
    within_a_second("a new role", || other.page(&dan, "/people").status == 200);
    assert_eq!(one.post(&olga, "/people/dan/role", "role=reader").status, 303);
    within_a_second("an older role", || other.page(&dan, "/people").status == 404);
    assert_eq!(one.post(&olga, "/people/dan/remove", "").status, 303);
    within_a_second("a removed person", || answers(&other, &dan) == REFUSED);
    assert_eq!(answers(&other, &olga), LET_IN, "others go on");
}

/// Covers: 17-nodes-calls
#[tokio::test(flavor = "multi_thread")]
async fn sessions_sealed_requests_and_tasks_go_on_at_whichever_node_answers() {
    let Some(database) = database("call_nodes").await else { return };
    let config = CONFIG.replace("[server]\n", "[server]\nconfirm_above = 0.001\n") + PRICES;
    let (one, other) = (node(&database, &config).await, node(&database, &config).await);
    let [ann, bob] = ["ann", "bob"].map(|name| one.member(name, "member"));

    // A session of the older era, which belongs to its caller at every node.
    let session = session_of(&one.old(&ann, None, &hello()));
    let message = |method: &str, params: Value| {
        json!({ "jsonrpc": "2.0", "id": 2, "method": method, "params": params }).to_string()
    };
    let list = message("tools/call", json!({ "name": "list_sessions", "arguments": {} }));
    for node in [&other, &one, &other] {
        let listed = node.old(&ann, Some(&session), &list);
        assert_eq!(listed.status, 200, "{listed:?}");
        assert!(listed.message()["result"]["structuredContent"].is_object(), "{listed:?}");
        assert_eq!(node.old(&bob, Some(&session), &list).status, 404);
    }
    let forged = format!("{}x", &session[..session.len() - 1]);
    for unknown in [forged.as_str(), "0123456789abcdef", "0123456789abcdef.rs1.x.y"] {
        assert_eq!(other.old(&ann, Some(unknown), &list).status, 404, "{unknown}");
    }

    // A question that one node asks is answered at the other, and to nobody else.
    let able = json!({ "elicitation": { "form": {} } });
    let mut call = json!({ "name": "start_roundtable", "arguments": short() });
    let asked = one.ask(&ann, "tools/call", call.clone(), able.clone()).message();
    call["requestState"] = asked["result"]["requestState"].clone();
    assert!(call["requestState"].is_string(), "{asked}");
    let yes = json!({ "action": "accept", "content": { "proceed": true } });
    call["inputResponses"] = json!({ "confirm": yes });
    let refused = other.ask(&bob, "tools/call", call.clone(), able.clone()).message();
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let held = other.ask(&ann, "tools/call", call, able).message();
    assert_eq!(held["result"]["structuredContent"]["status"], "completed", "{held}");

    // A task that one node began is read at the other.
    let able = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let wish = short_with(json!({ "topic": "In stages?", "budgetUsd": 5 }));
    let start = json!({ "name": "start_roundtable", "arguments": wish });
    let begun = one.ask(&ann, "tools/call", start, able.clone()).message();
    let task = json!({ "taskId": begun["result"]["taskId"] });
    loop {
        let read = other.ask(&ann, "tasks/get", task.clone(), able.clone()).message();
        if read["result"]["status"] == "completed" {
            break;
        }
        assert_eq!(read["result"]["status"], "working", "{begun} {read}");
    }
    let refused = other.ask(&bob, "tasks/get", task, able).message();
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}
