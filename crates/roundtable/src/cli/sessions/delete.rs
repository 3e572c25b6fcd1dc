//! `roundtable sessions delete`: removes a debate for good, after asking.

use std::io::{BufRead as _, IsTerminal as _};

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::document::escape;
use crate::terminal::out;
use engine::config::Config;
use engine::error::EngineError;

/// Remove a debate and all that was said in it, for good.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions delete 0199 --yes")]
pub struct SessionsDeleteArgs {
    /// The debate: its id or the beginning of it; @1 is the last one.
    pub id: String,
    /// Do it without asking.
    #[arg(short, long)]
    pub yes: bool,
}

pub async fn delete(config: &Config, args: SessionsDeleteArgs) -> CommandEnd {
    let found = engine::sessions::control::look_up(config, &args.id).await?;
    if !args.yes {
        let topic: String = escape::clean_line(&found.topic).chars().take(80).collect();
        ask(&format!("Delete {} ({topic}) for good? [y/N] ", found.id))?;
    }
    let id = engine::sessions::control::delete(config, &found.id).await?;
    out::note(&format!("Deleted {id}. Its cost stays on record."));
    Ok(ExitStatus::Done)
}

/// Goes on only if a person says yes.
fn ask(question: &str) -> Result<(), EngineError> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(EngineError::input("deleting cannot be undone; add --yes to confirm"));
    }
    out::note(question);
    let mut answer = String::new();
    let read = stdin.lock().read_line(&mut answer);
    match read.map(|_| answer.trim().to_lowercase()) {
        Ok(answer) if answer == "y" || answer == "yes" => Ok(()),
        _ => Err(EngineError::input("nothing was deleted")),
    }
}
