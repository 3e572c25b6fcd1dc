//! Taking in a debate that was held elsewhere: all of its log under its own
//! hashes, or nothing. The books stay as they are; nothing was spent here.

use debate::model::Event;
use sqlx::sqlite::SqliteConnection;

use crate::books::Entries;
use crate::error::StoreError;
use crate::listing::{self, Change, signed};
use crate::rows::Sealed;
use crate::script::Script;
use crate::search;
use crate::standing::Standing;
use crate::work::Work;

/// Entries written by one script.
const AT_ONCE: usize = 200;

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
        let mut standing = Standing::of(connection, id, &[], &self.parties.asks()).await?;
        if standing.exists() {
            return Err(StoreError::Exists { id: id.clone() });
        }
        let begun = self.log.first().map_or(0, |entry| entry.at);
        let Some(mut listed) = self.change.begin(id, begun) else {
            let why = "a log begins with the event that opens the debate".into();
            return Err(StoreError::Unstorable { id: id.clone(), why });
        };
        listed.last_seq = self.log.len() as u64;
        listed.updated = self.log.iter().map(|entry| entry.at).max().unwrap_or(begun);
        let mut script = Script::default();
        listing::insert(&mut script, &listed, self.change.words());
        self.parties.write(&mut script, id, &mut standing);
        script.run(connection).await?;
        // A script may bind only so many values.
        for some in self.log.chunks(AT_ONCE) {
            let mut script = Script::default();
            for entry in some {
                script
                    .say(
                        "INSERT INTO events (debate_id, seq, at, kind, json, hash)
                         VALUES (?, ?, ?, ?, ?, ?)",
                    )
                    .with(id.as_str())
                    .with(signed(entry.seq))
                    .with(entry.at)
                    .with(entry.kind.as_str())
                    .with(entry.json.as_str())
                    .with(entry.hash.as_slice());
                if entry.kind == search::KIND {
                    search::enter(&mut script, id, entry.seq);
                }
            }
            script.run(connection).await?;
        }
        Ok(listed.last_seq)
    }
}

impl From<Import> for Work {
    fn from(import: Import) -> Work {
        Work::Import(import)
    }
}
