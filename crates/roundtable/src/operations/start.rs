//! Starting a debate: check everything, seat the agents, write the opening.
//! Until all of it is right nothing is written.

use debate::Debate;
use debate::model::{Depth, Event, Status};
use store::{Note, OutcomeRecord, Store};

use super::costs;
use super::order::{self, Order};
use super::seating::{self, Table};
use super::{Trouble, learning, outcomes, tools};
use crate::clock;
use crate::config::Config;

/// A debate that is stored and ready to run.
pub struct Opened {
    pub id: String,
    pub debate: Debate,
    pub opening: Event,
    pub table: Table,
    pub store: Store,
    pub seq: u64,
}

pub async fn start(config: &Config, order: &Order) -> Result<Opened, Trouble> {
    let seated = seating::seat(config, order).await;
    let own_topic = seated.as_ref().ok().and_then(|table| table.own_topic.clone());
    let topic = order.topic.clone().or(own_topic).unwrap_or_default();
    let (mut table, mut brief) = match (seated, order::brief(config, order, topic)) {
        (Ok(table), Ok(brief)) => (table, brief),
        // Everything that is wrong is said at once, the table's faults first.
        (Err(Trouble::Input(mut faults)), Err(Trouble::Input(more))) => {
            faults.extend(more);
            return Err(Trouble::Input(faults));
        }
        (Err(Trouble::Input(mut faults)), Ok(brief)) => {
            faults.extend(order::faults_of(&brief));
            return Err(Trouble::Input(faults));
        }
        (Err(trouble), _) | (_, Err(trouble)) => return Err(trouble),
    };
    brief.agents = table.agents.clone();
    brief.clerk = table.clerk.clone();
    brief.embedder = super::constitution::embedder(config).await?;
    learning::needs_clerk(order, &brief)?;
    if learning::switch(config, order, &mut Vec::new()) {
        learning::teach(config, &mut brief).await?;
    }
    if brief.depth == Depth::Auto {
        brief.case.rounds = order.rounds.as_ref().map(|_| brief.rounds);
        brief.case.day_budget_left = costs::left_today(config, &brief).await?;
    }
    tools::equip(config, order.search.as_deref(), &mut table, &mut brief)?;
    let (debate, opening) = Debate::open(brief)?;
    // The panel is made before anything is written: a missing key is bad input.
    table.panel()?;
    let store = Store::open(&config.paths.database).await?;
    let id = clock::new_id();
    let seq = store.create(&id, clock::now_ms(), std::slice::from_ref(&opening)).await?;
    if let Some(Ok(on)) = order.ask_on.as_deref().map(outcomes::ask_on) {
        let record = OutcomeRecord::AskOn { on };
        let note = Note { debate: id.clone(), after: 0, record };
        store.note_outcomes(clock::now_ms(), &[note]).await?;
    }
    debug_assert_eq!(debate.room().status, Status::Created);
    Ok(Opened { id, debate, opening, table, store, seq })
}
