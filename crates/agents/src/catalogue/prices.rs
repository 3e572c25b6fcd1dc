//! Prices of calls, from a maintained price table and the user's own prices, which
//! come first. An unknown price stays unknown: nothing is guessed, and nothing is
//! free because it is unknown.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use debate::model::{MicroUsd, Usage};
use genai_prices::{Calculator, PriceRequest, Usage as Counted, UsageKey};

use self::plain::{PlainModels, PlainPrices};
use self::reckoned::ReckonedPrices;
use crate::catalogue::models;
use crate::catalogue::providers::{self, ProviderPlace};

mod plain;
mod reckoned;
#[cfg(test)]
mod tests;

/// A price the user set, in dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Price {
    pub input: f64,
    /// For input from the provider's cache; as `input` where it is not set.
    pub cached: Option<f64>,
    pub output: f64,
    /// For one search.
    pub search: f64,
}

/// Prices and where they come from. Cheap to clone; the rows of a provider are read at
/// its first look-up and then shared.
#[derive(Debug, Clone, Default)]
pub struct Prices {
    /// By `provider/model`.
    own: BTreeMap<String, Price>,
    reckoned: ReckonedPrices,
}

/// Our names for providers that the price table calls otherwise.
const OTHER_NAMES: &[(&str, &str)] = &[("gemini", "google"), ("xai", "x-ai")];

impl Prices {
    /// With prices of the user's own, by `provider/model`.
    pub fn new(own: BTreeMap<String, Price>) -> Prices {
        Prices { own, reckoned: ReckonedPrices::default() }
    }

    /// The price of a call. `None` where the price or the usage is not known.
    pub fn price(
        &self,
        provider: &str,
        model: &str,
        usage: &Usage,
        searches: u32,
    ) -> Option<MicroUsd> {
        let has_own = !self.own.is_empty();
        let own = has_own.then(|| self.own.get(&format!("{provider}/{model}"))).flatten();
        // Nothing has to be counted where nothing is charged.
        if own.is_none() && is_local(provider) {
            return Some(MicroUsd::ZERO);
        }
        let (input, output) = (usage.input?, usage.output?);
        if let Some(price) = own {
            let cached = usage.cached.unwrap_or(0).min(input);
            let fresh = (input - cached) as f64 * price.input;
            let cached = cached as f64 * price.cached.unwrap_or(price.input);
            let tokens = (fresh + cached + output as f64 * price.output) / 1e6;
            return Some(MicroUsd::from_usd(tokens + f64::from(searches) * price.search));
        }
        if let Some(usd) = plain(provider, model, (input, output), usage, searches) {
            return Some(MicroUsd::from_usd(usd));
        }
        let reckon = || table(provider, model, &counted((input, output), usage, searches));
        self.reckoned.of((provider, model), (usage, searches), reckon)
    }

    /// The amount that was saved because these input tokens came from the provider's
    /// cache; nothing where a price is not known.
    pub fn saved(&self, provider: &str, model: &str, cached: u64) -> MicroUsd {
        // The price of a whole year's tokens at once would be that of a longer prompt.
        const SOME: u64 = 100_000;
        let fresh = Usage { input: Some(SOME), output: Some(0), ..Usage::default() };
        let read = Usage { cached: Some(SOME), ..fresh };
        let price = |usage: &Usage| self.price(provider, model, usage, 0).unwrap_or_default();
        let saved = price(&fresh).0.saturating_sub(price(&read).0);
        MicroUsd((saved as f64 * cached as f64 / SOME as f64) as u64)
    }

    /// The most one request can cost, with as many searches of the provider's own
    /// as it may make.
    pub fn request(
        &self,
        (provider, model): (&str, &str),
        input_tokens: u64,
        max_output: u32,
        searches: u32,
    ) -> Option<MicroUsd> {
        let words = self.worst_case(provider, model, input_tokens, max_output)?;
        if searches == 0 {
            return Some(words);
        }
        let nothing = Usage { input: Some(0), output: Some(0), ..Usage::default() };
        let searched = self.price(provider, model, &nothing, searches).unwrap_or_default();
        Some(words + searched)
    }

    /// The most a call can cost: all of the input fresh and all of the output
    /// used, with the room a model gets to think. Searches are not in it.
    pub fn worst_case(
        &self,
        provider: &str,
        model: &str,
        input_tokens: u64,
        max_output: u32,
    ) -> Option<MicroUsd> {
        let output = u64::from(models::facts(provider, model).output_room(max_output));
        let usage = Usage { input: Some(input_tokens), output: Some(output), ..Usage::default() };
        // Writing into a cache costs more than reading afresh.
        let written = Usage { written: Some(input_tokens), ..usage };
        let fresh = self.price(provider, model, &usage, 0);
        fresh.max(self.price(provider, model, &written, 0))
    }
}

/// The price table: one provider a line (`tools/prices/run` writes it).
static LINES: &str = include_str!("../../assets/prices.jsonl");

static TABLE: LazyLock<Vec<ProviderPrices>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let id = line.strip_prefix("{\"id\":\"")?.split('"').next()?;
        Some(ProviderPrices {
            id,
            line,
            read: OnceLock::new(),
            plain: PlainModels::default(),
            changes_daily: OnceLock::new(),
        })
    };
    LINES.lines().filter_map(row).collect()
});

/// The prices of one provider, which are read when they are first asked for.
struct ProviderPrices {
    id: &'static str,
    line: &'static str,
    read: OnceLock<Option<Calculator>>,
    plain: PlainModels,
    changes_daily: OnceLock<bool>,
}

impl ProviderPrices {
    fn read(&self) -> Option<&Calculator> {
        let read = || Calculator::from_json(format!("[{}]", self.lines().join(","))).ok();
        self.read.get_or_init(read).as_ref()
    }

    /// The prices of one of its models, where they are the same at any time.
    fn plain(&self, model: &str) -> Option<PlainPrices> {
        let find = || PlainPrices::find((self.id, model), self.read()?, &self.lines());
        self.plain.of(model, find)
    }

    /// Tells whether its prices are others at other times of the day.
    fn changes_daily(&self) -> bool {
        let is_timed = |line: &&str| line.contains("\"start_time\"");
        *self.changes_daily.get_or_init(|| self.lines().iter().any(is_timed))
    }

    /// Its own line, and those of providers whose models it sells at the prices of their rows.
    fn lines(&self) -> Vec<&'static str> {
        let named = |other: &&ProviderPrices| {
            other.id != self.id && self.falls_back().contains(&format!("{:?}", other.id))
        };
        let others = TABLE.iter().filter(named).map(|other| other.line);
        [self.line].into_iter().chain(others).collect()
    }

    /// The providers whose models it sells too, as they stand in its line.
    fn falls_back(&self) -> &'static str {
        let named = self.line.split_once("\"fallback_model_providers\":[");
        named.and_then(|(_, rest)| rest.split(']').next()).unwrap_or_default()
    }
}

/// Returns the parts of a bill under the names of the price table.
fn counted((input, output): (u64, u64), usage: &Usage, searches: u32) -> Counted {
    let mut counted = Counted::from([
        (UsageKey::INPUT_TOKENS, input as f64),
        (UsageKey::OUTPUT_TOKENS, output as f64),
    ]);
    let (read, written) = believed_parts(input, usage);
    let optional = [
        (UsageKey::CACHE_READ_TOKENS, read),
        (UsageKey::CACHE_WRITE_TOKENS, written),
        (UsageKey::WEB_SEARCHES, u64::from(searches)),
    ];
    for (key, count) in optional {
        if count > 0 {
            counted.insert(key, count as f64);
        }
    }
    counted
}

/// The input that was read from a cache and written into it. Parts that exceed the whole
/// are a server's mistake and change nothing.
fn believed_parts(input: u64, usage: &Usage) -> (u64, u64) {
    let (read, written) = (usage.cached.unwrap_or(0), usage.written.unwrap_or(0));
    if read.saturating_add(written) <= input { (read, written) } else { (0, 0) }
}

/// Tells whether a provider's prices are others at other times of the day.
fn changes_daily(provider: &str) -> bool {
    let row = TABLE.iter().find(|row| row.id == table_name(provider));
    row.is_some_and(ProviderPrices::changes_daily)
}

/// The price table's name for a provider.
fn table_name(provider: &str) -> &str {
    let other = OTHER_NAMES.iter().find(|(ours, _)| *ours == provider);
    other.map_or(provider, |(_, theirs)| *theirs)
}

/// A model on the user's own machine costs nothing but its power.
fn is_local(provider: &str) -> bool {
    providers::find(provider).is_some_and(|row| row.place == ProviderPlace::Local)
}

/// The price of a call in dollars, where it is plain arithmetic.
fn plain(
    provider: &str,
    model: &str,
    counts: (u64, u64),
    usage: &Usage,
    searches: u32,
) -> Option<f64> {
    let provider = table_name(provider);
    let row = TABLE.iter().find(|row| row.id == provider)?;
    row.plain(model)?.of(counts, usage, searches)
}

fn table(provider: &str, model: &str, counted: &Counted) -> Option<MicroUsd> {
    let provider = table_name(provider);
    let request = PriceRequest::new(model, counted).with_provider_id(provider);
    let found = TABLE.iter().find(|row| row.id == provider)?.read()?.calculate(&request).ok()?;
    // A price of the same model elsewhere is not the price here.
    (found.provider_id == provider).then(|| MicroUsd::from_usd(found.total_price))
}
