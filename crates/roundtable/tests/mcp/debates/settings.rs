//! A start over MCP can say all that the command line can, and what is wrong is told in
//! the names of the parameters.

use serde_json::{Value, json};

use crate::table::{Table, short, short_with};
use crate::wire::{BOTH, Era};

fn brief(table: &Table, id: &Value) -> Value {
    let did = table.home.run(&["sessions", "show", id.as_str().unwrap(), "--json"]);
    let shown: Value = serde_json::from_str(&did.stdout).unwrap();
    shown["brief"].clone()
}

/// Covers: 13.1-equal
#[tokio::test(flavor = "multi_thread")]
async fn every_setting_of_the_command_line_can_be_given() {
    for era in BOTH {
        let table = Table::new().await;
        let mut client = table.client(era);
        let settings = json!({
            "unit": "weeks", "temperature": 0.3, "timeoutSeconds": 77, "seed": 4711,
            "stakes": ["safety-critical"], "project": "harbour", "domain": "planning",
            "learning": false, "askOn": "2031-01-31", "thresholds": ["similarity=0.75"],
            "contextRequests": false,
        });
        let more = json!({ "answerForm": "estimate", "settings": settings, "effort": "debate",
            "flags": ["groupthinkDetection.enabled=false", "exitCriteria.convergenceRounds=4",
                "sequentialParallelization.modes.adversarial=full"] });
        let held = client.result("start_roundtable", short_with(more));
        let brief = brief(&table, &held["sessionId"]);
        let text = brief.to_string();
        for part in [
            "\"unit\":\"weeks\"",
            "0.3",
            "77",
            "4711",
            "safety-critical",
            "harbour",
            "planning",
            "0.75",
            "\"convergenceRounds\":4",
            "\"adversarial\":\"full\"",
        ] {
            assert!(text.contains(part), "{part} is not in {brief:#}");
        }
        // Some settings belong to one mode.
        let agents = ["Ann", "Bea", "Cid", "Dot"].map(|name| format!("{name}=ollama/fake-large"));
        let case = json!({ "importance": "high", "stakeholders": 3, "technicalDomains": 2,
            "horizon": "long", "budgetImpact": "low" });
        let teams = json!({ "teamsInSequence": true });
        for (mode, depth, settings, parts) in [
            (
                "moderated",
                "auto",
                case,
                vec!["\"high\"", "\"stakeholders\":3", "\"long\"", "\"low\""],
            ),
            ("red-team-blue-team", "standard", teams, vec!["\"teamOrder\":\"in"]),
        ] {
            let mut more = json!({ "mode": mode, "agents": agents, "settings": settings });
            if depth == "auto" {
                more["depth"] = depth.into();
            }
            let held = client.result("start_roundtable", short_with(more));
            let brief = self::brief(&table, &held["sessionId"]);
            for part in parts {
                assert!(brief.to_string().contains(part), "{part} is not in {brief:#}");
            }
        }
        // The flags may also be written as in the config file.
        let nested = json!({ "exitCriteria": { "convergenceRounds": 5 },
            "groupthinkDetection": { "enabled": false } });
        let held = client.result("start_roundtable", short_with(json!({ "flags": nested })));
        let flags = self::brief(&table, &held["sessionId"])["flags"].clone();
        assert_eq!(flags["exitCriteria"]["convergenceRounds"], 5, "{flags:#}");
        assert_eq!(flags["groupthinkDetection"]["enabled"], false, "{flags:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_settings_are_named_as_they_were_given() {
    let table = Table::new().await;
    let mut client = table.client(Era::Modern);
    for (settings, flags, named) in [
        (json!({ "temperature": 9 }), json!([]), "settings.temperature: 9"),
        (json!({ "stakes": ["boredom"] }), json!([]), "safety-critical"),
        (json!({ "thresholds": ["patience=1"] }), json!([]), "settings.thresholds"),
        (json!({ "sed": 1 }), json!([]), "did you mean seed"),
        (json!({ "teamsInSequence": true }), json!([]), "settings.teamsInSequence"),
        (json!({}), json!(["exitCriteria.patience=1"]), "exitCriteria"),
        (json!({}), json!(["sequentialParallelization.modes.delphi=half"]), "last-only"),
        (json!({}), json!(["sequentialParallelization.modes.dolphin=full"]), "dolphin"),
    ] {
        let more = json!({ "settings": settings, "flags": flags });
        let said = client.refused("start_roundtable", short_with(more.clone()));
        assert!(said.contains(named) && !said.contains("--"), "{more}: {said}");
    }
    assert_eq!(table.asked(), 0);
}

/// Covers: 13.1-notices
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_out_in_silence() {
    let table = Table::new().await;
    let mut client = table.client(Era::Modern);
    let long = "The pier was built in stages. ".repeat(3_000);
    let failing =
        json!(["Ann=ollama/fake-large", "Bea=ollama/fake-small", "Cid=mistral/fault:bad_key"]);
    let more = json!({ "context": [{ "name": "pier.md", "text": long }], "agents": failing });
    let held = client.call("start_roundtable", short_with(more));
    let result = &held["structuredContent"];
    let cut = |result: &Value| result["notices"].to_string().contains("is shown about");
    assert!(cut(result), "{result:#}");
    assert!(held["content"][0]["text"].as_str().unwrap().contains("is shown about"), "{held:#}");
    assert_eq!(result["metadata"]["answered"], "2 of 3", "{result:#}");
    assert!(result["metadata"]["gaps"][0].as_str().unwrap().contains("Cid"), "{result:#}");
    // Whoever looks later is told too.
    let seen = client.result("get_consensus", json!({ "sessionId": result["sessionId"] }));
    assert!(cut(&seen), "{seen:#}");
    // A price that is not known is not zero.
    let unpriced = json!(["Ann=mistral/fake-large", "Bea=mistral/fake-small"]);
    let seen = client.result("start_roundtable", short_with(json!({ "agents": unpriced })));
    assert!(seen["metadata"]["costUsd"].is_null(), "{seen:#}");
    assert!(seen["metadata"]["unpricedCalls"].as_u64().unwrap() > 0, "{seen:#}");
    let seen = client.result("start_roundtable", short());
    assert_eq!(seen["metadata"]["costUsd"], 0.0, "a local model costs nothing: {seen:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_configured_panel_and_a_custom_server_s_models_are_shown() {
    let table = Table::new().await;
    let panel = "agents = [\"Ann=custom/fake-large\", \"Bea=ollama/fake-small\"]\n";
    let custom = format!("[providers.custom]\nbase_url = \"{}\"\n", table.fake.base_url());
    table.home.file("config/roundtable/config.toml", &format!("{panel}{custom}"));
    let mut client = table.client(Era::Modern);
    let shown = client.result("get_agents", json!({}));
    assert_eq!(shown["panel"], json!(["Ann=custom/fake-large", "Bea=ollama/fake-small"]));
    let rows = shown["agents"].as_array().unwrap();
    let custom = rows.iter().find(|row| row["provider"] == "custom").unwrap();
    assert!(custom["models"].to_string().contains("fake-large"), "{shown:#}");
}
