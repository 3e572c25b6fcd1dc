//! A stored debate prepared for export as plain data. The writers of the formats
//! are in the binary's `report`. Nothing is changed here.

pub mod document;
pub mod file;
pub mod import;
pub mod notices;
pub mod state;

use std::collections::BTreeMap;

use async_recursion::async_recursion as boxed;
use debate::Debate;
use debate::ledger::SourceRegister;
use debate::model::{EvidenceId, Room, Turn};
use store::{SealedEntry, StoreError};

use crate::config::Config;
use crate::error::{EngineError, existing};
use crate::sessions::follow_up::{self, LinkedDebate};
pub use notices::Notice;

/// A debate with everything an export needs.
pub struct ExportedDebate {
    pub id: String,
    /// Milliseconds since 1970, UTC.
    pub created: i64,
    pub updated: i64,
    /// The log as it is stored.
    pub log: Vec<SealedEntry>,
    pub debate: Debate,
    /// Notices that a reader must see, in the order of the debate.
    pub notices: Vec<Notice>,
    /// The debates that come after this one; empty in what was read from a file.
    pub followers: Vec<LinkedDebate>,
}

impl ExportedDebate {
    /// Builds the export from what was read; fails if the log does not form a
    /// debate.
    pub fn of(id: String, log: Vec<SealedEntry>) -> Result<ExportedDebate, EngineError> {
        let mut events = Vec::with_capacity(log.len());
        for entry in &log {
            let (id, seq) = (id.clone(), entry.seq);
            let read = entry.event();
            events.push(read.map_err(|why| StoreError::Unreadable { id, seq, why })?);
        }
        let debate = Debate::replay(events)?;
        let notices = notices::notices(debate.room());
        let created = log.first().map_or(0, |entry| entry.at);
        let updated = log.iter().map(|entry| entry.at).max().unwrap_or(created);
        Ok(ExportedDebate { id, created, updated, log, debate, notices, followers: Vec::new() })
    }

    pub fn room(&self) -> &Room {
        self.debate.room()
    }

    pub fn name(&self, seat: debate::model::SeatId) -> &str {
        self.room().seats.get(seat.index()).map_or("", |seat| seat.name.as_str())
    }

    /// Returns all answers in the order in which they were entered.
    pub fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.room().rounds.iter().flat_map(|round| round.answered())
    }

    /// Returns, by round and seat, the number in the common list of sources for
    /// each citation number of an answer.
    pub fn numbering(&self) -> SourceNumbering {
        let register = SourceRegister::of(&self.room().ledger, self.turns());
        let by_turn = self
            .turns()
            .map(|turn| ((turn.round, turn.seat.index()), register.cited(turn)))
            .collect();
        SourceNumbering { by_turn, sources: self.room().ledger.evidence.len() }
    }
}

/// Maps the citation numbers of an answer to those of the common list. There, a
/// source has the number of its entry in the register.
pub struct SourceNumbering {
    by_turn: BTreeMap<(u32, usize), BTreeMap<u32, EvidenceId>>,
    /// The length of the common list.
    pub sources: usize,
}

impl SourceNumbering {
    pub fn of(&self, turn: &Turn) -> BTreeMap<u32, u32> {
        let own = self.by_turn.get(&(turn.round, turn.seat.index()));
        own.into_iter().flatten().map(|(number, id)| (*number, id.0)).collect()
    }
}

#[boxed]
pub async fn export(config: &Config, id: &str) -> Result<ExportedDebate, EngineError> {
    let store = existing(crate::sessions::list::look(config).await, id)?;
    let id = store.find(id).await?.id;
    let log = store.sealed_log(&id).await?;
    let followers = follow_up::followers(&store, &id).await?;
    Ok(ExportedDebate { followers, ..ExportedDebate::of(id, log)? })
}
