//! `roundtable config remove-key`.

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::machine::keys;

/// Remove a key that was kept.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable config remove-key anthropic")]
pub struct ConfigRemoveKeyArgs {
    /// Whose key.
    provider: String,
}

pub async fn remove_key(config: &Config, args: ConfigRemoveKeyArgs) -> CommandEnd {
    out::note(&keys::remove(config, &args.provider)?);
    Ok(ExitStatus::Done)
}
