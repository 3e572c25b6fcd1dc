//! `roundtable agents`: the models that were found.

use std::fmt::Write as _;

use clap::Args;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::pretty;
use crate::cli::command::CommandEnd;
use crate::terminal::page::{DIM, GOOD, NAME, Page};
use crate::terminal::{out, pager};
use engine::config::Config;
use engine::machine::found;
use engine::table::seats;

/// Room for a sign and a name before what is said of it.
const PLACE: &str = "             ";

/// Show which models were found and how to add more.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable agents
  roundtable agents --json")]
pub struct AgentsArgs {
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn agents(config: &Config, args: AgentsArgs) -> CommandEnd {
    let outside = seats::outside(config)?;
    let lines = found::overview(&outside).await;
    let text = if args.json { pretty(&json!(lines)) } else { found_agents(out::page(), &lines) };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

pub fn found_agents(page: Page, lines: &[found::FoundProvider]) -> String {
    let mut out = String::new();
    for line in lines {
        let (sign, style) = if line.ready { ("●", GOOD) } else { ("○", DIM) };
        let mut note = String::new();
        page.item(&mut note, "", PLACE, &line.note);
        // The place is kept free for what is styled.
        let note = note.get(PLACE.len() + 1..).unwrap_or_default().trim_end();
        let _ = writeln!(
            out,
            "{style}{sign}{style:#} {NAME}{:<11}{NAME:#} {DIM}{note}{DIM:#}",
            line.provider,
        );
        for model in &line.models {
            page.item(&mut out, "    ", "·", &format!("{}/{model}", line.provider));
        }
    }
    if !lines.iter().any(|line| line.ready) {
        page.paragraph(
            &mut out,
            "",
            "No model is ready. Start a local server such as Ollama, or keep a key with \
             `roundtable config set-key PROVIDER`, then name agents with --agents PROVIDER/MODEL.",
        );
    }
    out
}
