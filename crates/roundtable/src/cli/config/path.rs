//! `roundtable config path`.

use clap::Args;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::terminal::pager;
use engine::config::Config;

/// Show where the config file, the templates and the database are.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable config path")]
pub struct ConfigPathArgs {}

pub async fn path(config: &Config, _: ConfigPathArgs) -> CommandEnd {
    let text = format!(
        "config file  {}\ntemplates    {}\nkeys         {}\ndatabase     {}\nserver token {}\n",
        config.paths.config_file.display(),
        config.paths.words.display(),
        config.paths.keys.display(),
        config.store,
        config.paths.server_token.display()
    );
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}
