//! The maximum cost of a call, computed before it is made. An estimate below the
//! real cost would let a budget be exceeded, so every pricing must err upward.

use std::sync::Arc;

use agents::RESULT_TOKENS;
use agents::agent_spec::LOCAL_PROVIDER;
use agents::prices::Prices;
use agents::providers::{self, ProviderPlace};
use agents::scripted::{AgentScript, ScriptPart, example};
use agents::{Prompt, SCRIPT_PROVIDER};
use debate::model::{Agent, Ask, MicroUsd, ToolPolicy};

pub trait Pricing: Send + Sync {
    /// Returns the most that an ask can cost, all its tries included; `None` if the
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
    /// The number of times one ask may be tried.
    pub tries: u32,
    /// Searches by the provider itself that one step may make.
    pub searches: u32,
}

/// The size of the descriptions of all tools together.
const OFFER_TOKENS: u64 = 2_000;

impl Pricing for PriceTable {
    fn worst(&self, agent: &Agent, ask: &Ask) -> Option<MicroUsd> {
        if matches!(agent.provider.as_str(), example::PROVIDER | SCRIPT_PROVIDER) {
            return self.plain.worst(agent, ask);
        }
        let first = self.of_model(&agent.provider, &agent.model, ask)?;
        // A fallback is asked only after the first model has used up its tries.
        match agent.fallback.as_deref() {
            None => Some(first),
            Some(fallback) => {
                let other = fallback.split_once('/');
                let other = other.filter(|(name, _)| providers::find(name).is_some());
                let (provider, model) = other.unwrap_or((&agent.provider, fallback));
                Some(first + self.of_model(provider, model, ask)?)
            }
        }
    }
}

impl PriceTable {
    /// Returns the most that an ask of this model can cost. Every try reads all of
    /// the input and writes as much as it may. With tools, the sum is a first step,
    /// a last step that has read everything the tools may return, and one more try
    /// of that last step. The turn is held to this sum, so it takes more steps only
    /// while they cost less than their maximum.
    fn of_model(&self, provider: &str, model: &str, ask: &Ask) -> Option<MicroUsd> {
        if provider == LOCAL_PROVIDER {
            return Some(MicroUsd::ZERO);
        }
        let text = Prompt::plain(ask).tokens();
        let at = (provider, model);
        let step = |input: u64, searches: u32, tries: u32| {
            self.prices.step(at, input, ask.max_output_tokens, searches, tries)
        };
        if ask.tools == ToolPolicy::NONE {
            return step(text, 0, self.tries);
        }
        let first = step(text + OFFER_TOKENS, self.searches, self.tries)?;
        let results = u64::from(ask.tools.max_calls).saturating_mul(RESULT_TOKENS);
        let input = text + OFFER_TOKENS + results;
        let last = step(input, self.searches, self.tries)?;
        Some(first + last + step(input, self.searches, 1)?)
    }
}
