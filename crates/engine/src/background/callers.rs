//! The callers of a host: the person behind a token, and the debates that one of them reaches.

use async_recursion::async_recursion as boxed;
use store::{ListedDebate, Store, TokenHash};

use super::host::Host;
use crate::error::EngineError;
use crate::people::caller::{Caller, Operation};
use crate::people::oidc::OidcProvider;
use crate::people::touch;

impl Host {
    /// Returns the person with this token, if it is known and has not expired.
    #[boxed]
    pub async fn caller_of(&self, hash: TokenHash) -> Result<Option<Caller>, EngineError> {
        match self.whole_store().await? {
            Some(store) => Ok(self.inner.tokens.caller(&store, hash).await?),
            None => Ok(None),
        }
    }

    /// Lets people sign in with the provider of the settings. `listens`: the address of this
    /// server.
    pub fn trust_provider(&self, listens: &str) -> Result<(), EngineError> {
        if let Some(provider) = OidcProvider::of(self.config(), listens)? {
            let _ = self.inner.oidc.set(provider);
        }
        Ok(())
    }

    /// The provider that people sign in with, if there is one.
    pub fn provider(&self) -> Option<&OidcProvider> {
        self.inner.oidc.get()
    }

    /// Returns the person with this token: one of ours, or one of the provider's.
    #[boxed]
    pub async fn caller_of_bearer(&self, token: &str) -> Result<Option<Caller>, EngineError> {
        let own = self.caller_of(TokenHash::of(token)).await?;
        let Some(provider) = self.provider().filter(|_| own.is_none()) else { return Ok(own) };
        match provider.bearer(token).await? {
            Some(names) => self.caller_named(&names).await,
            None => Ok(None),
        }
    }

    /// Returns the first person with one of these names.
    #[boxed]
    pub async fn caller_named(&self, names: &[String]) -> Result<Option<Caller>, EngineError> {
        let Some(store) = self.whole_store().await? else { return Ok(None) };
        let people = store.people().await?;
        let named = |name: &String| people.iter().find(|person| person.name == *name);
        Ok(names.iter().find_map(named).map(Caller::person))
    }

    /// Refuses a debate that the caller may not read. `id` must be complete.
    #[boxed]
    pub async fn readable(&self, id: &str) -> Result<Store, EngineError> {
        let store = self.store_of(id).await?;
        if !self.config().caller.is_machine() {
            store.get(id).await?;
        }
        Ok(store)
    }

    /// Refuses a debate that the caller may not steer. `id` must be complete.
    #[boxed]
    pub async fn steerable(&self, id: &str) -> Result<(), EngineError> {
        let caller = &self.config().caller;
        if !caller.is_machine() {
            let reach = caller.reach(Operation::Steer);
            self.store_of(id).await?.reaching(reach).get(id).await?;
        }
        Ok(())
    }

    /// Writes down that an operator reads a private debate of another person.
    pub(super) async fn note_reading(
        &self,
        store: &Store,
        row: &ListedDebate,
    ) -> Result<(), EngineError> {
        let caller = &self.config().caller;
        if row.shared || !caller.is_others(row) || !self.inner.readings.is_new(caller, &row.id) {
            return Ok(());
        }
        touch::note(caller, store, row, "read a debate").await
    }
}
