//! `roundtable config set-algorithm`.

use clap::Args;

use super::set::set_one;
use crate::cli::command::CommandEnd;
use engine::config::Config;

/// Choose what ends a debate early: agreement, votes or evidence_based_debate.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable config set-algorithm evidence_based_debate")]
pub struct ConfigSetAlgorithmArgs {
    /// The algorithm's name.
    name: String,
}

pub async fn set_algorithm(config: &Config, args: ConfigSetAlgorithmArgs) -> CommandEnd {
    set_one(config, "algorithm", &args.name)
}
