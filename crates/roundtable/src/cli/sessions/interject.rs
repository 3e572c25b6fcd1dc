//! `roundtable sessions interject`: a remark for all who speak next.

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::nouns::DebateCommand;
use engine::sessions::control::control;

/// Put a remark before everyone who speaks from now on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions interject 0199 \"We have no one who knows Kubernetes.\"")]
pub struct SessionsInterjectArgs {
    /// The debate: its id or the beginning of it; @1 is the last one.
    pub id: String,
    /// The words, 1 to 10,000 characters.
    pub text: String,
}

pub async fn interject(config: &Config, args: SessionsInterjectArgs) -> CommandEnd {
    control(config, &args.id, DebateCommand::Remark(args.text)).await?;
    out::note("Added: every agent sees it from now on.");
    Ok(ExitStatus::Done)
}
