//! `roundtable store move`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::sessions::backup::{self, MoveDirection};

/// Copy all debates from a file to the server of ROUNDTABLE_DATABASE_URL, or back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable store move --from-file ~/.local/share/roundtable/roundtable.db
  roundtable store move --to-file roundtable.db

ROUNDTABLE_DATABASE_URL names the server. Logs, costs, outcomes and commands are copied exactly and \
compared afterwards. The place they go to must hold no debates, nothing is removed from the place \
they come from, and a debate that runs stops the copying before it begins.")]
pub struct StoreMoveArgs {
    /// The file whose debates go to the server.
    #[arg(long, value_name = "FILE", required_unless_present = "to_file")]
    pub from_file: Option<PathBuf>,
    /// A new file for the debates of the server.
    #[arg(long, value_name = "FILE", conflicts_with = "from_file")]
    pub to_file: Option<PathBuf>,
}

pub async fn store_move(config: &Config, args: StoreMoveArgs) -> CommandEnd {
    let (direction, file) = match (args.from_file, args.to_file) {
        (Some(file), _) => (MoveDirection::ToServer, file),
        (None, file) => (MoveDirection::ToFile, file.unwrap_or_default()),
    };
    let moved = backup::move_store(config, direction, &file).await?;
    out::note(&format!(
        "Copied {} debates with {} log entries, and {} rows of costs, outcomes and commands. The \
         copy is the same to the last bit.",
        moved.debates, moved.entries, moved.rows
    ));
    Ok(ExitStatus::Done)
}
