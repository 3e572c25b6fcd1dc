//! `roundtable outcome due`.

use clap::Args;
use serde_json::json;

use super::print;
use crate::cli::command::CommandEnd;
use crate::report::learning as shown;
use engine::config::Config;
use engine::outcomes::track;

/// List decisions whose day has come and that nobody has judged.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable outcome due
  roundtable outcome due --json")]
pub struct OutcomeDueArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn due(config: &Config, args: OutcomeDueArgs) -> CommandEnd {
    let lines = track::due(config).await?;
    let document = shown::outcomes("To be judged", &lines, "Nothing is due.");
    print(&document, &json!(lines), args.json)
}
