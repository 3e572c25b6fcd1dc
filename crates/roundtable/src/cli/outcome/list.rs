//! `roundtable outcome list`.

use clap::Args;
use serde_json::json;

use super::print;
use crate::cli::command::CommandEnd;
use crate::report::learning as shown;
use engine::config::Config;
use engine::outcomes::track;

/// List finished debates with what is known of their outcome.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable outcome list")]
pub struct OutcomeListArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn list(config: &Config, args: OutcomeListArgs) -> CommandEnd {
    let lines = track::list(config).await?;
    let document = shown::outcomes("Outcomes", &lines, "No debate is finished yet.");
    print(&document, &json!(lines), args.json)
}
