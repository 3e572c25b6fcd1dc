//! `roundtable sessions focus`: the question every further answer must address.

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::nouns::DebateCommand;
use engine::sessions::control::control;

/// Set the question that every answer from now on must address.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions focus 0199 \"What would it cost to go back?\"")]
pub struct SessionsFocusArgs {
    /// The debate: its id or the beginning of it; @1 is the last one.
    pub id: String,
    /// The words, 1 to 10,000 characters.
    pub text: String,
}

pub async fn focus(config: &Config, args: SessionsFocusArgs) -> CommandEnd {
    control(config, &args.id, DebateCommand::Focus(args.text)).await?;
    out::note("Set: every answer from now on must address it.");
    Ok(ExitStatus::Done)
}
