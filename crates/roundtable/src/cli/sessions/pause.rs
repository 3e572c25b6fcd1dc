//! `roundtable sessions pause`: rests a debate, wherever it runs.

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::document::words::short_id;
use crate::terminal::out;
use engine::config::Config;
use engine::nouns::DebateCommand;
use engine::sessions::control::control;

/// Pause a debate, wherever it runs: answers on their way are kept.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions pause 0199")]
pub struct SessionsPauseArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
}

pub async fn pause(config: &Config, args: SessionsPauseArgs) -> CommandEnd {
    let done = control(config, &args.id, DebateCommand::Pause).await?;
    out::note(if done.is_draining() {
        "Paused: no new calls start; answers already asked for are still stored."
    } else {
        "Paused."
    });
    out::note(&format!("Resume with: roundtable resume {}", short_id(&done.id)));
    Ok(ExitStatus::Done)
}
