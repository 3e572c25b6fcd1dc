//! Opens the database for the caller of these settings: it reaches the debates that the
//! caller's role allows for the operation, and knows no others.

use async_recursion::async_recursion as boxed;
use store::{Store, StoreError};

use crate::config::Config;
use crate::people::caller::{Caller, Operation};

impl Config {
    /// The same settings for another caller.
    pub fn for_caller(&self, caller: Caller) -> Config {
        Config { caller, ..self.clone() }
    }

    /// Opens a database that must be there.
    #[boxed]
    pub async fn existing_store(&self, operation: Operation) -> Result<Store, StoreError> {
        let store = Store::open_existing(&self.store).await?;
        Ok(store.reaching(self.caller.reach(operation)))
    }

    /// Opens a database that must be there, for reading alone.
    #[boxed]
    pub async fn read_store(&self) -> Result<Store, StoreError> {
        let store = Store::read_only(&self.store).await?;
        Ok(store.reaching(self.caller.reach(Operation::Read)))
    }

    /// Opens the database, making it if it is not there.
    #[boxed]
    pub async fn made_store(&self, operation: Operation) -> Result<Store, StoreError> {
        let store = Store::open(&self.store).await?;
        Ok(store.reaching(self.caller.reach(operation)))
    }
}
