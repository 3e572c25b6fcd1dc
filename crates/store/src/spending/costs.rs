//! Sums of what calls cost, as they are listed.

use debate::model::MicroUsd;

/// The key by which costs are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostsBy {
    /// Keys are days in UTC, `2026-11-15`.
    Day,
    Provider,
    Model,
    /// Keys are ids; a debate that was deleted is still here.
    Debate,
}

impl CostsBy {
    pub const ALL: [CostsBy; 4] =
        [CostsBy::Day, CostsBy::Provider, CostsBy::Model, CostsBy::Debate];

    pub fn word(self) -> &'static str {
        match self {
            CostsBy::Day => "day",
            CostsBy::Provider => "provider",
            CostsBy::Model => "model",
            CostsBy::Debate => "debate",
        }
    }
}

/// The costs of one day, provider, model or debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostLine {
    pub key: String,
    pub calls: u64,
    pub spent: MicroUsd,
    /// Reserved for calls that are on their way.
    pub held: MicroUsd,
    /// The most that calls of unknown fate can have cost.
    pub possibly_billed: MicroUsd,
    pub ambiguous_calls: u64,
    /// Answered calls whose price is not known and not in `spent`.
    pub unpriced_calls: u64,
    pub input_tokens: u64,
    /// The tokens among these that came from providers' caches.
    pub cached_tokens: u64,
}

/// The tokens that one model had from its provider's cache, for a key of the costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedLine {
    pub key: String,
    pub provider: String,
    pub model: String,
    pub cached_tokens: u64,
}
