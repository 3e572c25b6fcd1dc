//! Starting a debate: check everything, seat the agents, write the opening.
//! Until all of it is right nothing is written.

use debate::Debate;
use debate::model::{Brief, Depth, Event, Status};
use store::Store;

use super::context::{self, Context};
use super::costs;
use super::order::{self, Order};
use super::seating::{self, Table};
use super::{Trouble, tools};
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
    let context = context::gather(&order.context, order.piped.as_deref());
    let brief = with_context(order::brief(config, order, topic), &context);
    let (mut table, mut brief) = match (seated, brief) {
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
    table.notices.extend(context.notices);
    brief.agents = table.agents.clone();
    brief.clerk = table.clerk.clone();
    brief.embedder = Some(super::embedding::embedder(config)?.name().to_string());
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
    debug_assert_eq!(debate.room().status, Status::Created);
    Ok(Opened { id, debate, opening, table, store, seq })
}

/// Puts the attachments into the brief, or their faults beside its own.
fn with_context(brief: Result<Brief, Trouble>, context: &Context) -> Result<Brief, Trouble> {
    match (brief, context.faults.as_slice()) {
        (Ok(brief), []) => Ok(Brief { attachments: context.attachments.clone(), ..brief }),
        (Ok(brief), faults) => Err(Trouble::Input([faults, &order::faults_of(&brief)].concat())),
        (Err(Trouble::Input(more)), faults) => Err(Trouble::Input([faults, &more].concat())),
        (Err(trouble), _) => Err(trouble),
    }
}
