//! Tells whether a store was written to, whichever engine it is.

use crate::error::StoreError;
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
    pub async fn since_last(&mut self) -> Result<bool, StoreError> {
        match &mut self.0 {
            StoreChanges::File(version) => version.since_last().await,
            StoreChanges::Server(snapshot) => snapshot.since_last().await,
        }
    }
}
