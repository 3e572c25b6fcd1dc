//! The page in a headless browser: signing in, a form with faults, a debate that is
//! watched, paused, remarked on, resumed and stopped, a server that is killed, and every
//! view in three widths, in the light and in the dark.

use std::path::Path;
use std::time::Duration;

use fake_provider::{FakeOptions, FakeProvider};
use serde_json::{Value, json};
use tokio::process::Command;

use super::browser::{HOSTILE_TOPIC, hostile_debate, tools};
use crate::support::Home;

/// An answer of this many pieces takes long enough to be watched.
const PIECES: usize = 30;
const PACE: Duration = Duration::from_millis(60);

/// Drives the page of a home and says what was found; nothing without a browser.
async fn driven(home: &Home, errand: &str) -> Option<Value> {
    let (modules, browser) = tools()?;
    let options = FakeOptions { pieces: PIECES, pace: PACE, ..FakeOptions::default() };
    let fake = FakeProvider::start(options).await.unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/page.mjs");
    let program = assert_cmd::cargo::cargo_bin("roundtable");
    let did = Command::new("node")
        .args([script.as_path(), modules.as_path(), home.path()])
        .arg(browser)
        .arg(program)
        .arg(fake.base_url())
        .arg(errand)
        .output()
        .await
        .unwrap();
    assert!(did.status.success(), "{}", String::from_utf8_lossy(&did.stderr));
    let found: Value = serde_json::from_slice(&did.stdout).unwrap();
    assert_eq!(found["error"], Value::Null, "{found:#}");
    assert_eq!(found["console"], json!([]), "the console");
    assert_eq!(found["foreign"], json!([]), "requests to other hosts");
    assert_eq!(found["dialogs"], 0);
    Some(found)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn hostile_texts_stay_texts_on_the_page() {
    let home = Home::new();
    hostile_debate(&home);
    let Some(found) = driven(&home, "visit").await else { return };
    let visited = &found["visited"][0];
    assert_eq!((&visited["scripts"], &visited["handlers"]), (&json!(0), &json!([])));
    assert_eq!(visited["overflow"], false, "the page is wider than the window");
    assert_eq!(visited["title"], HOSTILE_TOPIC);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_debate_is_held_on_the_page() {
    let home = Home::new();
    let Some(found) = driven(&home, "all").await else { return };
    assert_eq!(found["overflow"], json!([]), "views that scroll sideways");
    for (view, violations) in found["axe"].as_object().unwrap() {
        assert_eq!(violations, &json!([]), "accessibility of {view}");
    }
    assert_eq!((&found["redirected"], &found["bold"]), (&json!(true), &json!(0)));
    assert_eq!(found["kept"][0], "40", "what was typed is lost");
    assert!(found["faults"].as_array().unwrap().len() >= 3, "{}", found["faults"]);
    assert_eq!((&found["twice"], &found["missing"]), (&json!(false), &json!([])));
    assert_eq!(found["deadLinks"], json!([]));
    assert!(found["sheets"].as_u64().unwrap() <= 6, "{} sheets of paper", found["sheets"]);
    assert_eq!((&found["plainCard"], &found["foreignPost"]), (&json!(1), &json!(403)));
    assert_eq!(found["steps"].as_array().unwrap().len(), 9, "{}", found["steps"]);
}
