//! `roundtable config set`.

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::out;
use engine::config::Config;
use engine::machine::settings;

/// Set one value of the config file; comments and the rest stay.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable config set rounds 2
  roundtable config set exitCriteria.enabled true")]
pub struct ConfigSetArgs {
    /// As `config show` lists it, e.g. rounds or exitCriteria.enabled, or a key of a table,
    /// e.g. profiles.review.mode.
    key: String,
    /// Lists are separated by commas.
    #[arg(allow_hyphen_values = true)]
    value: String,
}

pub async fn set(config: &Config, args: ConfigSetArgs) -> CommandEnd {
    set_one(config, &args.key, &args.value)
}

/// Writes one value and says where.
pub fn set_one(config: &Config, key: &str, value: &str) -> CommandEnd {
    settings::set(config, key, value)?;
    out::note(&format!("Set {key} in {}.", config.paths.config_file.display()));
    Ok(ExitStatus::Done)
}
