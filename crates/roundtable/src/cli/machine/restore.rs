//! `roundtable restore`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::sessions::backup;

/// Restore a backup (never overwrites an existing database).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable restore roundtable-backup.db")]
pub struct RestoreArgs {
    /// The backup.
    file: PathBuf,
}

pub async fn restore(config: &Config, args: RestoreArgs) -> CommandEnd {
    let from = &args.file;
    backup::restore(config, from).await?;
    let place = config.paths.database.display();
    out::note(&format!("Restored {} to {place}.", from.display()));
    Ok(ExitStatus::Done)
}
