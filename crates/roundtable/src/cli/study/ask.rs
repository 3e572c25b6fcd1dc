//! `roundtable ask`: a further question to a debate that is over.

use std::path::PathBuf;

use clap::Args;

use crate::cli::command::CommandEnd;
use crate::cli::debate;
use crate::cli::watch::Show;
use engine::config::Config;
use engine::sessions::follow_up;
use engine::table::order::Order;

/// Ask a finished debate further: a new one that begins with its decision, claims and sources.
#[derive(Debug, Args)]
#[command(
    override_usage = "roundtable ask [OPTIONS] [ID] <QUESTION>",
    after_help = "\
Examples:
  roundtable ask \"What would change your mind?\"
  roundtable ask 0199 \"And with half the budget?\" --rounds 2
  roundtable ask 0199 \"Is that still so?\" --agents ollama/llama3.2,ollama/qwen3

Without an id, the last debate is meant. Without --agents, the same table answers. \
`roundtable debate --after ID` takes every option of a debate; without a question it holds the \
same question again."
)]
pub struct AskArgs {
    /// The debate: its id or the beginning of it, @2 for the last but one [default: the last debate];
    /// and the question.
    #[arg(value_names = ["ID", "QUESTION"], num_args = 1..=2, required = true)]
    pub words: Vec<String>,
    /// Who answers, as in `roundtable debate` [default: the same table]
    #[arg(short, long, value_name = "AGENTS", value_delimiter = ',')]
    pub agents: Vec<String>,
    /// How to hold it [default: as before]
    #[arg(short, long, value_name = "MODE")]
    pub mode: Option<String>,
    /// How many rounds, 1 to 20.
    #[arg(short, long, value_name = "N")]
    pub rounds: Option<String>,
    /// A file or folder to put before every agent, as data.
    #[arg(short, long, value_name = "PATH")]
    pub context: Vec<PathBuf>,
    /// The most it may cost, in USD.
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

pub async fn ask(config: &Config, args: AskArgs) -> CommandEnd {
    let mut words = args.words.into_iter();
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let (after, topic) = match second {
        Some(question) => (first, question),
        None => (follow_up::last(config).await?, first),
    };
    let order = Order {
        after: Some(after),
        topic: Some(topic),
        agents: args.agents,
        mode: args.mode,
        rounds: args.rounds,
        context: args.context,
        budget: args.budget,
        script: args.script,
        ..Order::default()
    };
    debate::hold_order(config, order, Show::of(args.json, args.quiet)).await
}
