//! `roundtable backup`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::sessions::backup;

/// Copy the database to a new file, while debates go on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable backup roundtable-backup.db")]
pub struct BackupArgs {
    /// Where to; nothing may be there yet.
    file: PathBuf,
}

pub async fn backup(config: &Config, args: BackupArgs) -> CommandEnd {
    let to = &args.file;
    backup::backup(config, to).await?;
    out::note(&format!("Backed up to {}.", to.display()));
    Ok(ExitStatus::Done)
}
