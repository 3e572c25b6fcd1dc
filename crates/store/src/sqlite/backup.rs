//! Copies of the database: backups and restoring one. A copy is complete and on
//! the disk, or not there.

use std::path::Path;

use sqlx::sqlite::SqliteConnection;
use sqlx::{ConnectOptions, Connection};

use super::{file, schema};
use crate::error::StoreError;

/// The purpose of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopyPurpose {
    /// A single file that can be read even where nothing can be written.
    Backup,
    /// A database to work with.
    Restore,
}

/// Makes a complete copy of a database at a new place. Everything committed
/// before the call is in it.
pub(crate) async fn copy(from: &Path, to: &Path, purpose: CopyPurpose) -> Result<(), StoreError> {
    let occupied = || StoreError::Occupied { path: to.to_owned() };
    if to.try_exists().map_err(|error| StoreError::io("looking for the copy", &error))? {
        return Err(occupied());
    }
    file::make_home(to)?;
    let draft = file::draft(to)?;
    match fill(from, &draft, purpose).await {
        Ok(()) => {
            if file::publish(&draft, to)? {
                Ok(())
            } else {
                Err(occupied())
            }
        }
        Err(error) => {
            file::discard(&draft);
            Err(error)
        }
    }
}

async fn fill(from: &Path, draft: &Path, purpose: CopyPurpose) -> Result<(), StoreError> {
    vacuum(from, draft).await?;
    match purpose {
        CopyPurpose::Backup => Ok(()),
        CopyPurpose::Restore => schema::settle(draft).await,
    }
}

async fn vacuum(from: &Path, draft: &Path) -> Result<(), StoreError> {
    let Some(name) = draft.to_str() else {
        return Err(StoreError::Io { what: format!("{} is not a name in UTF-8", draft.display()) });
    };
    let mut connection: SqliteConnection = schema::reader_options(from).connect().await?;
    sqlx::query("VACUUM INTO $1").bind(name).execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}
