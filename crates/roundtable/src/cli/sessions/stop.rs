//! `roundtable sessions stop`: ends a debate with a verdict.

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::document::words::short_id;
use crate::terminal::out;
use engine::config::Config;
use engine::nouns::DebateCommand;
use engine::sessions::control::control;

/// End a debate now, with a verdict on what has been said.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions stop 0199")]
pub struct SessionsStopArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
}

pub async fn stop(config: &Config, args: SessionsStopArgs) -> CommandEnd {
    let done = control(config, &args.id, DebateCommand::Stop).await?;
    out::note("Stopped: no new calls start; answers already asked for are still stored.");
    out::note(&format!("See the verdict: roundtable show {}", short_id(&done.id)));
    Ok(ExitStatus::Done)
}
