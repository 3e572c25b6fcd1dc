//! `roundtable config unset`.

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::machine::settings;

/// Take one value out of the config file; the default holds again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable config unset rounds")]
pub struct ConfigUnsetArgs {
    /// As in `config set`.
    key: String,
}

pub async fn unset(config: &Config, args: ConfigUnsetArgs) -> CommandEnd {
    let key = &args.key;
    settings::unset(config, key)?;
    out::note(&format!("Removed {key} from {}.", config.paths.config_file.display()));
    Ok(ExitStatus::Done)
}
