//! Looking after the database: a backup while debates go on, and putting one
//! back. Neither overwrites anything.

use std::path::Path;

use store::{Store, StoreError};

use crate::config::Config;
use crate::error::EngineError;

/// A file up to this size is looked over before anything is written to it; that
/// takes a few hundredths of a second. A larger one is looked over meanwhile.
const QUICK: u64 = 32 << 20;

/// Looks for damage in the file's structure, so that nothing is built on it.
pub async fn look_over(store: &Store) -> Result<(), EngineError> {
    let size = std::fs::metadata(store.path()).map_or(0, |file| file.len());
    if size <= QUICK {
        return Ok(store.quick_check().await?);
    }
    let store = store.clone();
    tokio::spawn(async move {
        // Closed means that the debate ended first.
        if let Err(error @ StoreError::Corrupt { .. }) = store.quick_check().await {
            tracing::error!("{error}");
        }
    });
    Ok(())
}

/// A complete copy of the database as it stands now.
pub async fn backup(config: &Config, to: &Path) -> Result<(), EngineError> {
    let store = Store::read_only(&config.paths.database).await?;
    let copied = store.backup(to).await;
    store.close().await;
    Ok(copied?)
}

/// Puts a checked copy of a backup where the database belongs; refuses where
/// there is one already.
pub async fn restore(config: &Config, from: &Path) -> Result<(), EngineError> {
    Ok(Store::restore(from, &config.paths.database).await?)
}
