//! Backup and restore. A backup can be made while debates run, and neither command
//! overwrites an existing file.

use std::path::Path;

use async_recursion::async_recursion as boxed;
use store::{MovedStore, Store, StoreAddress, StoreError};

use crate::clock;
use crate::config::Config;
use crate::error::{At, EngineError, Problem, Refusal};
use crate::run;

/// A database up to this size is checked before anything is written to it, which
/// takes a few milliseconds. A larger one is checked in the background.
const QUICK: u64 = 8 << 20;

/// Checks the file's structure for damage, once for an open store, so that nothing is
/// built on a damaged file. Damage that is found in the background is told at once, and
/// refuses every later start.
#[boxed]
pub async fn check_structure(store: &Store) -> Result<(), EngineError> {
    let StoreAddress::File(path) = store.address() else { return Ok(()) };
    if let Some(known) = store.checked() {
        return Ok(known?);
    }
    let size = std::fs::metadata(path).map_or(0, |file| file.len());
    if size <= QUICK {
        return Ok(store.quick_check_once().await?);
    }
    let store = store.clone();
    run::spawn(async move {
        // `Closed` means that the debate ended first.
        if let Err(error @ StoreError::Corrupt { .. }) = store.quick_check_once().await {
            tracing::error!("{error}");
        }
    });
    Ok(())
}

/// Writes a complete copy of the database as it is now.
#[boxed]
pub async fn backup(config: &Config, to: &Path) -> Result<(), EngineError> {
    let store = Store::read_only(&config.store).await?;
    let copied = store.backup(to).await;
    store.close().await;
    Ok(copied?)
}

/// Restores a checked copy of a backup as the database; refuses to overwrite an
/// existing one.
#[boxed]
pub async fn restore(config: &Config, from: &Path) -> Result<(), EngineError> {
    match &config.store {
        StoreAddress::File(path) => Ok(Store::restore(from, path).await?),
        StoreAddress::Server(server) => {
            Err(StoreError::NotAFile { server: server.to_string() }.into())
        }
    }
}

/// The way that debates move between a file and the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveDirection {
    ToServer,
    ToFile,
}

/// Copies everything between a file and the server of the settings, and compares both.
#[boxed]
pub async fn move_store(
    config: &Config,
    direction: MoveDirection,
    file: &Path,
) -> Result<MovedStore, EngineError> {
    if let StoreAddress::File(_) = &config.store {
        let expected = "the address of the server, such as postgres://USER@HOST/DATABASE".into();
        let at = At::Variable("ROUNDTABLE_DATABASE_URL".into());
        return Err(Refusal::new(at, Problem::Missing { expected }).into());
    }
    let (from, to) = match direction {
        MoveDirection::ToServer => {
            (Store::open_existing(file).await?, Store::open(&config.store).await?)
        }
        MoveDirection::ToFile => {
            (Store::open_existing(&config.store).await?, Store::open(file).await?)
        }
    };
    let moved = store::copy_store(&from, &to, clock::now_ms()).await;
    from.close().await;
    to.close().await;
    Ok(moved?)
}
