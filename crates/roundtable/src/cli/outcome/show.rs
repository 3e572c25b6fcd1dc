//! `roundtable outcome show`.

use clap::Args;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::FormatArgs;
use crate::cli::command::CommandEnd;
use crate::report::learning as shown;
use crate::terminal::out;
use engine::config::Config;
use engine::outcomes::{post_mortem, track};

/// Show the post-mortem of a decision, or what was noted so far.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable outcome show 0199")]
pub struct OutcomeShowArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
    #[command(flatten)]
    pub format: FormatArgs,
}

pub async fn show(config: &Config, args: OutcomeShowArgs) -> CommandEnd {
    let decided = track::decided(config, &args.id).await?;
    decided.store.close().await;
    let text = match decided.book.assessed {
        Some(_) => {
            let report = post_mortem::report(config, &decided.id).await?;
            args.format.shown(&shown::post_mortem(&report), &json!(report))
        }
        None => {
            let topic = &decided.debate.room().brief.topic;
            args.format.shown(&shown::book(topic, &decided.book), &json!(decided.book))
        }
    };
    out::print(&text)?;
    Ok(ExitStatus::Done)
}
