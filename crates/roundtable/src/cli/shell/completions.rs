//! `roundtable completions`.

use clap::Args;
use clap_complete::Shell;

use crate::cli::command::CommandEnd;
use crate::cli::{ExitStatus, description};
use crate::terminal::out;
use engine::config::{Config, ConfigError};

/// Print what a shell needs to complete commands and options.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable completions bash > ~/.local/share/bash-completion/completions/roundtable
  roundtable completions zsh > ~/.zfunc/_roundtable
  roundtable completions fish > ~/.config/fish/completions/roundtable.fish")]
pub struct CompletionsArgs {
    /// For which shell.
    pub shell: Shell,
}

pub async fn completions(_: Result<Config, ConfigError>, args: CompletionsArgs) -> CommandEnd {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut description(), "roundtable", &mut text);
    out::print(&String::from_utf8_lossy(&text))?;
    Ok(ExitStatus::Done)
}
