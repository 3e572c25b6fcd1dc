//! Money over MCP: a caller may lower the operator's budget and never lift it.

use fake_provider::FakeOptions;
use fake_provider::shapes::FakeUsage;
use serde_json::{Value, json};

use crate::table::{Table, short_with};
use crate::wire::{BOTH, Era};

/// Free models cost nothing, so only the brief tells the limit.
fn budget(table: &Table, id: &str) -> Value {
    let did = table.home.run(&["sessions", "show", id, "--json"]);
    let shown: Value = serde_json::from_str(&did.stdout).unwrap();
    shown["brief"]["budget"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_caller_lifts_the_operator_s_budget() {
    for era in BOTH {
        for (wish, limit) in [
            (json!({ "budgetUsd": 1000 }), json!(500_000)),
            (json!({ "budgetUsd": 0 }), json!(500_000)),
            (json!({}), json!(500_000)),
            (json!({ "budgetUsd": 0.25 }), json!(250_000)),
        ] {
            let table = Table::new().await;
            table.home.file("config/roundtable/config.toml", "budget = 0.5\n");
            let mut client = table.client(era);
            let held = client.result("start_roundtable", short_with(wish.clone()));
            let id = held["sessionId"].as_str().unwrap().to_owned();
            assert_eq!(budget(&table, &id), limit, "{wish}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debate_that_paused_for_the_operator_s_budget_is_not_freed_by_a_caller() {
    // Every request costs 0.30 USD and may cost about 0.80.
    let options = FakeOptions { usage: FakeUsage::Sized(1_000, 200), ..FakeOptions::default() };
    let table = Table::with(options).await;
    table.home.file(
        "config/roundtable/config.toml",
        "budget = 4.0\n[prices.\"mistral/fake-large\"]\ninput = 100\noutput = 1000\n",
    );
    let mut client = table.client(Era::Modern);
    let agents = json!(["Ann=mistral/fake-large", "Bea=mistral/fake-large"]);
    let dear = json!({ "agents": agents, "rounds": 20, "maxOutputTokens": 256, "budgetUsd": 1000 });
    let held = client.result("start_roundtable", short_with(dear));
    assert_eq!(held["status"], "paused", "{held:#}");
    assert!(held.to_string().contains("budgetUsd above"), "{held:#}");
    let asked = table.asked();
    assert!(asked as f64 * 0.3 <= 4.0, "{asked} requests");
    let more = json!({ "sessionId": held["sessionId"], "budgetUsd": 1000 });
    let held = client.result("continue_roundtable", more);
    assert_eq!((&held["status"], table.asked()), (&json!("paused"), asked), "{held:#}");
}
