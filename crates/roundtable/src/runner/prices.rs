//! What a call may cost at most, asked before it is made. An estimate below the
//! truth would let a budget be passed, so whoever prices must err upward.

use std::sync::Arc;

use agents::SCRIPT_PROVIDER;
use agents::prices::Prices;
use agents::providers::{self, Place};
use agents::scripted::{Part, Script, example};
use agents::tool_loop::MOST_STEPS;
use debate::model::{Agent, Ask, MicroUsd, ToolPolicy, Usage, tokens};

pub trait Pricing: Send + Sync {
    /// The worst that an ask can cost, all its tries included. `None` where the
    /// price is not known.
    fn worst(&self, agent: &Agent, ask: &Ask) -> Option<MicroUsd>;
}

/// The same for every call.
#[derive(Debug, Clone, Copy)]
pub struct Flat(pub MicroUsd);

impl Pricing for Flat {
    fn worst(&self, _: &Agent, _: &Ask) -> Option<MicroUsd> {
        Some(self.0)
    }
}

/// What is known without a table of prices: a script says what it costs, a
/// server of one's own costs nothing, everything else is unknown.
#[derive(Debug, Clone, Default)]
pub struct Plain {
    pub script: Option<Arc<Script>>,
}

impl Pricing for Plain {
    fn worst(&self, agent: &Agent, ask: &Ask) -> Option<MicroUsd> {
        match agent.provider.as_str() {
            example::PROVIDER => Some(MicroUsd::ZERO),
            SCRIPT_PROVIDER => Some(self.scripted(agent, ask)),
            other => {
                let row = providers::find(other)?;
                (row.place == Place::Local).then_some(MicroUsd::ZERO)
            }
        }
    }
}

impl Plain {
    /// The dearest line of the part that is played.
    fn scripted(&self, agent: &Agent, ask: &Ask) -> MicroUsd {
        let Some(script) = &self.script else { return MicroUsd::ZERO };
        let dearest =
            |part: &Part| part.cues.iter().filter_map(|cue| cue.cost).max().unwrap_or_default();
        if ask.agent.is_none() {
            return dearest(&script.clerk);
        }
        let plays = |part: &&Part| {
            part.name.eq_ignore_ascii_case(&agent.name)
                || part.name.eq_ignore_ascii_case(&agent.model)
        };
        script.agents.iter().find(plays).map_or(MicroUsd::ZERO, dearest)
    }
}

/// What the price table and the user's own prices say. Scripts, programs and
/// models of this process cost nothing that could be counted here.
#[derive(Debug, Clone, Default)]
pub struct Tabled {
    pub plain: Plain,
    pub prices: Prices,
    /// How often one ask may be tried.
    pub tries: u32,
}

/// What one result of a tool may add to the next request.
const RESULT_TOKENS: u64 = 5_000;
/// Searches of the provider's own that one ask may make.
const MOST_SEARCHES: u32 = 10;

impl Pricing for Tabled {
    fn worst(&self, agent: &Agent, ask: &Ask) -> Option<MicroUsd> {
        if matches!(agent.provider.as_str(), example::PROVIDER | SCRIPT_PROVIDER) {
            return self.plain.worst(agent, ask);
        }
        let first = self.of_model(&agent.provider, &agent.model, ask)?;
        // A fallback is asked only after the first has used up its tries.
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

impl Tabled {
    /// Every try reads all of the input, at each step of its tools again, and
    /// writes as much as it may.
    fn of_model(&self, provider: &str, model: &str, ask: &Ask) -> Option<MicroUsd> {
        if providers::find(provider).is_none() {
            return Some(MicroUsd::ZERO);
        }
        let text = tokens(&ask.system) + tokens(&ask.user) + tokens(&ask.schema.to_string());
        // The estimate is met within a quarter.
        let text = text.saturating_mul(5).div_ceil(4) as u64;
        let (steps, searches) = match ask.tools == ToolPolicy::NONE {
            true => (1, 0),
            false => ((u64::from(ask.tools.max_calls) + 1).min(MOST_STEPS as u64), MOST_SEARCHES),
        };
        let input = (text + RESULT_TOKENS * (steps - 1)) * steps;
        let words = self.prices.worst_case(provider, model, input, ask.max_output_tokens)?;
        let nothing = Usage { input: Some(0), output: Some(0), ..Usage::default() };
        let searched = self.prices.price(provider, model, &nothing, searches).unwrap_or_default();
        let once = words + searched;
        Some(MicroUsd(once.0.saturating_mul(u64::from(self.tries.max(1)))))
    }
}
