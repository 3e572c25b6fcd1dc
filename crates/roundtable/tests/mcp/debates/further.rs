//! Debates that come after others, over the wire and on the page.

use serde_json::{Value, json};

use crate::http::Serving;
use crate::table::{Gate, Table, short};
use crate::wire::{BOTH, Era};

/// Covers: 18-follow-up, 18-fork, 18-again
#[tokio::test(flavor = "multi_thread")]
async fn a_finished_debate_is_asked_further() {
    for era in BOTH {
        let table = Table::new().await;
        let config = "[flags.groupthinkDetection]\nenabled = false\n";
        table.home.file("config/roundtable/config.toml", &format!("clerk = \"none\"\n{config}"));
        let mut client = table.client(era);
        let first = client.result("start_roundtable", short())["sessionId"].clone();
        let asked = json!({ "sessionId": first, "question": "And for Makefiles?" });
        let further = client.result("continue_roundtable", asked.clone());
        assert_eq!(further["status"], "completed", "{further:#}");
        let second = further["sessionId"].clone();
        assert_ne!(second, first);
        // A call that is made again leads to the same debate.
        let calls = table.asked();
        assert_eq!(client.result("continue_roundtable", asked)["sessionId"], second);
        assert_eq!(table.asked(), calls);

        let fork = json!({ "sessionId": second, "forkRound": 1 });
        let branch = client.result("continue_roundtable", fork.clone());
        assert_eq!(branch["status"], "completed", "{branch:#}");
        let third = client.result("continue_roundtable", fork)["sessionId"].clone();
        assert_eq!(third, branch["sessionId"], "made again, it is the same branch");
        let other =
            json!({ "sessionId": first, "agents": ["ollama/fake-large", "ollama/fake-large"] });
        let again = client.result("continue_roundtable", other);
        let listed = client.result("list_sessions", json!({}));
        let after = |id: &Value| {
            let rows = listed["sessions"].as_array().unwrap();
            rows.iter().find(|row| row["sessionId"] == *id).unwrap()["after"].clone()
        };
        assert_eq!((after(&second), after(&third)), (first.clone(), second));
        assert_eq!((after(&again["sessionId"]), after(&first)), (first.clone(), Value::Null));
        let past =
            client.refused("continue_roundtable", json!({ "sessionId": first, "forkRound": 9 }));
        assert!(past.contains("there is no round 9"), "{past}");
        let judged = json!({ "sessionId": first, "assessment": { "decisionAccuracy": 1 } });
        let note = client.result("record_outcome", judged)["note"].to_string();
        assert!(note.contains("Linked debates that are not judged yet"), "{note}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_debate_is_not_asked_further() {
    let gate = Gate::default();
    let table = Table::gated(&gate).await;
    let mut client = table.client(Era::Modern);
    let mut start = short();
    start["waitSeconds"] = 0.into();
    let running = client.result("start_roundtable", start)["sessionId"].clone();
    let further = json!({ "sessionId": running, "question": "And then?" });
    let said = client.refused("continue_roundtable", further);
    assert!(said.contains("when it is finished"), "{said}");
    gate.open();
}

/// Covers: 18-follow-up
#[tokio::test(flavor = "multi_thread")]
async fn the_page_asks_further_branches_off_and_shows_the_links() {
    let table = Table::new().await;
    let config = "clerk = \"none\"\n[flags.groupthinkDetection]\nenabled = false\n";
    table.home.file("config/roundtable/config.toml", config);
    let first = table.client(Era::Modern).result("start_roundtable", short())["sessionId"].clone();
    let first = first.as_str().unwrap();
    let url = table.fake.base_url();
    let server = Serving::begin_as(&table.home, &["--no-token"], &[("OLLAMA_BASE_URL", &url)]);
    let get = |path: &str| server.send("GET", path, &[], "");
    let origin = format!("http://{}", server.address);
    let form = [("content-type", "application/x-www-form-urlencoded"), ("origin", origin.as_str())];
    let leads = |path: &str, body: &str| {
        let answer = server.send("POST", path, &form, body);
        assert_eq!(answer.status, 303, "{answer:?}");
        let place = answer.head.lines().find_map(|line| line.strip_prefix("location: "));
        place.unwrap().trim().to_owned()
    };
    let page = get(&format!("/debates/{first}")).body;
    for part in ["id=\"ask\"", "id=\"fork\"", "again=1"] {
        assert!(page.contains(part), "{part}");
    }
    let body = format!("after={first}&topic=And+for+Makefiles%3F&rounds=1");
    let further = leads("/new", &body);
    let branch = leads(&format!("/debates/{first}/fork"), "round=1&focus=");
    for (place, how) in
        [(&further, "A further question to"), (&branch, "Branched off after round 1")]
    {
        let page = held(&server, place);
        assert!(
            page.contains(how) && page.contains(&format!("href=\"/debates/{first}\"")),
            "{page}"
        );
    }
    let page = get(&format!("/debates/{first}")).body;
    assert_eq!(page.matches("Followed by").count(), 2, "{page}");
    let past = server.send("POST", &format!("/debates/{first}/fork"), &form, "round=9");
    assert!(past.status == 422 && past.body.contains("there is no round 9"), "{past:?}");
}

/// The page of a debate when it is over.
fn held(server: &Serving, place: &str) -> String {
    for _ in 0..600 {
        let page = server.send("GET", place, &[], "").body;
        if page.contains("id=\"outcome\"") {
            return page;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{place} does not end");
}
