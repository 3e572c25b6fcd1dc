//! Tells whether a store was written to, whichever engine it is.

use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::sleep;

use crate::error::StoreFuture;
use crate::postgres::ServerSnapshot;
use crate::sqlite::DataVersion;

/// Tells whether any process, this one included, has written to the database
/// since the last question. Asking often costs next to nothing.
#[derive(Debug)]
pub struct ChangeWatch(pub(crate) StoreChanges);

#[derive(Debug)]
pub(crate) enum StoreChanges {
    File(DataVersion),
    Server(ServerSnapshot),
}

impl ChangeWatch {
    /// True the first time.
    pub fn since_last(&mut self) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            match &mut self.0 {
                StoreChanges::File(version) => version.since_last().await,
                StoreChanges::Server(snapshot) => snapshot.since_last().await,
            }
        })
    }

    /// Waits for as long as this, or until a server gives a hint that there is something to see.
    pub fn wait(&mut self, most: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            match &mut self.0 {
                StoreChanges::File(_) => sleep(most).await,
                StoreChanges::Server(snapshot) => snapshot.wait(most).await,
            }
        })
    }
}
