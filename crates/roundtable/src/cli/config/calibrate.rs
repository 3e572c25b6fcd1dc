//! `roundtable config calibrate`.

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::pager;
use engine::config::Config;
use engine::table::embedder;

/// Measure the config file's embedder, so that its similarities mean what others' do.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable config calibrate")]
pub struct ConfigCalibrateArgs {}

pub async fn calibrate(config: &Config, _: ConfigCalibrateArgs) -> CommandEnd {
    let text = format!("{}\n", embedder::calibrate(config).await?);
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}
