//! `roundtable setup CLIENT`: show the change, ask, make it.

use std::io::{BufRead as _, IsTerminal as _};

use clap::Args;

use crate::cli::{Exit, Stop, out};
use crate::terminal as render;
use engine::config::Config;
use engine::error::EngineError;
use engine::machine::setup::{self, CLIENTS, Reach, Wish};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable setup
  roundtable setup claude-code --dry-run
  roundtable setup cursor --project --yes
  roundtable setup codex --remove --dry-run

The change is shown first and the old file is kept beside the new one. Keys are not written \
there: Roundtable finds them where it always does.")]
pub struct SetupArgs {
    /// The client; without one, all of them are listed with their config files.
    client: Option<String>,
    /// Take Roundtable out of the client's config.
    #[arg(long)]
    remove: bool,
    /// Only for the project in this folder.
    #[arg(long)]
    project: bool,
    /// Only show what would change.
    #[arg(long)]
    dry_run: bool,
    /// Do it without asking.
    #[arg(short, long)]
    yes: bool,
}

pub fn setup(config: &Config, args: SetupArgs) -> Result<Exit, Stop> {
    let Some(name) = args.client else {
        let rows: Vec<_> = CLIENTS
            .iter()
            .map(|client| (client.name, client.title, (client.user_file)(&config.environment)))
            .collect();
        out::print(&render::setup::clients(&rows))?;
        return Ok(Exit::Done);
    };
    let client = setup::client(&name)?;
    let wish = if args.remove { Wish::Remove } else { Wish::Add };
    let reach = if args.project { Reach::Project } else { Reach::User };
    let change = setup::plan(config, client, reach, wish)?;
    if change.is_nothing() {
        let already = if args.remove { "is not set up" } else { "is set up already" };
        out::note(&format!("{}: Roundtable {already} in {}.", client.title, change.path.display()));
        return Ok(Exit::Done);
    }
    let shown = render::setup::change(&change);
    if args.dry_run {
        out::print(&shown)?;
        return Ok(Exit::Done);
    }
    out::note(&shown);
    if !args.yes {
        ask()?;
    }
    let kept = setup::carry_out(&change)?;
    out::note(&format!("Wrote {}.", change.path.display()));
    if let Some(kept) = kept {
        out::note(&format!("The file before it is kept as {}.", kept.display()));
    }
    out::note(client.then);
    Ok(Exit::Done)
}

fn ask() -> Result<(), EngineError> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(EngineError::input("nothing was written; say --yes to do it unasked"));
    }
    out::note("Make this change? [y/N] ");
    let mut answer = String::new();
    match stdin.lock().read_line(&mut answer).map(|_| answer.trim().to_lowercase()) {
        Ok(answer) if answer == "y" || answer == "yes" => Ok(()),
        _ => Err(EngineError::input("nothing was written")),
    }
}
