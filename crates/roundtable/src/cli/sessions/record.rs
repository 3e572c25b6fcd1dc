//! `roundtable sessions record`: the record of a finished debate.

use clap::Args;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::FormatArgs;
use crate::cli::command::CommandEnd;
use crate::report::record as document;
use crate::terminal::out;
use engine::config::Config;
use engine::outcomes::record as records;

/// Show the record a finished debate leaves: rounds, evidence, metrics, decision.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions record 0199
  roundtable sessions record 0199 --json")]
pub struct SessionsRecordArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
    #[command(flatten)]
    pub format: FormatArgs,
}

pub async fn record(config: &Config, args: SessionsRecordArgs) -> CommandEnd {
    let found = records::record(config, &args.id).await?;
    let value = json!({ "debateRecord": found });
    out::print(&args.format.shown(&document::record(&found), &value))?;
    Ok(ExitStatus::Done)
}
