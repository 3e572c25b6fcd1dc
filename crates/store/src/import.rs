//! Taking in a debate that was held elsewhere: all of its log under its own
//! hashes, or nothing. The books stay as they are; nothing was spent here.

use debate::model::Event;
use sqlx::sqlite::SqliteConnection;

use crate::books::Entries;
use crate::error::StoreError;
use crate::listing::{self, Change, signed};
use crate::rows::Sealed;
use crate::search;
use crate::work::{self, Work};

/// A log that was checked and can be written.
#[derive(Debug)]
pub(crate) struct Import {
    id: String,
    log: Vec<Sealed>,
    change: Change,
    parties: Entries,
}

impl Import {
    pub(crate) fn of(id: &str, log: Vec<Sealed>) -> Result<Import, StoreError> {
        let mut events: Vec<Event> = Vec::with_capacity(log.len());
        for (seq, entry) in (1..).zip(&log) {
            let damaged =
                |what: &str| StoreError::Damaged { id: id.into(), seq, what: what.into() };
            if entry.seq != seq {
                return Err(damaged("it is missing"));
            }
            if !entry.is_whole(id) {
                return Err(damaged("its hash does not match"));
            }
            let unreadable = |why| StoreError::Unreadable { id: id.into(), seq, why };
            events.push(entry.event().map_err(unreadable)?);
        }
        let at = log.first().map_or(0, |entry| entry.at);
        let parties = Entries::of(&events, at).without_calls();
        Ok(Import { id: id.into(), log, change: Change::of(&events), parties })
    }

    pub(crate) async fn run(&self, connection: &mut SqliteConnection) -> Result<u64, StoreError> {
        let id = &self.id;
        if work::exists(connection, id).await? {
            return Err(StoreError::Exists { id: id.clone() });
        }
        let begun = self.log.first().map_or(0, |entry| entry.at);
        let Some(mut listed) = self.change.begin(id, begun) else {
            let why = "a log begins with the event that opens the debate".into();
            return Err(StoreError::Unstorable { id: id.clone(), why });
        };
        listed.last_seq = self.log.len() as u64;
        listed.updated = self.log.iter().map(|entry| entry.at).max().unwrap_or(begun);
        listing::insert(connection, &listed, self.change.words()).await?;
        for entry in &self.log {
            sqlx::query(
                "INSERT INTO events (debate_id, seq, at, kind, json, hash)
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(id)
            .bind(signed(entry.seq))
            .bind(entry.at)
            .bind(&entry.kind)
            .bind(&entry.json)
            .bind(&entry.hash)
            .execute(&mut *connection)
            .await?;
            if entry.kind == search::KIND {
                search::enter(connection, id, entry.seq).await?;
            }
        }
        self.parties.write(connection, id).await?;
        Ok(listed.last_seq)
    }
}

impl From<Import> for Work {
    fn from(import: Import) -> Work {
        Work::Import(import)
    }
}
