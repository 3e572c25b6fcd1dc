//! Prices of calls: cache, searches, the user's own, and what is not known.

use std::collections::BTreeMap;

use debate::model::{MicroUsd, Usage};

use genai_prices::{PriceRequest, Usage as Counted, UsageKey};

use super::{Price, Prices};
use crate::catalogue::models;
use crate::catalogue::providers::{PROVIDERS, Tier};

const MILLION: u64 = 1_000_000;

fn used(input: u64, output: u64) -> Usage {
    Usage { input: Some(input), output: Some(output), ..Usage::default() }
}

#[test]
fn every_default_model_of_a_paid_provider_has_a_price() {
    let prices = Prices::default();
    for name in
        ["anthropic", "openai", "gemini", "perplexity", "groq", "deepseek", "xai", "mistral"]
    {
        for tier in [Tier::Heavy, Tier::Light] {
            let model = models::default_model(name, tier).unwrap();
            let price = prices.price(name, model, &used(1000, 1000), 0);
            assert!(price.is_some_and(|price| price > MicroUsd::ZERO), "{name} {model}");
        }
    }
}

#[test]
fn cache_and_searches_change_the_price_in_the_right_direction() {
    let prices = Prices::default();
    let cost = |usage: Usage, searches| {
        prices.price("anthropic", "claude-opus-5-5", &usage, searches).unwrap()
    };
    let fresh = cost(used(10_000, 1000), 0);
    assert_eq!(fresh, MicroUsd(60_000));
    let cached = cost(Usage { cached: Some(9_000), ..used(10_000, 1000) }, 0);
    let written = cost(Usage { written: Some(9_000), ..used(10_000, 1000) }, 0);
    assert!(cached < fresh && fresh < written, "{cached} {fresh} {written}");
    assert!(cost(used(10_000, 1000), 3) > fresh);
    // More cached than there was: the parts are not believed.
    assert_eq!(cost(Usage { cached: Some(11_000), ..used(10_000, 1000) }, 0), fresh);
}

#[test]
fn what_is_not_known_is_not_free_and_not_guessed() {
    let prices = Prices::default();
    assert_eq!(prices.price("custom", "gpt-5", &used(1, 1), 0), None);
    assert_eq!(prices.price("openai", "no-such-model-at-all", &used(1, 1), 0), None);
    assert_eq!(prices.price("openai", "gpt-6-luna", &Usage::default(), 0), None);
    // A server of one's own is free, and stays so where it counts nothing.
    for usage in [used(1, 1), Usage::default()] {
        assert_eq!(prices.price("ollama", "llama3.2", &usage, 0), Some(MicroUsd::ZERO));
    }
}

#[test]
fn the_users_own_price_comes_first() {
    let price = Price { input: 1.0, cached: Some(0.5), output: 2.0, search: 0.25 };
    let prices = Prices::new(BTreeMap::from([("custom/m".to_owned(), price)]));
    let usage = Usage { cached: Some(MILLION), ..used(2 * MILLION, MILLION) };
    assert_eq!(prices.price("custom", "m", &usage, 2), Some(MicroUsd::from_usd(4.0)));
}

#[test]
fn the_worst_case_covers_thinking_and_a_written_cache() {
    let prices = Prices::default();
    let worst = prices.worst_case("anthropic", "claude-opus-5-5", 10_000, 1000).unwrap();
    let room = u64::from(models::facts("anthropic", "claude-opus-5-5").output_room(1000));
    let all = Usage { written: Some(10_000), ..used(10_000, room) };
    assert_eq!(Some(worst), prices.price("anthropic", "claude-opus-5-5", &all, 0));
    assert_eq!(prices.worst_case("custom", "m", 1, 1), None);
}

/// The file holds the prices of the package it was made from, all of them.
#[test]
fn the_table_prices_every_model_as_the_package_does() {
    let whole = genai_prices::Calculator::bundled();
    let mut compared = 0;
    for row in super::TABLE.iter() {
        let ours = row.read().unwrap_or_else(|| panic!("{} cannot be read", row.id));
        let theirs = whole.providers().find(|provider| provider.id() == row.id).unwrap();
        for model in theirs.models() {
            let counted = Counted::from([
                (UsageKey::INPUT_TOKENS, 300_000.0),
                (UsageKey::OUTPUT_TOKENS, 2_000.0),
                (UsageKey::CACHE_READ_TOKENS, 100_000.0),
            ]);
            let request = PriceRequest::new(model.id(), &counted).with_provider_id(row.id);
            let price = |table: &genai_prices::Calculator| {
                table.calculate(&request).map(|found| found.total_price).ok()
            };
            assert_eq!(price(ours), price(whole), "{}/{}", row.id, model.id());
            compared += 1;
        }
    }
    assert!(compared > 1000, "only {compared} models were compared");
}

#[test]
fn every_provider_of_the_package_that_we_know_has_a_line() {
    let names: Vec<&str> = PROVIDERS.iter().map(|row| row.name).collect();
    for provider in genai_prices::Calculator::bundled().providers() {
        let ours = super::OTHER_NAMES.iter().find(|(_, theirs)| *theirs == provider.id());
        let known = names.contains(&ours.map_or(provider.id(), |(ours, _)| *ours));
        assert_eq!(
            known,
            super::TABLE.iter().any(|row| row.id == provider.id()),
            "{}",
            provider.id()
        );
    }
}

#[test]
fn a_cache_saves_what_fresh_input_would_have_cost_more() {
    let prices = Prices::default();
    let saved = |cached| prices.saved("anthropic", "claude-opus-5-5", cached);
    let fresh = prices.price("anthropic", "claude-opus-5-5", &used(10_000, 0), 0).unwrap();
    let read = Usage { cached: Some(10_000), ..used(10_000, 0) };
    let read = prices.price("anthropic", "claude-opus-5-5", &read, 0).unwrap();
    assert_eq!(saved(10_000), MicroUsd(fresh.0 - read.0));
    assert_eq!(saved(30_000_000).0, 3_000 * saved(10_000).0, "however much it adds up to");
    assert_eq!(prices.saved("ollama", "small", 1_000_000), MicroUsd::ZERO);
    assert_eq!(prices.saved("openai", "no-such-model", 1_000_000), MicroUsd::ZERO);
}

#[test]
fn a_price_that_was_reckoned_before_is_that_of_the_same_request_only() {
    let prices = Prices::default();
    let of = |prices: &Prices, model, usage: Usage, searches| {
        prices.price("openai", model, &usage, searches).unwrap()
    };
    let requests = [
        ("gpt-6-luna", used(1000, 1000), 0),
        ("gpt-6-luna", used(1000, 1001), 0),
        ("gpt-6-luna", used(1000, 1000), 2),
        ("gpt-6-luna", Usage { cached: Some(900), ..used(1000, 1000) }, 0),
        ("gpt-6.1-sol", used(1000, 1000), 0),
    ];
    for _ in 0..2 {
        for (model, usage, searches) in requests {
            let alone = of(&Prices::default(), model, usage, searches);
            assert_eq!(of(&prices, model, usage, searches), alone, "{model} {usage:?}");
        }
    }
    let shared = prices.clone();
    let calls = std::cell::Cell::new(0);
    let reckon = || {
        calls.set(calls.get() + 1);
        Some(MicroUsd(7))
    };
    let (call, bill) = (("openai", "m"), used(5, 5));
    assert_eq!(prices.reckoned.of(call, (&bill, 0), reckon), Some(MicroUsd(7)));
    assert_eq!(shared.reckoned.of(call, (&bill, 0), reckon), Some(MicroUsd(7)));
    assert_eq!(calls.get(), 1, "clones share what they know");
    // DeepSeek's prices are others at night.
    let by_hour = ("deepseek", "m");
    prices.reckoned.of(by_hour, (&bill, 0), reckon);
    prices.reckoned.of(by_hour, (&bill, 0), reckon);
    assert_eq!(calls.get(), 3);
    // Any price may be another one tomorrow.
    prices.reckoned.let_age();
    prices.reckoned.of(call, (&bill, 0), reckon);
    assert_eq!(calls.get(), 4);
}
