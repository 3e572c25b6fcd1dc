//! `roundtable sessions list`.

use std::collections::HashSet;
use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::ExitStatus;
use crate::cli::arguments::clean_json;
use crate::cli::command::CommandEnd;
use crate::document::escape::clean_line;
use crate::terminal::line::cut;
use crate::terminal::page::{DIM, NAME, Page, WARN, count, when};
use crate::terminal::{out, pager};
use engine::config::Config;
use engine::nouns::{ListFilter, ListedDebate};
use engine::sessions::follow_up::{self, DebateLinks};
use engine::sessions::list::{self as listed, SessionFilter};

/// List debates, newest first.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable sessions list --status completed --since 7d
  roundtable sessions list --search \"module boundaries\" --json
  roundtable sessions list --mode delphi --agent ollama/qwen3 --until 2026-12-01")]
pub struct SessionsListArgs {
    /// Only debates of this status: created, active, paused, completed, error.
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Only debates held in this mode; see `roundtable modes`.
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Only debates with an agent whose name or PROVIDER/MODEL holds this text.
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Only debates whose topic holds this text, or with an answer that has these words in a row.
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Only debates begun then or later: a date, a moment, or a span such as 12h, 7d, 4w.
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only debates begun before then.
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// At most this many.
    #[arg(long, value_name = "N", default_value = "20", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn list(config: &Config, args: SessionsListArgs) -> CommandEnd {
    let wanted = SessionFilter {
        status: args.status,
        mode: args.mode,
        agent: args.agent,
        search: args.search,
        since: args.since,
        until: args.until,
        limit: Some(args.limit),
    };
    let filter = listed::filter(&wanted)?;
    let filtered = ListFilter { limit: None, ..filter.clone() } != Default::default();
    let rows = listed::list(config, &filter).await?;
    let cut_off = listed::unattended(config).await?;
    let links = follow_up::links(config).await?;
    let text = if args.json {
        let values: Vec<_> = rows
            .iter()
            .map(|row| {
                let mut value = session_json(row, &cut_off);
                value["after"] = json!(row.after);
                value["followedBy"] =
                    json!(links.get(&row.id).into_iter().flatten().collect::<Vec<_>>());
                value
            })
            .collect();
        clean_json(&json!(values))
    } else if rows.is_empty() && filtered {
        "No debate matches.\n".into()
    } else {
        sessions(out::page(), &rows, &cut_off, &links)
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

/// As much of an id as is shown in lists; enough to be unique in practice.
const SHORT_ID: usize = 13;
/// As much of a topic.
const LISTED_TOPIC: usize = 160;
/// `cut_off`: active debates that no process runs.
pub fn sessions(
    page: Page,
    listed: &[ListedDebate],
    cut_off: &HashSet<String>,
    links: &DebateLinks,
) -> String {
    let mut out = String::new();
    if listed.is_empty() {
        return "No debates yet. Hold one with: roundtable debate \"YOUR QUESTION\"\n".into();
    }
    for row in listed {
        let id: String = row.id.chars().take(SHORT_ID).collect();
        let _ = writeln!(
            out,
            "{NAME}{id}{NAME:#}  {DIM}{} · {} · {} · {}{DIM:#}",
            when(row.created),
            row.status,
            clean_line(&row.mode),
            count(row.rounds_done as usize, "round"),
        );
        if cut_off.contains(&row.id) {
            let _ = writeln!(out, "    {WARN}{}{WARN:#}", nobody_runs(&id));
        }
        let topic = cut(&clean_line(&row.topic), LISTED_TOPIC);
        page.paragraph(&mut out, "    ", &topic);
        let short = |id: &String| id.chars().take(SHORT_ID).collect::<String>();
        if let Some(earlier) = &row.after {
            let _ = writeln!(out, "    {DIM}after {}{DIM:#}", short(earlier));
        }
        if let Some(later) = links.get(&row.id) {
            let later: Vec<String> = later.iter().map(short).collect();
            let _ = writeln!(out, "    {DIM}followed by {}{DIM:#}", later.join(", "));
        }
    }
    out
}

pub fn session_json(row: &ListedDebate, cut_off: &HashSet<String>) -> Value {
    json!({
        "cutOff": cut_off.contains(&row.id),
        "id": row.id,
        "topic": row.topic,
        "mode": row.mode,
        "agents": row.agents,
        "status": row.status,
        "rounds": row.rounds,
        "roundsDone": row.rounds_done,
        "costUsd": row.cost_micro as f64 / 1e6,
        "unpricedCalls": row.unpriced_calls,
        "created": row.created,
        "updated": row.updated,
    })
}

/// The notice for an active debate that no process runs.
pub fn nobody_runs(id: &str) -> String {
    format!("cut off: no process runs it. Resume with: roundtable sessions resume {id}")
}
