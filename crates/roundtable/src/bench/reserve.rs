//! What one debate of a measurement may cost at most, so that a cap which cannot carry
//! it is refused before anybody is asked. It asks nobody.

use debate::Debate;
use debate::model::{Heard, MicroUsd, Step};

use crate::config::Config;
use crate::operations::order::{self, Order};
use crate::operations::{Trouble, seating};
use crate::runner::{Plain, Pricing, Tabled};

/// Every seat in every round as dear as its first turn may be. Turns whose price is
/// not known count nothing.
pub fn worst_debate(debate: &Debate, pricing: &dyn Pricing) -> MicroUsd {
    let mut opened = debate.clone();
    opened.hear(Heard::Go);
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

/// The same for a debate of live agents, each asked once for every answer: a cap below
/// that cannot carry one debate. Says what is wrong with the table, too.
pub async fn worst_live(config: &Config, wanted: &Order) -> Result<MicroUsd, Trouble> {
    let table = seating::seat(config, wanted).await?;
    table.panel()?;
    let topic = wanted.topic.clone().unwrap_or_default();
    let mut brief = order::brief(config, wanted, topic)?;
    brief.agents = table.agents.clone();
    brief.clerk = table.clerk.clone();
    let (debate, _) = Debate::open(brief)?;
    let pricing = Tabled {
        plain: Plain::default(),
        prices: table.outside.http.prices.clone(),
        tries: 1,
        searches: 0,
    };
    Ok(worst_debate(&debate, &pricing))
}
