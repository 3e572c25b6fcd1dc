//! `roundtable outcome undo`.

use clap::Args;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::outcomes::track;

/// Take back the last thing noted about a decision, or a record by number.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable outcome undo 0199")]
pub struct OutcomeUndoArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
    /// The record's number, as `roundtable outcome show` gives it [default: the last that counts]
    #[arg(long, value_name = "N")]
    pub number: Option<u64>,
    /// Why; it is kept with the record.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub reason: String,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn undo(config: &Config, args: OutcomeUndoArgs) -> CommandEnd {
    let done = track::undo(config, &args.id, args.number, &args.reason).await?;
    if args.json {
        out::print(&format!("{:#}\n", json!(done)))?
    } else {
        out::note(&format!(
            "Record {} ({}) of debate {} no longer counts; everything that rested on it \
             was recomputed.",
            done.number, done.what, done.debate
        ))
    }
    Ok(ExitStatus::Done)
}
