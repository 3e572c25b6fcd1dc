//! What one debate of a measurement may cost at most, so that a cap which cannot carry
//! it is refused before anybody is asked. It asks nobody.

use debate::Debate;
use debate::model::{Ask, Input, MicroUsd, Step};

use engine::config::Config;
use engine::error::EngineError;
use engine::run::{OwnPrices, PriceTable, Pricing};
use engine::table::money;
use engine::table::order::Order;
use engine::table::prepare::{PreparedDebate, prepare};

/// Every seat in every round as dear as its first turn may be. Turns whose price is
/// not known count nothing.
pub fn worst_debate(debate: &Debate, pricing: &dyn Pricing) -> MicroUsd {
    let mut opened = debate.clone();
    opened.hear(Input::Go);
    let Step::Ask(asks) = opened.next_step() else { return MicroUsd::ZERO };
    let Some(first) = asks.first() else { return MicroUsd::ZERO };
    let brief = &opened.room().brief;
    let seats = opened.room().seats.iter().filter_map(|seat| {
        let agent = brief.agents.get(seat.agent)?;
        let mut ask = first.clone();
        ask.agent = Some(seat.agent);
        pricing.worst(agent, &ask)
    });
    let round: MicroUsd = seats.sum();
    MicroUsd(round.0.saturating_mul(u64::from(brief.rounds)))
}

/// What must be left for a debate of live agents.
pub struct MoneyNeed {
    /// The whole debate, each agent asked once for every answer.
    pub debate: MicroUsd,
    /// Reserved before the first calls: with less, no agent is asked at all.
    pub first: MicroUsd,
    /// The dearest of these calls.
    pub call: MicroUsd,
    pub seats: u64,
}

/// Says what is wrong with the table, too.
pub async fn live(config: &Config, wanted: &Order) -> Result<MoneyNeed, EngineError> {
    let PreparedDebate { debate, table, .. } = prepare(config, wanted).await?;
    let mut opened = debate.clone();
    opened.hear(Input::Go);
    let asks = match opened.next_step() {
        Step::Ask(asks) => asks,
        _ => Vec::new(),
    };
    let brief = &opened.room().brief;
    let pricing = money::pricing(brief, &table.outside);
    let reserved = |ask: &Ask| pricing.worst(brief.agents.get(ask.agent?)?, ask);
    let first: Vec<MicroUsd> = asks.iter().filter_map(reserved).collect();
    let once = PriceTable {
        plain: OwnPrices::default(),
        prices: table.outside.prices.clone(),
        searches: 0,
    };
    Ok(MoneyNeed {
        debate: worst_debate(&debate, &once),
        call: first.iter().copied().max().unwrap_or_default(),
        first: first.into_iter().sum(),
        seats: opened.room().seats.len() as u64,
    })
}
