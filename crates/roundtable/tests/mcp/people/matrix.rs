//! Person × role × operation × face: whatever is forbidden is answered exactly as for a debate
//! that does not exist, and whatever is allowed is not.

use serde_json::{Value, json};

use super::{Member, Team};
use crate::http::Answer;
use crate::table::short;

/// Kinds of operations, as roles tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Follow,
    Steer,
}

type Asked = fn(&Team, &Member, &str) -> Answer;

/// Every operation on a debate, by face.
const OPERATIONS: &[(&str, Kind, Asked)] = &[
    ("mcp get_consensus", Kind::Read, |t, m, id| tool(t, m, "get_consensus", id, json!({}))),
    ("mcp get_round_details", Kind::Read, |t, m, id| {
        tool(t, m, "get_round_details", id, json!({ "round": 1 }))
    }),
    ("mcp get_response_detail", Kind::Read, |t, m, id| {
        tool(t, m, "get_response_detail", id, json!({ "agent": "Ann" }))
    }),
    ("mcp get_thoughts", Kind::Read, |t, m, id| {
        tool(t, m, "get_thoughts", id, json!({ "agent": "Ann" }))
    }),
    ("mcp get_citations", Kind::Read, |t, m, id| tool(t, m, "get_citations", id, json!({}))),
    ("mcp export_session", Kind::Read, |t, m, id| tool(t, m, "export_session", id, json!({}))),
    ("mcp resource", Kind::Read, |t, m, id| {
        let read = json!({ "uri": format!("roundtable://sessions/{id}") });
        t.ask(m, "resources/read", read, json!({}))
    }),
    ("mcp control_session", Kind::Steer, |t, m, id| {
        tool(t, m, "control_session", id, json!({ "action": "pause" }))
    }),
    ("mcp continue_roundtable", Kind::Steer, |t, m, id| {
        tool(t, m, "continue_roundtable", id, json!({}))
    }),
    ("mcp fork", Kind::Follow, |t, m, id| {
        tool(t, m, "continue_roundtable", id, json!({ "forkRound": 1 }))
    }),
    ("mcp synthesize_debate", Kind::Steer, |t, m, id| {
        tool(t, m, "synthesize_debate", id, json!({}))
    }),
    ("mcp record_outcome", Kind::Steer, |t, m, id| {
        tool(
            t,
            m,
            "record_outcome",
            id,
            json!({ "entry": { "status": "on_track", "event": "begun" } }),
        )
    }),
    ("page", Kind::Read, |t, m, id| t.page(m, &format!("/debates/{id}"))),
    ("page by the beginning of its id", Kind::Read, |t, m, id| {
        t.page(m, &format!("/debates/{}", &id[..id.len() - 1]))
    }),
    ("page export", Kind::Read, |t, m, id| t.page(m, &format!("/debates/{id}/export/json"))),
    ("page pause", Kind::Steer, |t, m, id| t.post(m, &format!("/debates/{id}/pause"), "")),
    ("page go on", Kind::Steer, |t, m, id| t.post(m, &format!("/debates/{id}/go-on"), "")),
    ("page remark", Kind::Steer, |t, m, id| {
        t.post(m, &format!("/debates/{id}/remark"), "text=hello")
    }),
    ("page answer", Kind::Steer, |t, m, id| t.post(m, &format!("/debates/{id}/skip"), "")),
    ("page outcome", Kind::Steer, |t, m, id| {
        t.post(m, &format!("/debates/{id}/outcome"), "accuracy=1")
    }),
    ("page fork", Kind::Follow, |t, m, id| t.post(m, &format!("/debates/{id}/fork"), "round=1")),
    ("v1 responses", Kind::Follow, |t, m, id| {
        let body = json!({
            "model": "roundtable/quick", "input": "And then?",
            "previous_response_id": format!("resp_{id}"),
        });
        t.api(m, "/v1/responses", &body)
    }),
    ("v1 chat", Kind::Follow, |t, m, id| {
        let earlier = format!("[The debate](http://here/debates/{id})");
        let body = json!({ "model": "roundtable/quick", "messages": [
            { "role": "user", "content": "What?" },
            { "role": "assistant", "content": earlier },
            { "role": "user", "content": "And why?" },
        ] });
        t.api(m, "/v1/chat/completions", &body)
    }),
];

fn tool(team: &Team, who: &Member, name: &str, id: &str, mut more: Value) -> Answer {
    more["sessionId"] = id.into();
    team.call(who, name, more)
}

/// An answer without the id that was asked for, and without what differs each time.
fn plain(answer: &Answer, id: &str) -> (u16, String) {
    let start = &id[..id.len() - 1];
    (answer.status, answer.body.replace(id, "ID").replace(start, "ID"))
}

/// The rights as the documentation has them: of a person, for a debate of ann's.
fn is_allowed(person: &str, shared: bool, kind: Kind) -> bool {
    match (person, kind) {
        ("olga" | "ann", _) => true,
        ("bob", Kind::Read | Kind::Follow) | ("rita", Kind::Read) => shared,
        _ => false,
    }
}

/// Covers: 17-reach
#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_forbidden_is_answered_as_for_a_debate_that_is_not_there() {
    let team = Team::new().await;
    let [olga, ann, bob, rita] =
        [("olga", "operator"), ("ann", "member"), ("bob", "member"), ("rita", "reader")]
            .map(|(name, role)| team.member(name, role));
    let private = team.debate(&ann, "Is this ours alone?");
    let shared = team.debate(&ann, "May all of us read this?");
    assert_eq!(team.post(&ann, &format!("/debates/{shared}/share"), "").status, 303);
    team.debate(&bob, "Something else?");
    let (mut allowed, mut forbidden) = (0, 0);
    for person in [&rita, &bob, &ann, &olga] {
        for (id, is_shared) in [(&private, false), (&shared, true)] {
            // An id that could be one, and is none.
            let unknown = format!("{}ffff", &id[..id.len() - 4]);
            for (name, kind, ask) in OPERATIONS {
                let (seen, nothing) = (ask(&team, person, id), ask(&team, person, &unknown));
                let same = plain(&seen, id) == plain(&nothing, &unknown);
                let wanted = is_allowed(person.name, is_shared, *kind);
                assert_eq!(
                    !same, wanted,
                    "{} {name} {is_shared}: {seen:?} {nothing:?}",
                    person.name
                );
                if !wanted {
                    let text = seen.body.replace(id.as_str(), "");
                    assert!(!text.contains("ours alone"), "{name} tells its topic: {text}");
                }
                *(if wanted { &mut allowed } else { &mut forbidden }) += 1;
            }
        }
    }
    println!("{allowed} allowed and {forbidden} forbidden cells");
    assert!(allowed > 60 && forbidden > 60);
}

/// Covers: 17-private
#[tokio::test(flavor = "multi_thread")]
async fn lists_searches_costs_and_memory_hold_only_what_one_may_read() {
    let team = Team::new().await;
    let [ann, bob, rita] = [("ann", "member"), ("bob", "member"), ("rita", "reader")]
        .map(|(name, role)| team.member(name, role));
    let olga = team.member("olga", "operator");
    let hers = team.debate(&ann, "Shall we move to Lisbon?");
    let his = team.debate(&bob, "Shall we hire a pilot?");
    // The machine's own debate is the operators'.
    let did = team.table.home.run_with(
        &["debate", "--profile", "quick", "--json", "Shall we sell the boat?"],
        &[("OLLAMA_BASE_URL", &team.table.fake.base_url())],
    );
    assert_eq!(did.code, 0, "{did:?}");
    assert_eq!(team.listed(&ann), vec![hers.clone()]);
    assert_eq!(team.listed(&bob), vec![his.clone()]);
    assert_eq!(team.listed(&rita), Vec::<String>::new());
    assert_eq!(team.listed(&olga).len(), 3);
    for (who, sees, not) in [(&ann, "Lisbon", "pilot"), (&bob, "pilot", "Lisbon")] {
        for path in ["/", "/?search=shall", "/learning", "/new"] {
            let page = team.page(who, path);
            assert_eq!(page.status, 200, "{path}");
            assert!(!page.body.contains(not) && !page.body.contains("boat"), "{path}");
        }
        assert!(team.page(who, "/").body.contains(sees));
        let found = team.call(who, "list_sessions", json!({ "search": "shall" }));
        assert!(!found.body.contains(not) && found.body.contains(sees), "{found:?}");
        let resources = team.ask(who, "resources/list", json!({}), json!({}));
        assert!(!resources.body.contains(not) && resources.body.contains(sees), "{resources:?}");
    }
    // The same question of two people is two debates.
    let again = team.debate(&bob, "Shall we move to Lisbon?");
    assert_ne!(again, hers);
    // A reader starts nothing, and only operators look after people.
    let refused = team.call(&rita, "start_roundtable", short());
    assert!(refused.body.contains("a reader may not do this"), "{refused:?}");
    let (ours, nowhere) = (team.page(&ann, "/people"), team.page(&ann, "/nowhere"));
    assert_eq!((ours.status, ours.body), (404, nowhere.body));
    let added = team.post(&ann, "/people", "name=eve&role=operator");
    assert_eq!(added.status, 404, "{added:?}");
    assert_eq!(team.page(&olga, "/people").status, 200);
    assert!(!team.people(&["list"]).contains("eve"));
    // What the operator did to others' debates is written down; their own is not.
    team.page(&olga, &format!("/debates/{hers}"));
    team.page(&ann, &format!("/debates/{hers}"));
    let log: Value = serde_json::from_str(&team.people(&["audit", "--json"])).unwrap();
    let lines = log.as_array().unwrap();
    let read = lines.iter().filter(|line| line["did"] == "read a debate").collect::<Vec<_>>();
    assert_eq!(read.len(), 1, "{log}");
    assert_eq!((&read[0]["who"], &read[0]["about"]), (&json!("olga"), &json!(hers)));
}
