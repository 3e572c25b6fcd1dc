//! `roundtable synthesise`: the clerk's summary of a finished debate.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::clean_json;
use crate::cli::command::CommandEnd;
use crate::report::debate::synthesis as synthesis_document;
use crate::terminal::document;
use crate::terminal::{out, pager};
use engine::config::Config;
use engine::sessions::synthesise;

/// Have the clerk write what a finished debate comes to.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable synthesise 0199
  roundtable synthesise 0199 --json")]
pub struct SynthesiseArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
    /// Let a file speak for the clerk, as in `roundtable debate --script`.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn synthesise(config: &Config, args: SynthesiseArgs) -> CommandEnd {
    let (id, synthesis) = synthesise::synthesise(config, &args.id, args.script.as_deref()).await?;
    let text = if args.json {
        let value = json!({ "id": id, "synthesis": synthesis });
        clean_json(&value)
    } else {
        document::text(out::page(), &synthesis_document(&synthesis))
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}
