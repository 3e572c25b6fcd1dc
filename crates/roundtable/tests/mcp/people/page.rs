//! The page of the people, and sharing a debate on its own page.

use serde_json::json;

use super::{Member, Team};

/// Covers: 17-people-page
#[tokio::test(flavor = "multi_thread")]
async fn operators_look_after_people_on_the_page() {
    let team = Team::new().await;
    let olga = team.member("olga", "operator");
    assert!(team.page(&olga, "/agents").body.contains("href=\"/people\""));
    let added = team.post(&olga, "/people", "name=ann&role=member&daily=5");
    assert_eq!(added.status, 303, "{added:?}");
    let made = team.post(&olga, "/people/ann/token", "token=laptop&expires=30d");
    let token = made.body.split_once("id=\"made\">").unwrap().1.split_once('<').unwrap().0;
    let cookie = team.sign_in(token).unwrap();
    let ann = Member { name: "ann", token: token.into(), cookie };
    assert!(!team.page(&ann, "/agents").body.contains("href=\"/people\""));
    let id = team.debate(&ann, "Shall we?");
    for (action, form) in [("role", "role=reader"), ("budget", "monthly=9")] {
        assert_eq!(team.post(&olga, &format!("/people/ann/{action}"), form).status, 303);
    }
    let page = team.page(&olga, "/people").body;
    assert!(!page.contains(token), "a token is shown once");
    for text in ["value=\"5\"", "value=\"9\"", "set the role to reader", "ann/laptop"] {
        assert!(page.contains(text), "{text}");
    }
    let wrong = team.post(&olga, "/people", "name=Two+words&role=member");
    assert_eq!(wrong.status, 422);
    assert!(wrong.body.contains("cannot be read"), "{wrong:?}");
    // A reader's own debate stays theirs to read, and no more.
    proof::wait_until("the new role", || {
        let own = team.page(&ann, &format!("/debates/{id}"));
        own.status == 200 && !own.body.contains("id=\"outcome\"")
    });
    assert_eq!(team.post(&olga, "/people/ann/revoke", "token=laptop").status, 303);
    proof::wait_until("the end of the token", || team.page(&ann, "/").status == 303);
    assert_eq!(team.post(&olga, "/people/ann/remove", "").status, 303);
    assert!(team.page(&olga, "/people").body.contains("removed a person"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debate_is_shared_on_its_page_and_by_a_tool() {
    let team = Team::new().await;
    let (ann, bob) = (team.member("ann", "member"), team.member("bob", "member"));
    let id = team.debate(&ann, "Shall we?");
    let place = format!("/debates/{id}");
    assert!(team.page(&ann, &place).body.contains("Only ann and operators can read this debate."));
    assert_eq!(team.page(&bob, &place).status, 404);
    assert_eq!(team.post(&ann, &format!("{place}/share"), "").status, 303);
    let shared = team.page(&bob, &place);
    assert!(shared.status == 200 && !shared.body.contains("id=\"share\""), "{}", shared.status);
    assert!(team.page(&ann, &place).body.contains("Everybody in the team can read this debate."));
    assert_eq!(team.listed(&bob), vec![id.clone()]);
    let private = json!({ "sessionId": id, "action": "unshare" });
    assert!(
        team.call(&bob, "control_session", private.clone()).body.contains("There is no debate")
    );
    let done = team.call(&ann, "control_session", private).message();
    assert_eq!(done["result"]["structuredContent"]["action"], "unshare", "{done}");
    assert_eq!((team.page(&bob, &place).status, team.listed(&bob).len()), (404, 0));
}
