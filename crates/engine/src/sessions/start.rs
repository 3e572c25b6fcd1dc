//! Starting a debate: everything is checked, the agents are seated, and then the
//! opening is written. Nothing is written until all of it is right.

use debate::Debate;
use debate::model::{Brief, Day, Depth, Event, Status};
use store::{NewOutcome, OutcomeRecord, Store};

use crate::clock;
use crate::config::Config;
use crate::error::EngineError;
use crate::outcomes::track;
use crate::sessions::backup;
use crate::sessions::costs;
use crate::table::attachments::{self, GatheredContext};
use crate::table::order::{self, Order};
use crate::table::seats::{self, Table};
use crate::table::{affordable, depth_cost, lessons, light, profile, tools};

/// A debate that is stored and ready to run.
pub struct OpenedDebate {
    pub id: String,
    pub debate: Debate,
    pub opening: Event,
    pub table: Table,
    pub store: Store,
    pub seq: u64,
}

/// A debate that passed all checks and is not yet written.
pub struct PreparedDebate {
    pub debate: Debate,
    pub opening: Event,
    pub table: Table,
    /// The date on which to ask how the decision turned out; `Some(None)` is never.
    pub ask_on: Option<Option<Day>>,
}

pub async fn start(config: &Config, order: &Order) -> Result<OpenedDebate, EngineError> {
    if let Some(path) = &order.replay {
        config.needs_home()?;
        return crate::recording::start(config, &profile::fill(config, order)?, path).await;
    }
    let prepared = prepare(config, order).await?;
    // A scripted debate can be held again at any time; no other one may be lost.
    if !prepared.table.is_scripted() {
        config.needs_home()?;
    }
    let store = Store::open(&config.paths.database).await?;
    prepared.write(store).await
}

pub async fn prepare(config: &Config, order: &Order) -> Result<PreparedDebate, EngineError> {
    let order = &profile::fill(config, order)?;
    let seated = seats::seat(config, order).await;
    let own_topic = seated.as_ref().ok().and_then(|table| table.own_topic.clone());
    let topic = order.topic.clone().or(own_topic).unwrap_or_default();
    let context = attachments::gather(&order.context, order.piped.as_deref());
    let brief = with_context(order::brief(config, order, topic), order, &context);
    let (mut table, mut brief) = match (seated, brief) {
        (Ok(table), Ok(brief)) => (table, brief),
        // All faults are reported together, those of the table first.
        (Err(EngineError::Input(mut faults)), Err(EngineError::Input(more))) => {
            faults.extend(more);
            return Err(EngineError::Input(faults));
        }
        (Err(EngineError::Input(mut faults)), Ok(brief)) => {
            faults.extend(order::faults_of(&brief));
            return Err(EngineError::Input(faults));
        }
        (Err(trouble), _) | (_, Err(trouble)) => return Err(trouble),
    };
    light::seat(&mut table, &mut brief);
    table.notices.extend(context.notices);
    brief.agents = table.agents.clone();
    brief.clerk = table.clerk.clone();
    brief.words = seats::words_for(&table.agents, brief.words);
    brief.embedder = crate::table::constitution::embedder(config).await?;
    lessons::needs_clerk(order, &brief)?;
    if lessons::switch(config, order, &mut Vec::new()) {
        lessons::teach(config, &mut brief).await?;
        crate::table::calibration::apply(config, &mut brief)?;
    }
    if brief.depth == Depth::Auto {
        brief.case.rounds = order.rounds.as_ref().map(|_| brief.rounds);
        brief.case.day_budget_left = costs::left_today(config, &brief).await?;
        depth_cost::estimate(&mut brief, &table.outside.prices);
    }
    tools::equip(config, order, &mut table, &mut brief)?;
    let (debate, opening) = Debate::open(brief)?;
    table.notices.extend(affordable::check(config, &debate, &table.outside).await?);
    // The panel is made before anything is written, because a missing key is bad
    // input.
    table.panel()?;
    if let Some(path) = &order.record {
        table.outside.tape = crate::recording::record(path, &table.outside, LABEL, &debate)?;
    }
    let ask_on = order.ask_on.as_deref().and_then(|day| track::ask_on(day).ok());
    Ok(PreparedDebate { debate, opening, table, ask_on })
}

/// The label of a debate that is alone in its recording.
pub const LABEL: &str = "debate";

/// Writes the opening of a debate whose table is set.
pub async fn open(
    config: &Config,
    debate: Debate,
    opening: Event,
    table: Table,
) -> Result<OpenedDebate, EngineError> {
    let store = Store::open(&config.paths.database).await?;
    PreparedDebate { debate, opening, table, ask_on: None }.write(store).await
}

impl PreparedDebate {
    pub async fn write(self, store: Store) -> Result<OpenedDebate, EngineError> {
        let PreparedDebate { debate, opening, table, ask_on } = self;
        backup::check_structure(&store).await?;
        let id = clock::new_id();
        let seq = store.create(&id, clock::now_ms(), std::slice::from_ref(&opening)).await?;
        if let Some(on) = ask_on {
            let record = OutcomeRecord::AskOn { on };
            let note = NewOutcome { debate: id.clone(), after: 0, record };
            store.note_outcomes(clock::now_ms(), &[note]).await?;
        }
        debug_assert_eq!(debate.room().status, Status::Created);
        Ok(OpenedDebate { id, debate, opening, table, store, seq })
    }
}

/// Adds the attachments to the brief, or their faults to its own.
fn with_context(
    brief: Result<Brief, EngineError>,
    order: &Order,
    context: &GatheredContext,
) -> Result<Brief, EngineError> {
    match (brief, context.faults.as_slice()) {
        (Ok(brief), []) => {
            let attachments = [order.caller.attachments.as_slice(), &context.attachments].concat();
            Ok(Brief { attachments, ..brief })
        }
        (Ok(brief), faults) => {
            Err(EngineError::Input([faults, &order::faults_of(&brief)].concat()))
        }
        (Err(EngineError::Input(more)), faults) => {
            Err(EngineError::Input([faults, &more].concat()))
        }
        (Err(trouble), _) => Err(trouble),
    }
}
