//! `roundtable config set-key`. A key is read from standard input, or asked for without
//! being shown; never from an argument, which every program of the machine can see.

use std::io::{BufRead as _, IsTerminal as _};

use clap::Args;
use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::terminal;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::error::EngineError;
use engine::machine::keys;

/// Keep the key of a provider or a search API in a file that only you can read.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable config set-key anthropic

The key is read from standard input, or asked for without being shown.")]
pub struct ConfigSetKeyArgs {
    /// Whose key: anthropic, openai, … as `roundtable agents` lists them.
    provider: String,
    /// Keep it in the system keyring instead (in builds that have it).
    #[arg(long)]
    keyring: bool,
}

pub async fn set_key(config: &Config, args: ConfigSetKeyArgs) -> CommandEnd {
    let name = args.provider.as_str();
    keys::holder(name)?;
    let given = if std::io::stdin().is_terminal() { asked(name)? } else { piped()? };
    let keeping =
        if args.keyring { keys::KeyDestination::Keyring } else { keys::KeyDestination::File };
    out::note(&keys::set(config, name, &given, keeping)?);
    Ok(ExitStatus::Done)
}

/// The first line of standard input; more than a line is no key.
fn piped() -> Result<String, EngineError> {
    let mut lines = std::io::stdin().lock().lines();
    let cannot = |_| EngineError::input("standard input cannot be read as text");
    let first = lines.next().transpose().map_err(cannot)?.unwrap_or_default();
    match lines.next().transpose().map_err(cannot)? {
        Some(_) => {
            Err(EngineError::input("standard input has more than one line; give the key alone"))
        }
        None => Ok(first),
    }
}

/// Asks on the terminal; nothing that is typed appears.
pub fn asked(name: &str) -> Result<String, EngineError> {
    out::note(&format!("Key of {name} (it is not shown; Enter ends, Ctrl-C leaves):"));
    let failed =
        |error: std::io::Error| EngineError::input(format!("cannot read the key: {error}"));
    terminal::enable_raw_mode().map_err(failed)?;
    let typed = typed();
    terminal::disable_raw_mode().map_err(failed)?;
    typed
        .map_err(failed)?
        .ok_or_else(|| EngineError::input("left without a key; nothing was changed"))
}

fn typed() -> std::io::Result<Option<String>> {
    let mut text = String::new();
    loop {
        match event::read()? {
            Event::Paste(pasted) => text.push_str(&pasted),
            Event::Key(key) if key.kind == KeyEventKind::Release => {}
            Event::Key(key) => match key.code {
                KeyCode::Enter => return Ok(Some(text)),
                KeyCode::Esc => return Ok(None),
                KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                    return Ok(None);
                }
                KeyCode::Backspace => drop(text.pop()),
                KeyCode::Char(letter) => text.push(letter),
                _ => {}
            },
            _ => {}
        }
    }
}
