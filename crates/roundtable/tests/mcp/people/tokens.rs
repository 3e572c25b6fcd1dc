//! Tokens, sessions and budgets of people: what is revoked or has expired lets nobody in, and
//! one person's session is nobody else's.

use serde_json::json;
use sqlx::Connection as _;

use super::{CONFIG, PRICES, Team, session_of};
use crate::http::hello;
use crate::table::{Gate, Table, short, short_with};

/// Covers: 17-tokens
#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_revoked_or_has_expired_lets_nobody_in() {
    let team = Team::new().await;
    let ann = team.member("ann", "member");
    let bob = team.member("bob", "member");
    let status = |who: &super::Member| {
        let asked = team.call(who, "list_sessions", json!({})).status;
        let body = json!({ "model": "roundtable/none", "input": "x" });
        (asked, team.api(who, "/v1/responses", &body).status, team.page(who, "/").status)
    };
    assert_eq!(status(&ann), (200, 404, 200));
    team.people(&["token", "revoke", "ann", "laptop"]);
    proof::wait_until("the end of a revoked token", || status(&ann) == (401, 401, 303));
    assert_eq!(team.sign_in(&ann.token), None);
    // The clock is not turned; the stored end is.
    let path = format!("sqlite://{}", team.table.home.database().display());
    let mut file = sqlx::SqliteConnection::connect(&path).await.unwrap();
    sqlx::query("UPDATE tokens SET expires = 1").execute(&mut file).await.unwrap();
    file.close().await.unwrap();
    proof::wait_until("the end of an expired token", || status(&bob) == (401, 401, 303));
    // A person who is removed is gone with all tokens, and a name is given once.
    let cleo = team.member("cleo", "operator");
    assert_eq!(status(&cleo).0, 200);
    team.people(&["remove", "cleo"]);
    proof::wait_until("the end of a removed person", || status(&cleo) == (401, 401, 303));
    let again = team.table.home.run(&["people", "add", "cleo"]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(again.stderr.contains("Choose another name"), "{again:?}");
    // Nothing of a token is in the file.
    let text = std::fs::read(team.table.home.database()).unwrap();
    let secret = ann.token.trim_start_matches("rt_").as_bytes();
    assert!(!text.windows(secret.len()).any(|part| part == secret));
}

/// Covers: 17-sessions
#[tokio::test(flavor = "multi_thread")]
async fn a_session_belongs_to_the_person_who_opened_it() {
    let team = Team::new().await;
    let (ann, bob) = (team.member("ann", "member"), team.member("bob", "member"));
    let session = session_of(&team.old(&ann, None, &hello()));
    let call = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "list_sessions", "arguments": {} },
    });
    assert_eq!(team.old(&ann, Some(&session), &call.to_string()).status, 200);
    let others = team.old(&bob, Some(&session), &call.to_string());
    let nobodys = team.old(&bob, Some("0123456789abcdef"), &call.to_string());
    assert_eq!((others.status, others.body), (404, nobodys.body));
    assert_eq!(team.old(&ann, Some(&session), &call.to_string()).status, 200);
}

/// Covers: 17-person-budget
#[tokio::test(flavor = "multi_thread")]
async fn the_budget_of_a_person_stops_their_debates_and_no_others() {
    let gate = Gate::default();
    let team = Team::at(Table::gated(&gate).await, &format!("{CONFIG}{PRICES}"));
    let (ann, bob) = (team.member("ann", "member"), team.member("bob", "member"));
    // What cannot begin is refused before it is opened, with what is left and what to do.
    for (span, each, option) in [("today", "day", "--daily"), ("this month", "month", "--monthly")]
    {
        team.people(&["budget", "ann", "--daily", "5", "--monthly", "5"]);
        team.people(&["budget", "ann", option, "0.0001"]);
        let refused = team.call(&ann, "start_roundtable", short());
        for words in [
            format!("ann: $0.0001 of $0.0001 is left {span} (UTC)"),
            "the first calls may cost up to $".into(),
            "Ask an operator for at least $0.0".into(),
            format!(" a {each}, seat cheaper agents, or wait until"),
        ] {
            assert!(refused.body.contains(&words), "{words}: {refused:?}");
        }
    }
    assert_eq!((team.listed(&ann).len(), team.table.asked()), (0, 0));
    // A budget that is changed meanwhile holds for the next call.
    team.people(&["budget", "ann", "--daily", "5", "--monthly", "0"]);
    let wish = short_with(json!({ "rounds": 2, "waitSeconds": 0 }));
    let begun = team.call(&ann, "start_roundtable", wish);
    assert_eq!(begun.status, 200, "{begun:?}");
    team.people(&["budget", "ann", "--daily", "0.0001"]);
    gate.open();
    let id = team.listed(&ann).remove(0);
    proof::wait_until("the end of the budget", || {
        let looked = team.call(&ann, "get_consensus", json!({ "sessionId": id }));
        looked.body.contains("the owner's budget for the day")
    });
    let held = team.call(&bob, "start_roundtable", short());
    assert!(held.body.contains("completed"), "{held:?}");
    let shown = team.people(&["list"]);
    assert!(shown.contains("ann  member") && shown.contains("today $0"), "{shown}");
    // No promise could be kept about a model whose price nobody knows.
    let unknown = short_with(json!({ "agents": ["Ann=ollama/fake-large", "Bea=custom/other"] }));
    let refused = team.call(&ann, "start_roundtable", unknown);
    assert!(refused.body.contains("the price of custom/other is not known"), "{refused:?}");
}
