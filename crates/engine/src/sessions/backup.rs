//! Backup and restore. A backup can be made while debates run, and neither command
//! overwrites an existing file.

use std::path::Path;

use store::{Store, StoreError};

use crate::config::Config;
use crate::error::EngineError;

/// A database up to this size is checked before anything is written to it, which
/// takes a few milliseconds. A larger one is checked in the background.
const QUICK: u64 = 8 << 20;

/// Checks the file's structure for damage, once for an open store, so that nothing is
/// built on a damaged file. Damage that is found in the background is told at once, and
/// refuses every later start.
pub async fn check_structure(store: &Store) -> Result<(), EngineError> {
    if let Some(known) = store.checked() {
        return Ok(known?);
    }
    let size = std::fs::metadata(store.path()).map_or(0, |file| file.len());
    if size <= QUICK {
        return Ok(store.quick_check_once().await?);
    }
    let store = store.clone();
    tokio::spawn(async move {
        // `Closed` means that the debate ended first.
        if let Err(error @ StoreError::Corrupt { .. }) = store.quick_check_once().await {
            tracing::error!("{error}");
        }
    });
    Ok(())
}

/// Writes a complete copy of the database as it is now.
pub async fn backup(config: &Config, to: &Path) -> Result<(), EngineError> {
    let store = Store::read_only(&config.paths.database).await?;
    let copied = store.backup(to).await;
    store.close().await;
    Ok(copied?)
}

/// Restores a checked copy of a backup as the database; refuses to overwrite an
/// existing one.
pub async fn restore(config: &Config, from: &Path) -> Result<(), EngineError> {
    Ok(Store::restore(from, &config.paths.database).await?)
}
