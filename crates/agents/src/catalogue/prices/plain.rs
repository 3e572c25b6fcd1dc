//! Prices that are the same at any time of any day, as figures for a token. With them the
//! price of a call is arithmetic, and it is exactly that of the price table's own
//! calculator: the same steps in the same order. Everything else, such as a prompt so
//! long that it costs more, is left to the calculator.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use debate::model::Usage;
use genai_prices::{Calculator, PriceRequest};
use serde::Deserialize;

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;

/// As many models of one provider as are remembered. Their names may come from anywhere.
const MOST: usize = 256;
/// Up to here every whole number is a floating-point number too.
const MOST_EXACT: u64 = 1 << 53;

/// The plain prices of the models of one provider, each found when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct PlainModels(Mutex<BTreeMap<String, Option<PlainPrices>>>);

impl PlainModels {
    /// Returns the prices of a model, or finds them; `None` where it has no plain ones.
    pub(super) fn of(
        &self,
        model: &str,
        find: impl FnOnce() -> Option<PlainPrices>,
    ) -> Option<PlainPrices> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(model) {
            return *found;
        }
        if known.len() >= MOST {
            return None;
        }
        *known.entry(model.to_owned()).or_insert_with(find)
    }
}

/// What the parts of a call cost, in dollars: a million tokens, or a thousand of what is
/// counted otherwise. A part without a price of its own is priced with the whole.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct PlainPrices {
    read: Option<f64>,
    written: Option<f64>,
    input: Option<f64>,
    output: Option<f64>,
    request: Option<f64>,
    search: Option<f64>,
    /// Above so many input tokens other prices hold.
    most_input: Option<f64>,
}

const MILLION: f64 = 1_000_000.0;
const THOUSAND: f64 = 1_000.0;

impl PlainPrices {
    /// Finds the prices of a model in the lines of the table, as the calculator does.
    pub(super) fn find(
        (provider, model): (&str, &str),
        calculator: &Calculator,
        lines: &[&str],
    ) -> Option<PlainPrices> {
        // The parts differ, so that no two prices can be taken for one another.
        let usage = Usage {
            input: Some(3_989),
            cached: Some(1_117),
            written: Some(1_031),
            output: Some(2_003),
            reasoning: None,
        };
        let counted = super::counted((3_989, 2_003), &usage, 7);
        let request = PriceRequest::new(model, &counted).with_provider_id(provider);
        let found = calculator.calculate(&request).ok()?;
        // A price of the same model elsewhere is not the price here.
        if found.provider_id != provider {
            return None;
        }
        let begin = format!("{{\"id\":{},", serde_json::to_string(&found.model_id).ok()?);
        let rows =
            lines.iter().flat_map(|line| line.match_indices(&begin).map(move |(at, _)| (line, at)));
        let mut plain = rows.filter_map(|(line, at)| PlainPrices::read(line.get(at..)?));
        // Several providers may have a model of that name.
        plain.find(|plain| plain.of((3_989, 2_003), &usage, 7) == Some(found.total_price))
    }

    /// Reads the row at the beginning of a text; `None` where its prices change with time.
    fn read(text: &str) -> Option<PlainPrices> {
        let row =
            serde_json::Deserializer::from_str(text).into_iter::<PricedModelRow>().next()?.ok()?;
        let mut plain = PlainPrices::default();
        for (name, price) in &row.prices {
            let (base, tiers) = match price {
                RowPrice::Flat(price) => (*price, [].as_slice()),
                RowPrice::Tiered { base, tiers } => (*base, tiers.as_slice()),
            };
            let field = match name.as_str() {
                "cache_read_mtok" => &mut plain.read,
                "cache_write_mtok" => &mut plain.written,
                "input_mtok" => &mut plain.input,
                "output_mtok" => &mut plain.output,
                "requests_kcount" => &mut plain.request,
                "web_searches_kcount" => &mut plain.search,
                // Nothing else is ever counted here.
                _ => continue,
            };
            *field = Some(base);
            for tier in tiers {
                let most = plain.most_input.unwrap_or(tier.start);
                plain.most_input = Some(most.min(tier.start));
            }
        }
        Some(plain)
    }

    /// The price in dollars; `None` where it is not plain arithmetic.
    pub(super) fn of(
        &self,
        (input, output): (u64, u64),
        usage: &Usage,
        searches: u32,
    ) -> Option<f64> {
        if input.max(output) > MOST_EXACT || self.most_input.is_some_and(|most| input as f64 > most)
        {
            return None;
        }
        let parts = super::believed_parts(input, usage);
        // What is not priced by itself is part of the fresh input.
        let part = |count: u64, price: Option<f64>| price.map_or(0, |_| count);
        let (read, written) = (part(parts.0, self.read), part(parts.1, self.written));
        let fresh = input - read - written;
        let cost = |price: Option<f64>, count: f64, per: f64| {
            price.map_or(0.0, |price| price * count / per)
        };
        // In the calculator's order: sums of floating-point numbers depend on it.
        let input = cost(self.read, read as f64, MILLION)
            + cost(self.written, written as f64, MILLION)
            + cost(self.input, fresh as f64, MILLION);
        let output = cost(self.output, output as f64, MILLION);
        let others =
            cost(self.request, 1.0, THOUSAND) + cost(self.search, f64::from(searches), THOUSAND);
        let total = others + (input + output);
        total.is_finite().then_some(total)
    }
}

/// A model in the price table, if its prices do not change with time.
#[derive(Deserialize)]
struct PricedModelRow {
    prices: BTreeMap<String, RowPrice>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RowPrice {
    Flat(f64),
    Tiered { base: f64, tiers: Vec<TierRow> },
}

#[derive(Deserialize)]
struct TierRow {
    start: f64,
}
