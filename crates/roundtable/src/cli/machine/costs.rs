//! `roundtable costs`: the spending, as tables.

use std::fmt::Write as _;

use clap::Args;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::command::CommandEnd;
use crate::document::escape::clean_line;
use crate::terminal::page::{BOLD, DIM, NAME, count};
use crate::terminal::pager;
use engine::config::Config;
use engine::error::EngineError;
use engine::sessions::costs::{self, CostTotal};
use engine::spelling::did_you_mean;

const WAYS: [&str; 4] = ["day", "provider", "model", "debate"];

/// Show what was spent, by day, provider, model and debate.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable costs
  roundtable costs --by model
  roundtable costs --by day --json

Days are in UTC. A call that was cut off may have been billed; it is listed apart, with the worst \
it can have cost, and counts against budgets.")]
pub struct CostsArgs {
    /// Only by this: day, provider, model or debate.
    #[arg(long, value_name = "WAY")]
    pub by: Option<String>,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn costs(config: &Config, args: CostsArgs) -> CommandEnd {
    if let Some(by) = args.by.as_deref().filter(|by| !WAYS.contains(by)) {
        let hint = did_you_mean(by, &WAYS);
        return Err(EngineError::input(format!("--by: {by:?} is unknown; {hint}")).into());
    }
    let overview = costs::overview(config).await?;
    let ways = WAYS.into_iter().zip([
        &overview.by_day,
        &overview.by_provider,
        &overview.by_model,
        &overview.by_debate,
    ]);
    let chosen = ways.filter(|(way, _)| args.by.as_deref().is_none_or(|by| by == *way));
    let text = match (args.json, args.by.is_some()) {
        (false, _) => chosen.map(|(way, lines)| table(way, lines)).collect::<String>(),
        (true, false) => format!("{:#}\n", json!(overview)),
        (true, true) => {
            let lines: Vec<_> = chosen.flat_map(|(_, lines)| lines).collect();
            format!("{:#}\n", json!(lines))
        }
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

fn table(way: &str, lines: &[CostTotal]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{BOLD}By {way}{BOLD:#}");
    if lines.is_empty() {
        let _ = writeln!(out, "  {DIM}nothing yet{DIM:#}");
    }
    let widest = lines.iter().map(|line| line.key.chars().count()).max().unwrap_or(0);
    for line in lines {
        let _ = writeln!(
            out,
            "  {NAME}{:<widest$}{NAME:#}  {:>9}  {DIM}{}{DIM:#}",
            clean_line(&line.key),
            line.spent().to_string(),
            remarks(line),
        );
    }
    out
}

fn remarks(line: &CostTotal) -> String {
    let mut all = vec![count(usize::try_from(line.calls).unwrap_or(usize::MAX), "call")];
    if line.unpriced_calls > 0 {
        all.push(format!("{} without a known price", line.unpriced_calls));
    }
    if line.cached_tokens > 0 {
        let share = 100 * line.cached_tokens / line.input_tokens.max(1);
        all.push(format!("{share} % of the input from caches, ${:.4} saved", line.saved_usd));
    }
    if line.held_usd > 0.0 {
        all.push(format!("${:.4} reserved for calls in flight", line.held_usd));
    }
    if line.ambiguous_calls > 0 && line.possibly_billed_usd > 0.0 {
        all.push(format!(
            "{} without an answer, possibly billed up to ${:.4}",
            line.ambiguous_calls, line.possibly_billed_usd
        ));
    }
    all.join(" · ")
}
