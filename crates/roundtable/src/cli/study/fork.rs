//! `roundtable fork`: branches off a debate after one of its rounds.

use std::path::PathBuf;

use clap::Args;

use crate::cli::command::CommandEnd;
use crate::cli::watch::{Begin, Show, watch};
use engine::config::Config;
use engine::sessions::follow_up::{self, ForkWish};
use engine::sessions::resume;
use engine::table::money;

/// Branch off a debate after a round; the rounds both share are not paid for again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable fork --round 1
  roundtable fork 0199 --round 2 --rounds 4 --focus \"What if we had a year?\"")]
pub struct ForkArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
    /// The last round that both share, counted from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub round: u32,
    /// How many rounds the branch has, the shared ones included [default: as planned before]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub rounds: Option<u32>,
    /// A question that every answer after the fork must address.
    #[arg(short, long, value_name = "QUESTION")]
    pub focus: Option<String>,
    /// The most that the branch may cost, in USD.
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// Let a file speak for the agents, as in `roundtable debate --script`.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Print one event per line as JSON on standard output.
    #[arg(long)]
    pub json: bool,
    /// Print only the card.
    #[arg(short, long, conflicts_with = "json")]
    pub quiet: bool,
}

pub async fn fork(config: &Config, args: ForkArgs) -> CommandEnd {
    let budget = money::raised(args.budget.as_deref())?;
    let wish = ForkWish { round: args.round, rounds: args.rounds, budget, focus: args.focus };
    let branch = follow_up::fork(config, &args.id, &wish).await?;
    let opened = resume::resume(config, &branch, args.script.as_deref()).await?;
    watch(config, opened, Show::of(args.json, args.quiet), Begin::Again(None)).await
}
