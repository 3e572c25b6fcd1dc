//! Exports in the programs they are made for: the report in a headless browser,
//! the maps in the parsers of Mermaid and Argdown; and the page that clients draw
//! inside themselves. `./check` installs what this needs; where it cannot be had,
//! the tests say so and check nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::printing::hostile_strings::{MARK, STRINGS};
use crate::support::Home;
use serde_json::{Value, json};

pub(super) const EXAMPLE: &str =
    "Should a five-person startup build its product as microservices or as a modular monolith?";
pub(super) const HOSTILE_TOPIC: &str = "Is <script>alert('FORGED')</script> so?";
/// Both agents write one, so that the page has two of the same.
const TABLE: &str = "| a | b |\n|---|---|\n| 1 | 2 |\n\n";
const BROWSERS: [&str; 3] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/// The installed packages and the browser, or nothing, loudly.
pub(super) fn tools() -> Option<(PathBuf, &'static str)> {
    let modules =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser").canonicalize().ok();
    let modules = modules.filter(|path| path.join("node_modules/playwright-core").exists());
    let browser = BROWSERS.into_iter().find(|path| Path::new(path).exists());
    let node = Command::new("node").arg("--version").output().is_ok_and(|out| out.status.success());
    match (modules, browser, node) {
        (Some(modules), Some(browser), true) => Some((modules, browser)),
        (modules, browser, node) => {
            let missing = [
                (modules.is_none(), "the packages of tests/browser/package.json"),
                (browser.is_none(), "chromium"),
                (!node, "node"),
            ];
            let names: Vec<&str> =
                missing.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
            let missing = names.join(", no ");
            proof::cannot_be_shown(&format!(
                "exports in a browser: there is no {missing}; ./check installs them"
            ));
            None
        }
    }
}

/// Exports a debate three ways and says what became of it.
fn opened(home: &Home, id: &str) -> Option<Value> {
    let (modules, browser) = tools()?;
    for (format, name) in
        [("html", "report.html"), ("mermaid", "map.mmd"), ("argdown", "map.argdown")]
    {
        let did = home.run(&["sessions", "export", id, "-f", format, "-o", name]);
        assert_eq!(did.code, 0, "{did:#?}");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/check.mjs");
    let did = Command::new("node")
        .arg(script)
        .arg(modules)
        .arg(home.path())
        .arg(browser)
        .output()
        .unwrap();
    assert!(did.status.success(), "{}", String::from_utf8_lossy(&did.stderr));
    Some(serde_json::from_slice(&did.stdout).unwrap())
}

pub(super) fn newest(home: &Home) -> String {
    let listed: Vec<Value> =
        serde_json::from_str(&home.run(&["sessions", "list", "--json"]).stdout).unwrap();
    listed[0]["id"].as_str().unwrap().to_owned()
}

fn assert_report_is_sound(report: &Value) {
    assert_eq!(report["console"], json!([]), "the console");
    assert_eq!(report["requests"], json!([]), "requests that left the page");
    assert_eq!(report["dialogs"], 0);
    assert_eq!(report["axe"], json!({ "light": [], "dark": [] }), "accessibility");
    let shape = &report["shape"];
    assert_eq!((&shape["scripts"], &shape["foreign"]), (&json!(0), &json!(0)), "{shape}");
    assert_eq!(shape["handlers"], json!([]));
    assert_eq!((&shape["badLinks"], &shape["looseLinks"]), (&json!([]), &json!(0)));
    assert_eq!(shape["deadAnchors"], json!([]));
    assert_eq!(shape["overflow"], false, "the page is wider than the window");
    assert_eq!(report["cut"], json!([]), "cut off on a telephone");
    assert_eq!(shape["overlaps"], 0, "nodes of the map lie over one another");
    assert_eq!(shape["twice"], json!([]), "ids that are there twice");
    assert_ne!(report["lightPaper"], report["darkPaper"], "light and dark are the same");
    for drawn in shape["drawn"].as_array().unwrap() {
        let size = |name: &str| drawn[name].as_f64().unwrap();
        assert!(size("width") > 100.0 && size("height") > 100.0 && size("parts") > 5.0, "{drawn}");
    }
    // Every stop of the tabulator comes after the one before it in the page.
    let places: Vec<i64> = report["tabbed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stop| stop["place"].as_i64().unwrap())
        .collect();
    assert!(places.len() > 10 && places.is_sorted_by(|a, b| a < b), "{places:?}");
    assert_eq!(report["opened"], true, "an answer does not open with the keyboard");
}

/// Covers: 13.4-drawn
#[test]
fn the_report_and_the_maps_are_drawn() {
    let home = Home::new();
    assert_eq!(home.run(&["debate", EXAMPLE, "--quiet"]).code, 0);
    let id = newest(&home);
    let Some(found) = opened(&home, &id) else { return };
    assert_report_is_sound(&found["report"]);
    let whole: Value =
        serde_json::from_str(&home.run(&["sessions", "export", &id, "-f", "json"]).stdout).unwrap();
    let claims = whole["state"]["claims"].as_array().unwrap();
    let links: usize = claims
        .iter()
        .map(|claim| {
            let support = claim["support"].as_array().unwrap().iter();
            support.filter(|id| id.as_str().unwrap().starts_with('C')).count()
                + claim["opposition"].as_array().unwrap().len()
        })
        .sum();
    let cited: usize = claims
        .iter()
        .flat_map(|claim| claim["support"].as_array().unwrap())
        .filter(|id| id.as_str().unwrap().starts_with('E'))
        .count();
    let shape = &found["report"]["shape"];
    assert_eq!(shape["title"], EXAMPLE);
    // Every claim is drawn once, whether as a node or inside one.
    let ids: Vec<&Value> = claims.iter().map(|claim| &claim["id"]).collect();
    assert_eq!(shape["claims"], json!(ids));
    assert!(links >= 10, "the example has too few links to prove anything");
    assert_eq!(shape["sources"], whole["references"].as_array().unwrap().len());
    assert_eq!((&shape["answers"], &shape["panels"]), (&json!(9), &json!(3)));
    // The lanes and three panels; on paper at most six sheets, a line for each round.
    assert_eq!(shape["drawn"].as_array().unwrap().len(), 4);
    let sheets = found["report"]["sheets"].as_u64().unwrap();
    assert!((1..=6).contains(&sheets), "{sheets} sheets of paper");
    assert_eq!(found["report"]["printedRounds"], 3);

    let mermaid = &found["mermaid"];
    assert_eq!(mermaid["error"], Value::Null, "{mermaid}");
    assert_eq!(mermaid["kind"], "flowchart-v2");
    let sources = whole["state"]["evidence"].as_array().unwrap().len();
    let notices = whole["notices"].as_array().unwrap().len();
    // The topic and the decision; the reasons lead to the decision.
    let reasons = whole["verdict"]["card"]["reasons"].as_array().unwrap().len();
    assert_eq!(mermaid["nodes"], 2 + claims.len() + sources + notices);
    assert_eq!(mermaid["edges"], 1 + reasons + links + cited);

    let argdown = &found["argdown"];
    assert_eq!(argdown["errors"], json!([]));
    assert_eq!(argdown["statements"].as_array().unwrap().len(), 1 + notices + claims.len());
    assert_eq!(argdown["arguments"].as_array().unwrap().len(), sources);
    assert_eq!(argdown["relations"].as_array().unwrap().len(), reasons + links + cited);
    // Argdown counts a statement's tags to its text.
    let text = format!("{} #accepted", claims[0]["text"].as_str().unwrap());
    assert_eq!(argdown["texts"]["C1"], text);
}

/// A debate in which every text tries to be more than text.
pub(super) fn hostile_debate(home: &Home) -> String {
    let answer = |seat: usize| {
        let texts: Vec<&str> = STRINGS.iter().skip(seat).step_by(2).copied().collect();
        let claims: Vec<Value> = (1..)
            .zip(&texts)
            .map(|(number, text)| {
                json!({ "text": format!("{text} ({seat}.{number})"), "label": "FACT",
                    "evidenceType": "DOCUMENTED", "citations": [number] })
            })
            .collect();
        let citations: Vec<Value> = (1..)
            .zip(&texts)
            .map(|(number, text)| json!({ "number": number, "title": text, "url": text }))
            .collect();
        json!({ "position": texts[0], "reasoning": format!("{TABLE}{}", texts.join("\n\n")), "keyPoints": texts,
            "confidence": 0.5, "claims": claims, "citations": citations,
            "vote": { "ballot": "BLOCKER", "objection": texts[1] } })
    };
    let agents: Vec<Value> = (0..2)
        .map(
            |seat| json!({ "name": format!("Agent {seat}"), "turn": [{ "answer": answer(seat) }] }),
        )
        .collect();
    let script = json!({ "agent": agents }).to_string();
    let script = home.file("script.json", &script).display().to_string();
    let args =
        ["debate", HOSTILE_TOPIC, "--script", &script, "--rounds", "1", "--clerk=none", "-q"];
    let did = home.run(&args);
    assert_eq!(did.code, 0, "{did:#?}");
    newest(home)
}

#[test]
fn hostile_texts_stay_texts_in_the_browser_and_in_the_parsers() {
    let home = Home::new();
    let id = hostile_debate(&home);
    let Some(found) = opened(&home, &id) else { return };
    assert_report_is_sound(&found["report"]);
    let text = found["report"]["shape"]["text"].as_str().unwrap();
    assert!(text.contains(HOSTILE_TOPIC), "the topic is not shown as it is");

    let mermaid = &found["mermaid"];
    assert_eq!(mermaid["error"], Value::Null, "{mermaid}");
    assert_eq!((&mermaid["dialogs"], &mermaid["foreign"]), (&json!(0), &json!(0)), "{mermaid}");
    assert_eq!(mermaid["handlers"], json!([]));

    let argdown = &found["argdown"];
    assert_eq!(argdown["errors"], json!([]));
    let names = |list: &str| -> Vec<String> {
        argdown[list].as_array().unwrap().iter().map(|n| n.as_str().unwrap().into()).collect()
    };
    for name in [names("statements"), names("arguments"), names("tags")].concat() {
        assert!(!name.contains(MARK), "{name} was forged");
    }
    let whole: Value =
        serde_json::from_str(&home.run(&["sessions", "export", &id, "-f", "json"]).stdout).unwrap();
    let claims = whole["state"]["claims"].as_array().unwrap().len();
    let ours = names("statements").iter().filter(|name| name.starts_with('C')).count();
    assert_eq!((ours, claims > 60), (claims, true), "claims were lost or made");
}
