//! Two nodes on one database: whatever is changed about people at one of them holds at the other
//! within a second.

use std::time::Duration;

use serde_json::json;
use sqlx::Connection as _;

use super::{Member, Team};
use crate::postgres::database;
use crate::table::Table;

async fn node(database: &str) -> Team {
    let mut table = Table::new().await;
    table.home.server = Some(database.into());
    Team::at(table, "")
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
    let (one, other) = (node(&database).await, node(&database).await);
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
