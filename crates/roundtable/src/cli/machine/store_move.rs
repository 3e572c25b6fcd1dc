//! `roundtable store move`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use debate::model::counted;
use engine::config::Config;
use engine::sessions::backup::{self, MoveDirection};

/// Copy all debates from a file to the server of ROUNDTABLE_DATABASE_URL, or back.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
#[command(after_help = "\
Examples:
  roundtable store move --from-file ~/.local/share/roundtable/roundtable.db
  roundtable store move --to-file roundtable.db

ROUNDTABLE_DATABASE_URL names the server. Logs, costs, outcomes and commands are copied exactly and \
compared afterwards. The place they go to must hold no other debates, nothing is removed from the \
place they come from, and a debate that runs stops the copying before it begins. A copy that was cut \
off goes on where it stopped when the command is given again.")]
pub struct StoreMoveArgs {
    /// The file whose debates go to the server.
    #[arg(long, value_name = "FILE")]
    pub from_file: Option<PathBuf>,
    /// The file for the debates of the server, which is made where it is missing.
    #[arg(long, value_name = "FILE")]
    pub to_file: Option<PathBuf>,
}

pub async fn store_move(config: &Config, args: StoreMoveArgs) -> CommandEnd {
    let (direction, file) = match (args.from_file, args.to_file) {
        (Some(file), _) => (MoveDirection::ToServer, file),
        (None, file) => (MoveDirection::ToFile, file.unwrap_or_default()),
    };
    let moved = backup::move_store(config, direction, &file).await?;
    out::note(&format!(
        "Copied {} with {}, and {} of costs, outcomes and commands. The copy is the same to the \
         last bit.",
        counted(moved.debates as usize, "debate"),
        counted(moved.entries as usize, "event"),
        counted(moved.rows as usize, "row")
    ));
    Ok(ExitStatus::Done)
}
