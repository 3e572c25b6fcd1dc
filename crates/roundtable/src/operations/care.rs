//! Looking after the database: a backup while debates go on, and putting one
//! back. Neither overwrites anything.

use std::path::Path;

use store::Store;

use super::Trouble;
use crate::config::Config;

/// A complete copy of the database as it stands now.
pub async fn backup(config: &Config, to: &Path) -> Result<(), Trouble> {
    let store = Store::read_only(&config.paths.database).await?;
    let copied = store.backup(to).await;
    store.close().await;
    Ok(copied?)
}

/// Puts a checked copy of a backup where the database belongs; refuses where
/// there is one already.
pub async fn restore(config: &Config, from: &Path) -> Result<(), Trouble> {
    Ok(Store::restore(from, &config.paths.database).await?)
}
