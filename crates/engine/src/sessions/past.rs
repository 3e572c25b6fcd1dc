//! The debates of the past, as the preparation of a new one asks about them: all
//! questions go to one store, which is opened when the first one comes.

use store::{Store, StoreError};
use tokio::sync::OnceCell;

use crate::config::Config;
use crate::error::EngineError;
use crate::sessions::list;

pub struct PastDebates<'a> {
    config: &'a Config,
    store: OnceCell<Option<Store>>,
}

impl<'a> PastDebates<'a> {
    /// Opens the database itself, for reading.
    pub fn new(config: &'a Config) -> PastDebates<'a> {
        PastDebates { config, store: OnceCell::new() }
    }

    /// Asks a store that is open already; `None` where no debate has been held yet.
    pub fn of(config: &'a Config, store: Option<Store>) -> PastDebates<'a> {
        PastDebates { config, store: OnceCell::new_with(Some(store)) }
    }

    /// Returns the store; `None` where no debate has been held yet.
    pub async fn store(&self) -> Result<Option<&Store>, EngineError> {
        let opened = self.store.get_or_try_init(async || match list::look(self.config).await {
            Ok(store) => Ok(Some(store)),
            Err(StoreError::Missing { .. }) => Ok(None),
            Err(error) => Err(EngineError::from(error)),
        });
        Ok(opened.await?.as_ref())
    }
}
