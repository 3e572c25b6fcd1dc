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
const PIECES: usize = 40;
const PACE: Duration = Duration::from_millis(120);

/// Drives the page of a home and says what was found; nothing without a browser.
/// `ROUNDTABLE_PICTURES` names a folder that takes the pictures.
async fn driven(home: &Home, script: &str, errand: &str) -> Option<Value> {
    let (modules, browser) = tools()?;
    let options = FakeOptions { pieces: PIECES, pace: PACE, ..FakeOptions::default() };
    let fake = FakeProvider::start(options).await.unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
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
    if let Some(keep) = std::env::var_os("ROUNDTABLE_PICTURES") {
        for picture in std::fs::read_dir(home.path().join("pictures")).unwrap() {
            let path = picture.unwrap().path();
            std::fs::copy(&path, Path::new(&keep).join(path.file_name().unwrap())).unwrap();
        }
    }
    assert_eq!(found["error"], Value::Null, "{found:#}");
    assert_eq!(found["console"], json!([]), "the console");
    assert_eq!(found["foreign"], json!([]), "requests to other hosts");
    assert_eq!(found["dialogs"], 0);
    assert_eq!(found["overflow"], json!([]), "views that scroll sideways");
    for (view, violations) in found["axe"].as_object().unwrap() {
        assert_eq!(violations, &json!([]), "accessibility of {view}");
    }
    Some(found)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn hostile_texts_stay_texts_on_the_page() {
    let home = Home::new();
    hostile_debate(&home);
    let Some(found) = driven(&home, "page.mjs", "visit").await else { return };
    let visited = &found["visited"][0];
    assert_eq!((&visited["scripts"], &visited["handlers"]), (&json!(0), &json!([])));
    assert_eq!(visited["overflow"], false, "the page is wider than the window");
    assert_eq!(visited["title"], HOSTILE_TOPIC);
}

/// Covers: 13.3-page
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_debate_is_held_on_the_page() {
    let home = Home::new();
    let Some(found) = driven(&home, "page.mjs", "all").await else { return };
    assert_eq!((&found["redirected"], &found["bold"]), (&json!(true), &json!(0)));
    assert_eq!(found["kept"][0], "40", "what was typed is lost");
    assert!(found["faults"].as_array().unwrap().len() >= 3, "{}", found["faults"]);
    assert_eq!((&found["twice"], &found["missing"]), (&json!(false), &json!([])));
    let held = &found["held"];
    assert!(held["held"].as_u64().unwrap() >= 2, "{held}");
    let whole = (&held["lost"], &held["twice"], &held["more"]);
    assert_eq!(whole, (&json!([]), &json!(false), &json!(0)), "the page against the log");
    assert_eq!(found["deadLinks"], json!([]));
    assert_eq!(found["compared"], 2, "two different debates side by side");
    assert_eq!(found["elsewhere"], 1, "a terminal's debate is not shown as such");
    assert!(found["sheets"].as_u64().unwrap() <= 6, "{} sheets of paper", found["sheets"]);
    assert_eq!((&found["plainCard"], &found["foreignPost"]), (&json!(1), &json!(403)));
    assert_eq!(found["steps"].as_array().unwrap().len(), 9, "{}", found["steps"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_debate_that_does_not_go_well_is_steered_on_the_page() {
    let home = Home::new();
    let Some(found) = driven(&home, "steer.mjs", "").await else { return };
    let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
    assert!(text("failed").contains("failed"), "{found:#}");
    assert!(text("left").contains("left"), "asked again: {}", text("left"));
    assert_eq!(found["dropAgain"], 0, "two must remain");
    assert!(text("beware").contains("Chen was dropped by a person"), "{}", text("beware"));
    assert_eq!(found["tried"], 2, "answers after the second try");
    assert!(text("question").contains("How much tea"), "{}", text("question"));
    assert!(text("askFault").len() > 10, "{}", text("askFault"));
    assert_eq!(found["askInvalid"], "true");
    assert!(text("lost").contains("Everything that was answered is kept"), "{}", text("lost"));
    assert_eq!(found["typed"], "Four cups a day", "what was typed is lost");
    let turn = json!({
        "state": "your turn", "pill": "NEEDS YOU", "others": "waits for its turn",
        "empty": "true", "fault": ["true", null], "kept": "In stages. It is cheaper.",
        "fresh": "", "answers": [[["In stages.", 0.7]], []], "passed": [["me", "passed"]],
        "models": 4,
    });
    assert_eq!(found["turn"], turn, "a person's own seat");
    let slept = &found["slept"];
    assert!(slept["answers"].as_u64().unwrap() >= 3, "{slept}");
    assert_eq!((&slept["twice"], &slept["order"]), (&json!(false), &json!(true)), "{slept}");
    let keys = json!({ "r": "rm", "emptied": "", "ordered": true, "j": true, "slash": "find" });
    assert_eq!(found["keys"], keys);
    let finding = json!({ "all": true, "state": 0, "domain": 0, "kept": "No such" });
    assert_eq!(found["finding"], finding);
    assert_eq!(found["outcome"], json!({ "status": 422, "kept": true, "fault": true }));
    assert_eq!(found["noSuchAction"], 422);
    assert_eq!(found["unknown"][0], "There is no such debate");
    assert_eq!(found["noPage"], "There is no such page");
    assert_eq!(found["linked"], "/");
    for link in ["usedLink", "badLink"] {
        assert!(text(link).contains("used or has expired"), "{}", text(link));
    }
    let further = &found["further"];
    assert_eq!(further["topic"], "And what follows from it?", "{further}");
    assert!(further["told"].as_str().unwrap().contains("the earlier decision"), "{further}");
    assert!(further["back"].as_str().unwrap().starts_with("/debates/"), "{further}");
    assert_eq!((&further["on"], &further["branch"]), (&json!(1), &json!(true)), "{further}");
    assert_eq!(found["steps"].as_array().unwrap().len(), 10, "{}", found["steps"]);
}

/// The page's script is small enough to be read, and needs no build.
#[test]
fn the_script_of_the_page_is_small() {
    const MOST: usize = 15_000;
    let script = include_str!("../../../src/web/templates/page.js");
    println!("the page's script: {} bytes, at most {MOST}", script.len());
    assert!(script.len() <= MOST, "{} bytes", script.len());
}
