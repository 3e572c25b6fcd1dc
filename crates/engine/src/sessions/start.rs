//! Starting a debate: its opening is written when everything about it is right,
//! and not before.

use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::model::{Event, Status};
use store::{NewOutcome, OutcomeRecord, Store};

use crate::clock;
use crate::config::Config;
use crate::error::EngineError;
use crate::people::caller::Operation;
use crate::sessions::backup;
use crate::sessions::replay::prepare_replay;
use crate::table::order::Order;
use crate::table::prepare::{PreparedDebate, prepare};
use crate::table::profile;
use crate::table::seats::Table;

/// A debate that is stored and ready to run.
pub struct OpenedDebate {
    pub id: String,
    pub debate: Debate,
    pub opening: Event,
    pub table: Table,
    pub store: Store,
    pub seq: u64,
}

#[boxed]
pub async fn start(config: &Config, order: &Order) -> Result<OpenedDebate, EngineError> {
    let prepared = match &order.replay {
        Some(path) => {
            config.needs_home()?;
            prepare_replay(config, &profile::fill(config, order)?, path)?
        }
        None => prepare(config, order).await?,
    };
    // A scripted debate can be held again at any time; no other one may be lost.
    if !prepared.table.is_scripted() {
        config.needs_home()?;
    }
    let store = config.made_store(Operation::Start).await?;
    prepared.write(store).await
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
