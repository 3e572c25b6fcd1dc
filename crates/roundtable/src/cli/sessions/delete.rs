//! Steering debates and looking after the database from the command line.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;

use engine::nouns::DebateCommand;

use crate::cli::args::{SessionsDeleteArgs, SessionsRemarkArgs, SessionsSteerArgs};
use crate::cli::{Exit, Stop};
use crate::terminal::{clean, out};
use engine::config::Config;
use engine::error::EngineError;
use engine::sessions::backup;

pub async fn pause(config: &Config, args: SessionsSteerArgs) -> Result<Exit, Stop> {
    let done = engine::sessions::control::control(config, &args.id, DebateCommand::Pause).await?;
    out::note(match done.is_draining() {
        true => "Paused: no new calls start; answers already asked for are still stored.",
        false => "Paused.",
    });
    out::note(&format!("Go on with: roundtable sessions resume {}", done.id));
    Ok(Exit::Done)
}

pub async fn stop(config: &Config, args: SessionsSteerArgs) -> Result<Exit, Stop> {
    let done = engine::sessions::control::control(config, &args.id, DebateCommand::Stop).await?;
    out::note("Stopped: no new calls start; answers already asked for are still stored.");
    out::note(&format!("See what it came to: roundtable sessions show {}", done.id));
    Ok(Exit::Done)
}

pub async fn interject(config: &Config, args: SessionsRemarkArgs) -> Result<Exit, Stop> {
    engine::sessions::control::control(config, &args.id, DebateCommand::Remark(args.text)).await?;
    out::note("Said: everyone who speaks from now on is shown it.");
    Ok(Exit::Done)
}

pub async fn focus(config: &Config, args: SessionsRemarkArgs) -> Result<Exit, Stop> {
    engine::sessions::control::control(config, &args.id, DebateCommand::Focus(args.text)).await?;
    out::note("Set: every answer from now on must address it.");
    Ok(Exit::Done)
}

pub async fn delete(config: &Config, args: SessionsDeleteArgs) -> Result<Exit, Stop> {
    let found = engine::sessions::control::look_up(config, &args.id).await?;
    if !args.yes {
        let topic: String = clean::clean_line(&found.topic).chars().take(80).collect();
        ask(&format!("Delete {} ({topic}) for good? [y/N] ", found.id))?;
    }
    let id = engine::sessions::control::delete(config, &found.id).await?;
    out::note(&format!("Deleted {id}. What it cost stays in the books."));
    Ok(Exit::Done)
}

/// Goes on only if a person says yes.
fn ask(question: &str) -> Result<(), EngineError> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(EngineError::input("deleting cannot be undone; say --yes to do it unasked"));
    }
    out::note(question);
    let mut answer = String::new();
    let read = stdin.lock().read_line(&mut answer);
    match read.map(|_| answer.trim().to_lowercase()) {
        Ok(answer) if answer == "y" || answer == "yes" => Ok(()),
        _ => Err(EngineError::input("nothing was deleted")),
    }
}

pub async fn backup(config: &Config, to: &Path) -> Result<Exit, Stop> {
    backup::backup(config, to).await?;
    out::note(&format!("Backed up to {}.", to.display()));
    Ok(Exit::Done)
}

pub async fn restore(config: &Config, from: &Path) -> Result<Exit, Stop> {
    backup::restore(config, from).await?;
    let place = config.paths.database.display();
    out::note(&format!("Restored {} to {place}.", from.display()));
    Ok(Exit::Done)
}
