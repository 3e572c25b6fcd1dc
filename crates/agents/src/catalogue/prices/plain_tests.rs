//! Plain prices are exactly those of the calculator, for every model of the table.

use genai_prices::PriceRequest;

use super::*;
use crate::catalogue::prices::{ProviderPrices, TABLE, counted, plain, table};

fn used(input: u64, output: u64, cached: Option<u64>, written: Option<u64>) -> Usage {
    Usage { input: Some(input), output: Some(output), cached, written, reasoning: Some(1) }
}

/// Calls of many sizes, some of which contradict themselves; `seed` makes them others for
/// every model.
fn calls(seed: u64) -> Vec<(Usage, u32)> {
    let some = |most: u64, salt: u64| seed.wrapping_mul(2_654_435_761).rotate_left(9) * salt % most;
    vec![
        (used(0, 0, None, None), 0),
        (used(0, 0, None, None), 10),
        (used(some(9_000, 3), some(4_000, 7), None, None), 0),
        (used(5_000 + some(9_000, 5), some(4_000, 11), Some(some(5_000, 13)), None), 3),
        (used(9_000 + some(90_000, 17), 7, Some(some(4_000, 19)), Some(some(5_000, 23))), 1),
        (used(100, 900_001, Some(80), Some(80)), 0),
        (used(200_000 + seed % 2, 1, Some(1), None), 0),
        (used(3_000_000, 2_000, None, Some(3_000_000)), 0),
        (used(u64::MAX, 2, None, None), 0),
    ]
}

fn calculated(row: &ProviderPrices, model: &str, usage: &Usage, searches: u32) -> Option<f64> {
    let counts = (usage.input.unwrap(), usage.output.unwrap());
    let counted = counted(counts, usage, searches);
    let request = PriceRequest::new(model, &counted).with_provider_id(row.id);
    row.read().unwrap().calculate(&request).ok().map(|found| found.total_price)
}

#[test]
fn every_plain_price_is_that_of_the_calculator() {
    let (mut models, mut plain_models, mut left) = (0, 0, 0);
    for row in TABLE.iter() {
        let calculator = row.read().unwrap();
        let provider = calculator.providers().find(|provider| provider.id() == row.id).unwrap();
        for model in provider.models() {
            models += 1;
            let lines = row.lines();
            let Some(prices) = PlainPrices::find((row.id, model.id()), calculator, &lines) else {
                continue;
            };
            plain_models += 1;
            for (usage, searches) in calls(models) {
                let counts = (usage.input.unwrap(), usage.output.unwrap());
                let Some(price) = prices.of(counts, &usage, searches) else {
                    left += 1;
                    continue;
                };
                let expected = calculated(row, model.id(), &usage, searches);
                assert_eq!(Some(price), expected, "{}/{} {usage:?}", row.id, model.id());
            }
        }
    }
    assert!(plain_models > models * 3 / 4, "{plain_models} of {models}");
    assert!(left > plain_models, "{left}: too many tokens for exact arithmetic, at least");
}

#[test]
fn prices_that_change_are_left_to_the_calculator() {
    // Its prices are others at night.
    assert_eq!(plain("deepseek", "deepseek-chat", (10, 10), &used(10, 10, None, None), 0), None);
    // A long prompt costs more.
    let long = |input| {
        let usage = used(input, 10, None, None);
        let price = plain("openai", "gpt-6-luna", (input, 10), &usage, 0);
        let counted = counted((input, 10), &usage, 0);
        (price.is_some(), table("openai", "gpt-6-luna", &counted).is_some())
    };
    assert_eq!(long(272_000), (true, true));
    assert_eq!(long(272_001), (false, true));
    let unknown = plain("openai", "no-such-model", (1, 1), &used(1, 1, None, None), 0);
    assert_eq!(unknown, None);
}

#[test]
fn a_model_is_found_once_and_only_so_many_are_remembered() {
    let models = PlainModels::default();
    let prices = PlainPrices { output: Some(2.0), ..PlainPrices::default() };
    assert_eq!(models.of("m", || Some(prices)), Some(prices));
    assert_eq!(models.of("m", || None), Some(prices));
    assert_eq!(models.of("none", || None), None);
    assert_eq!(models.of("none", || Some(prices)), None, "that it has none is remembered too");
    for number in 0..MOST {
        models.of(&number.to_string(), || Some(prices));
    }
    assert_eq!(models.of("one more", || Some(prices)), None);
    assert_eq!(models.of("m", || None), Some(prices));
}
