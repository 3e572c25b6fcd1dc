//! Stated confidence is worth what outcomes showed it to be worth.

use serde_json::{Value, json};

use super::learning::{POST_MORTEM, assessed, held, json_of};
use crate::support::{Did, Home, events};

/// Sixty judged debates: what the models' stated confidence was worth in them enters
/// the weighing of the next one.
#[test]
fn recorded_outcomes_calibrate_the_confidence_of_the_next_debate() {
    let home = Home::new();
    let (id, _) = held(&home, &["--domain", "api-design", "--quiet"]);
    json_of::<Value>(&assessed(&home, &id, POST_MORTEM));
    let file = home.path().join("lessons.json").display().to_string();
    assert_eq!(home.run(&["learning", "export", &file]).code, 0);
    let text = std::fs::read_to_string(&file).unwrap();
    let mut lessons: Value = serde_json::from_str(&text).unwrap();
    let one = lessons["outcomes"][0].clone();
    let many = (0..60).map(|n| {
        let mut one = one.clone();
        one["debate"] = json!(format!("{}{n:02}", one["debate"].as_str().unwrap()));
        one
    });
    lessons["outcomes"] = many.collect();
    let other = Home::new();
    let args = ["--domain", "api-design", "--json"];
    let voices = |did: &Did| {
        let all = events(did);
        let ended = all.iter().find(|event| event["type"] == "ended").unwrap();
        let voices = ended.pointer("/verdict/evidence/weighing/voices").unwrap();
        voices.as_array().unwrap().iter().map(|v| v["calibrated"].as_f64()).collect::<Vec<_>>()
    };
    assert_eq!(voices(&held(&other, &args).1), [None; 3]);
    let many = other.file("many.json", &lessons.to_string()).display().to_string();
    let did = other.run(&["learning", "import", &many]);
    assert!(did.stderr.contains("Imported 60 outcomes"), "{did:#?}");
    let worth = voices(&held(&other, &args).1);
    // Ada says 0.9 and Chen 0.7; they were right three times in four and three in ten.
    assert!(worth[0].is_some_and(|it| it < 0.9), "{worth:?}");
    assert!(worth[2].is_some_and(|it| it < 0.7), "{worth:?}");
}
