//! `roundtable learning`: the lessons of earlier outcomes, how they came to be, and
//! lessons as a file.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use debate::model::counted;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::{FormatArgs, read, write_new};
use crate::cli::command::CommandEnd;
use crate::report::learning as shown;
use crate::terminal::out;
use engine::config::Config;
use engine::outcomes::{lessons as operation, lessons_file};

/// Show what earlier outcomes taught: weights, agents, confidence, questions.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  roundtable learning
  roundtable learning --domain api-design --markdown
  roundtable learning --explain PRECEDENT
  roundtable learning export lessons.json
  roundtable learning import lessons.json

Nothing is learned from a debate that nobody judged; see `roundtable outcome`."
)]
pub struct LearningArgs {
    #[command(subcommand)]
    pub command: Option<LearningCommand>,
    /// Only this domain.
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
    /// Every change behind an evidence type, an agent, a question or a judged debate; or all.
    #[arg(long, value_name = "WHAT")]
    pub explain: Option<String>,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Debug, Subcommand)]
pub enum LearningCommand {
    /// Write your outcomes to a file for others; no word of any debate is in it.
    #[command(after_help = "\
Examples:
  roundtable learning export lessons.json --domain api-design")]
    Export {
        /// Where to; nothing may be there yet. Standard output without it.
        file: Option<PathBuf>,
        /// Only this domain.
        #[arg(long, value_name = "DOMAIN")]
        domain: Option<String>,
    },
    /// Take in the outcomes of somebody else; each counts half of one of yours.
    #[command(after_help = "\
Examples:
  roundtable learning import lessons.json")]
    Import {
        /// A file that `roundtable learning export` wrote; - reads standard input.
        file: PathBuf,
    },
    /// Read every post-mortem once more and compute everything from the outcomes.
    #[command(after_help = "\
Examples:
  roundtable learning recompute")]
    Recompute {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
}

pub async fn learning(config: &Config, args: LearningArgs) -> CommandEnd {
    let domain = args.domain.as_deref();
    match (args.command, args.explain) {
        (Some(command), _) => return carry_out(config, command).await,
        (None, Some(what)) => {
            let changes = operation::explain(config, &what, domain).await?;
            let document = shown::changes(&what, &changes);
            out::print(&args.format.shown(&document, &json!(changes)))?;
        }
        (None, None) => {
            let report = operation::report(config, domain).await?;
            out::print(&args.format.shown(&shown::learning(&report), &json!(report)))?;
        }
    }
    Ok(ExitStatus::Done)
}

async fn carry_out(config: &Config, command: LearningCommand) -> CommandEnd {
    match command {
        LearningCommand::Export { file, domain } => {
            let lessons = lessons_file::export(config, domain.as_deref()).await?;
            let text = format!("{:#}\n", json!(lessons));
            match file {
                None => out::print(&text)?,
                Some(file) => {
                    write_new(&file, &text)?;
                    let number = counted(lessons.outcomes.len(), "outcome");
                    out::note(&format!("Wrote {number} to {}.", file.display()));
                }
            }
        }
        LearningCommand::Import { file } => {
            let done = lessons_file::import(config, &read(&file)?).await?;
            out::note(&format!(
                "Imported {}; already known: {}.",
                counted(done.taken, "outcome"),
                done.known
            ));
        }
        LearningCommand::Recompute { json } => {
            let done = operation::recompute(config).await?;
            out::print(&if json {
                format!("{:#}\n", json!(done))
            } else {
                shown::recomputed(&done)
            })?;
        }
    }
    Ok(ExitStatus::Done)
}
