//! `roundtable outcome track`.

use clap::Args;
use serde_json::json;

use super::print;
use crate::cli::command::CommandEnd;
use crate::report::learning as shown;
use engine::config::Config;
use engine::outcomes::track::{self, EntryForm};
use engine::sessions::list;

/// Add a dated entry to a decision, or set the day on which to ask about it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable outcome track 0199 --status on_track --event \"spec defined\"
  roundtable outcome track 0199 --status blocked --event \"no filter\" --surprise 0.7
  roundtable outcome track 0199 --ask-on 2027-03-01")]
pub struct OutcomeTrackArgs {
    /// The debate: its id or the beginning of it; @2 is the last but one [default: the last debate]
    #[arg(default_value = "@1", hide_default_value = true)]
    pub id: String,
    /// How it goes: on_track, new_requirement, technical_debt, blocked, completed, abandoned, reversed.
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// What happened, in a few words.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub event: String,
    /// More about it.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub note: String,
    /// What it means for the work.
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub impact: String,
    /// What it cost, such as "3 days".
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub time_cost: String,
    /// How unexpected it was, 0 to 1.
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub surprise: Option<f64>,
    /// When it happened, as YYYY-MM-DD [default: today]
    #[arg(long, value_name = "DATE")]
    pub on: Option<String>,
    /// The day on which to ask how it turned out, as YYYY-MM-DD; never takes it back.
    #[arg(long, value_name = "DATE")]
    pub ask_on: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn track(config: &Config, args: OutcomeTrackArgs) -> CommandEnd {
    let form = EntryForm {
        on: args.on,
        status: args.status,
        event: args.event,
        note: args.note,
        impact: args.impact,
        time_cost: args.time_cost,
        surprise: args.surprise,
        ask_on: args.ask_on,
    };
    let book = track::track(config, &args.id, &form).await?;
    let topic = list::show(config, &book.debate).await?.debate.room().brief.topic.clone();
    print(&shown::book(&topic, &book), &json!(book), args.json)
}
