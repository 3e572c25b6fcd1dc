//! People, as others use the store for them, and handles that reach some debates alone.

use super::{AuditEntry, NamedToken, PeopleChange, PeopleWrite, Person, Reach, TokenHash};
use crate::error::StoreFuture;
use crate::request::{DebateOwner, WriteRequest};
use crate::store::Store;

impl Store {
    /// The same store for a person who reaches these debates.
    pub fn reaching(&self, reach: Reach) -> Store {
        match self {
            Store::Sqlite(engine) => Store::Sqlite(engine.reaching(reach)),
            Store::Postgres(engine) => Store::Postgres(engine.reaching(reach)),
        }
    }

    /// The owner of debates that are created through this handle.
    pub(crate) fn owner(&self) -> DebateOwner {
        DebateOwner { owner: self.reach().person.clone(), shared: false }
    }

    /// Returns all people, by name.
    pub fn people(&self) -> StoreFuture<'_, Vec<Person>> {
        Box::pin(async move {
            match self {
                Store::Sqlite(engine) => engine.people().await,
                Store::Postgres(engine) => engine.people().await,
            }
        })
    }

    /// Returns the tokens of a person, by name.
    pub fn tokens<'a>(&'a self, person: &'a str) -> StoreFuture<'a, Vec<NamedToken>> {
        Box::pin(async move {
            match self {
                Store::Sqlite(engine) => engine.tokens(person).await,
                Store::Postgres(engine) => engine.tokens(person).await,
            }
        })
    }

    /// Returns the person with this token, if it is known and has not expired.
    pub fn person_by_token<'a>(
        &'a self,
        hash: &'a TokenHash,
        now: i64,
    ) -> StoreFuture<'a, Option<Person>> {
        Box::pin(async move {
            match self {
                Store::Sqlite(engine) => engine.by_token(hash, now).await,
                Store::Postgres(engine) => engine.by_token(hash, now).await,
            }
        })
    }

    /// Returns what was done last, newest first.
    pub fn audit(&self, most: u32) -> StoreFuture<'_, Vec<AuditEntry>> {
        Box::pin(async move {
            match self {
                Store::Sqlite(engine) => engine.audit(most).await,
                Store::Postgres(engine) => engine.audit(most).await,
            }
        })
    }

    /// Changes people and writes down who did it, both or neither.
    pub fn change_people(&self, change: PeopleChange, entry: AuditEntry) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            self.write(WriteRequest::People(PeopleWrite { change, entry })).await.map(drop)
        })
    }

    /// Shares a debate with the team, or makes it private again.
    pub fn share<'a>(&'a self, id: &'a str, shared: bool) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.write(WriteRequest::Share { id: id.into(), shared }).await.map(drop)
        })
    }
}
