//! `roundtable sessions import`: a debate that was exported comes back.

use std::path::PathBuf;

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::document::escape;
use crate::document::words::short_id;
use crate::terminal::out;
use engine::config::Config;
use engine::export::import::{self, ImportId};

/// Import a debate that was exported as JSON.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions import debate.json
  roundtable sessions import debate.json --as-copy

The debate comes back entry for entry, with the same id. A file that was cut or edited is refused.")]
pub struct SessionsImportArgs {
    /// A debate that was exported as JSON.
    pub file: PathBuf,
    /// Import it under a new id.
    #[arg(long)]
    pub as_copy: bool,
}

pub async fn run(config: &Config, args: SessionsImportArgs) -> CommandEnd {
    let under = if args.as_copy { ImportId::ANewId } else { ImportId::ItsOwnId };
    let taken = import::import(config, &args.file, under).await?;
    let topic: String = escape::clean_line(&taken.topic).chars().take(80).collect();
    out::note(&format!("Imported {topic} ({}, {} entries).", taken.status, taken.entries));
    out::note("Its cost was spent elsewhere and does not count here.");
    out::note(&format!("See it with: roundtable show {}", short_id(&taken.id)));
    if taken.status != "completed" {
        out::note(&format!(
            "It is not finished; resume it with: roundtable resume {}",
            short_id(&taken.id)
        ));
    }
    Ok(ExitStatus::Done)
}
