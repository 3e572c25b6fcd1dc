//! People, as others use the store for them, and handles that reach some debates alone.

use super::{AuditEntry, NamedToken, PeopleChange, PeopleWrite, Person, Reach, TokenHash};
use crate::error::StoreError;
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
    pub async fn people(&self) -> Result<Vec<Person>, StoreError> {
        match self {
            Store::Sqlite(engine) => engine.people().await,
            Store::Postgres(engine) => engine.people().await,
        }
    }

    /// Returns the tokens of a person, by name.
    pub async fn tokens(&self, person: &str) -> Result<Vec<NamedToken>, StoreError> {
        match self {
            Store::Sqlite(engine) => engine.tokens(person).await,
            Store::Postgres(engine) => engine.tokens(person).await,
        }
    }

    /// Returns the person with this token, if it is known and has not expired.
    pub async fn person_by_token(
        &self,
        hash: &TokenHash,
        now: i64,
    ) -> Result<Option<Person>, StoreError> {
        match self {
            Store::Sqlite(engine) => engine.by_token(hash, now).await,
            Store::Postgres(engine) => engine.by_token(hash, now).await,
        }
    }

    /// Returns what was done last, newest first.
    pub async fn audit(&self, most: u32) -> Result<Vec<AuditEntry>, StoreError> {
        match self {
            Store::Sqlite(engine) => engine.audit(most).await,
            Store::Postgres(engine) => engine.audit(most).await,
        }
    }

    /// Changes people and writes down who did it, both or neither.
    pub async fn change_people(
        &self,
        change: PeopleChange,
        entry: AuditEntry,
    ) -> Result<(), StoreError> {
        self.write(WriteRequest::People(PeopleWrite { change, entry })).await.map(drop)
    }

    /// Shares a debate with the team, or makes it private again.
    pub async fn share(&self, id: &str, shared: bool) -> Result<(), StoreError> {
        self.write(WriteRequest::Share { id: id.into(), shared }).await.map(drop)
    }
}
