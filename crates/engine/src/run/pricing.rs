//! The maximum cost of a request, computed before it is made. An estimate below the
//! real cost would let a budget be exceeded, so every pricing must err upward.

use std::sync::Arc;

use agents::agent_spec::LOCAL_PROVIDER;
use agents::prices::Prices;
use agents::providers::{self, ProviderPlace};
use agents::scripted::{AgentScript, ScriptPart, example};
use agents::{Prompt, SCRIPT_PROVIDER};
use debate::model::{Agent, Ask, MicroUsd, PERSON_PROVIDER, ReplyForm, ToolPolicy, Usage};

pub trait Pricing: Send + Sync {
    /// Returns the most that the first request of an ask can cost; `None` if the
    /// price is not known.
    fn worst(&self, agent: &Agent, ask: &Ask) -> Option<MicroUsd>;
}

/// The same price for every call.
#[derive(Debug, Clone, Copy)]
pub struct FlatPrice(pub MicroUsd);

impl Pricing for FlatPrice {
    fn worst(&self, _: &Agent, _: &Ask) -> Option<MicroUsd> {
        Some(self.0)
    }
}

/// Prices known without a price table: a script states its cost, a local server
/// costs nothing, everything else is unknown.
#[derive(Debug, Clone, Default)]
pub struct OwnPrices {
    pub script: Option<Arc<AgentScript>>,
}

impl Pricing for OwnPrices {
    fn worst(&self, agent: &Agent, ask: &Ask) -> Option<MicroUsd> {
        match agent.provider.as_str() {
            example::PROVIDER => Some(MicroUsd::ZERO),
            SCRIPT_PROVIDER => Some(self.scripted(agent, ask)),
            other => {
                let row = providers::find(other)?;
                (row.place == ProviderPlace::Local).then_some(MicroUsd::ZERO)
            }
        }
    }
}

impl OwnPrices {
    /// Returns the highest cost among the lines of the part.
    fn scripted(&self, agent: &Agent, ask: &Ask) -> MicroUsd {
        let Some(script) = &self.script else { return MicroUsd::ZERO };
        let dearest = |part: &ScriptPart| {
            part.cues.iter().filter_map(|cue| cue.cost).max().unwrap_or_default()
        };
        if ask.agent.is_none() {
            return dearest(&script.clerk);
        }
        let plays = |part: &&ScriptPart| {
            part.name.eq_ignore_ascii_case(&agent.name)
                || part.name.eq_ignore_ascii_case(&agent.model)
        };
        script.agents.iter().find(plays).map_or(MicroUsd::ZERO, dearest)
    }
}

/// Prices from the price table and the user's own prices. Scripts and models of
/// this process cost nothing that could be counted here. The cost of a program is
/// unknown unless the user set a price for it.
#[derive(Debug, Clone, Default)]
pub struct PriceTable {
    pub plain: OwnPrices,
    pub prices: Prices,
    /// Searches by the provider itself that one request may make.
    pub searches: u32,
}

/// The size of the descriptions of all tools together.
const OFFER_TOKENS: u64 = 2_000;
/// The size of the tool that hands a record in.
const RECORD_TOKENS: u64 = 1_500;

impl Pricing for PriceTable {
    /// A fallback is asked in a further request, which is reserved when it comes
    /// to it; but its price must be known, too.
    fn worst(&self, agent: &Agent, ask: &Ask) -> Option<MicroUsd> {
        if matches!(agent.provider.as_str(), example::PROVIDER | SCRIPT_PROVIDER) {
            return self.plain.worst(agent, ask);
        }
        let first = self.of_model(&agent.provider, &agent.model, ask)?;
        if let Some(fallback) = agent.fallback.as_deref() {
            let other = fallback.split_once('/');
            let other = other.filter(|(name, _)| providers::find(name).is_some());
            let (provider, model) = other.unwrap_or((&agent.provider, fallback));
            self.of_model(provider, model, ask)?;
        }
        Some(first)
    }
}

impl PriceTable {
    /// Returns the most that the first request of an ask can cost: all of its input
    /// is read, and as much as allowed is written.
    fn of_model(&self, provider: &str, model: &str, ask: &Ask) -> Option<MicroUsd> {
        if [LOCAL_PROVIDER, PERSON_PROVIDER].contains(&provider) {
            return Some(MicroUsd::ZERO);
        }
        let with_tools = ask.tools != ToolPolicy::NONE;
        let submits = ask.form == ReplyForm::WordsThenRecord;
        let offered = u64::from(with_tools) * OFFER_TOKENS + u64::from(submits) * RECORD_TOKENS;
        let searches = if with_tools { self.searches } else { 0 };
        let input = Prompt::plain(ask).tokens() + offered;
        self.prices.request((provider, model), input, ask.max_output_tokens, searches)
    }

    /// Returns the cost of an ask whose answer takes so many tokens.
    pub fn usual(&self, agent: &Agent, ask: &Ask, output: u32) -> Option<MicroUsd> {
        let own = [example::PROVIDER, SCRIPT_PROVIDER, LOCAL_PROVIDER, PERSON_PROVIDER];
        if own.contains(&agent.provider.as_str()) {
            return self.worst(agent, ask);
        }
        // The count of the input errs upward by a quarter.
        let input = Prompt::plain(ask).tokens().saturating_mul(4) / 5;
        let output = u64::from(output.min(ask.max_output_tokens));
        let usage = Usage { input: Some(input), output: Some(output), ..Usage::default() };
        self.prices.price(&agent.provider, &agent.model, &usage, 0)
    }
}
