//! The page that clients draw inside themselves, in a headless browser and a host of
//! our own: real debates, light and dark, and texts that try to be more than text.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::browser::{EXAMPLE, hostile_debate, newest, tools};
use crate::support::Home;

/// Shows a debate and says what became of it.
fn shown(home: &Home, id: &str) -> Option<Value> {
    let (modules, browser) = tools()?;
    let did = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/app.mjs"))
        .arg(modules)
        .arg(home.path())
        .arg(browser)
        .arg(assert_cmd::cargo::cargo_bin("roundtable"))
        .arg(id)
        .envs(home.variables())
        .output()
        .unwrap();
    assert!(did.status.success(), "{}", String::from_utf8_lossy(&did.stderr));
    if let Some(keep) = std::env::var_os("ROUNDTABLE_PICTURES") {
        for picture in ["light", "dark", "light-open", "dark-open", "running", "narrow"] {
            let name = format!("app-{picture}.png");
            std::fs::copy(home.path().join(&name), Path::new(&keep).join(&name)).unwrap();
        }
    }
    Some(serde_json::from_slice(&did.stdout).unwrap())
}

fn assert_page_is_sound(seen: &Value) {
    assert_eq!(seen["mimeType"], "text/html;profile=mcp-app");
    assert_eq!(seen["console"], json!([]), "the console");
    assert_eq!(seen["requests"], json!([]), "requests that left the page");
    assert_eq!(seen["dialogs"], 0);
    assert_eq!(seen["axe"], json!({ "light": [], "dark": [] }), "accessibility");
    assert_ne!(seen["papers"]["light"], seen["papers"]["dark"], "light and dark are the same");
    let shape = &seen["shape"];
    assert_eq!((&shape["scripts"], &shape["foreign"]), (&json!(1), &json!(0)), "{shape}");
    assert_eq!(shape["handlers"], json!([]));
    assert_eq!(shape["overflow"], false, "the page is wider than its frame");
    assert_eq!(shape["cut"], false, "the frame is not as high as the page");
    assert_eq!(seen["followed"]["overflow"], false, "the page is wider than a telephone");
}

/// What is drawn is what the server gave; `curve`: the rounds whose agreement is known.
fn assert_all_is_drawn(seen: &Value, curve: &Value) {
    let (whole, shape) = (&seen["whole"], &seen["shape"]);
    assert_eq!(shape["answer"], whole["decision"]["answer"]);
    let agents: Vec<&Value> =
        whole["agentResponses"].as_array().unwrap().iter().map(|one| &one["agent"]).collect();
    assert_eq!(shape["agents"], json!(agents));
    assert_eq!(shape["seats"], agents.len());
    let held = whole["metadata"]["roundsHeld"].as_u64().unwrap();
    let rounds: Vec<String> = (1..=held).map(|round| format!("Round {round}")).collect();
    assert_eq!(shape["rounds"], json!(rounds));
    assert_eq!(&shape["points"], curve, "rounds on the curve of agreement");
    let sources = whole["evidence"]["citations"].as_array().unwrap();
    let drawn = shape["sources"].as_array().unwrap();
    assert_eq!(drawn.len(), sources.len());
    for (drawn, source) in drawn.iter().zip(sources) {
        let title = source["title"].as_str().unwrap();
        assert!(drawn.as_str().unwrap().contains(title), "{drawn} without {title}");
    }
}

#[test]
fn the_page_in_a_client_shows_the_table_the_rounds_and_the_sources() {
    let home = Home::new();
    assert_eq!(home.run(&["debate", EXAMPLE, "--quiet"]).code, 0);
    let Some(seen) = shown(&home, &newest(&home)) else { return };
    assert_page_is_sound(&seen);
    assert_all_is_drawn(&seen, &json!(3));
    let shape = &seen["shape"];
    assert!(shape["text"].as_str().unwrap().contains(EXAMPLE), "the topic is not shown");
    let sources = seen["whole"]["evidence"]["citations"].as_array().unwrap().len();
    assert!(sources >= 3, "the example has too few sources to prove anything");
    assert_eq!(shape["links"], sources, "sources that the host can open");
    for heading in ["Agreement by round", "Last words", "Still contested", "Rounds"] {
        assert!(shape["headings"].as_array().unwrap().contains(&heading.into()), "{shape}");
    }

    // It looks by itself whether a running debate is over, and leaves the reader be.
    assert_eq!(seen["followed"]["kept"], json!({ "open": true, "focused": true }));
    let calls = seen["calls"].as_array().unwrap();
    assert!(calls.contains(&"get_consensus".into()), "{calls:?}");

    // What a host may ask, and what it may lend.
    let minded = &seen["minded"];
    assert_eq!(minded["evil"], "", "a host's style was taken that is none of colours");
    let heard = minded["heard"].as_array().unwrap();
    let of = |id: &str| heard.iter().find(|one| one["id"] == id).unwrap();
    assert_eq!((&of("p")["result"], &of("t")["result"]), (&json!({}), &json!({})));
    assert_eq!(of("x")["error"]["code"], -32601);
    let link = heard.iter().find(|one| one["method"] == "ui/open-link").unwrap();
    assert_eq!(link["params"]["url"], seen["whole"]["evidence"]["citations"][0]["url"]);
}

#[test]
fn hostile_texts_stay_texts_in_the_page_in_a_client() {
    let home = Home::new();
    let id = hostile_debate(&home);
    let Some(seen) = shown(&home, &id) else { return };
    assert_page_is_sound(&seen);
    // Without a clerk the agreement is not known, and no curve is drawn.
    assert_all_is_drawn(&seen, &Value::Null);
    let text = seen["shape"]["text"].as_str().unwrap();
    assert!(
        text.contains(super::browser::HOSTILE_TOPIC),
        "the topic is not shown as it is: {text}"
    );
    // Only addresses of the web are offered to the host, whatever else is called one.
    let sources = seen["whole"]["evidence"]["citations"].as_array().unwrap();
    let web = sources.iter().filter(|one| {
        one["url"].as_str().is_some_and(|url| url.to_lowercase().starts_with("http"))
    });
    assert_eq!(seen["shape"]["links"], web.count());
}
