//! `roundtable resume`: resumes a debate.

use std::path::PathBuf;

use clap::Args;

use crate::cli::command::CommandEnd;
use crate::cli::watch::{Begin, Show, watch};
use engine::config::Config;

/// Resume a debate that was paused or cut off.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable resume 0199
  roundtable resume 0199 --budget 2.50 --quiet")]
pub struct SessionsResumeArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
    /// Let a file speak for the agents, as in `roundtable debate --script`.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// The most the whole debate may cost from now on, in USD, instead of its own limit.
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// Print one event per line as JSON on standard output.
    #[arg(long)]
    pub json: bool,
    /// Print only the verdict.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,
}

pub async fn resume(config: &Config, args: SessionsResumeArgs) -> CommandEnd {
    let show = Show::of(args.json, args.quiet);
    let cap = engine::table::money::raised(args.budget.as_deref())?;
    let opened = engine::sessions::resume::resume(config, &args.id, args.script.as_deref()).await?;
    watch(config, opened, show, Begin::Again(cap)).await
}
