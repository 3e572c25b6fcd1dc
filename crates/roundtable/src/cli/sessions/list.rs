//! `roundtable list`.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use clap::Args;
use debate::model::{MicroUsd, Verdict};
use serde_json::{Value, json};

use crate::cli::ExitStatus;
use crate::cli::arguments::clean_json;
use crate::cli::command::CommandEnd;
use crate::document::escape::clean_line;
use crate::document::words::{local_time, short_id};
use crate::terminal::line::cut;
use crate::terminal::page::{DIM, Page, WARN, count};
use crate::terminal::{out, pager};
use engine::config::Config;
use engine::nouns::{ListFilter, ListedDebate};
use engine::sessions::follow_up::{self, DebateLinks};
use engine::sessions::list::{self as listed, SessionFilter};

/// List debates, newest first, with what was decided.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable list --status completed --since 7d
  roundtable list --search \"module boundaries\" --json
  roundtable list --mode delphi --agent ollama/qwen3 --until 2026-12-01")]
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
    /// Only debates of this domain, given or named by the clerk.
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
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
        domain: args.domain,
        search: args.search,
        since: args.since,
        until: args.until,
        limit: Some(args.limit),
    };
    let filter = listed::filter(&wanted)?;
    let filtered = ListFilter { limit: None, ..filter.clone() } != Default::default();
    let rows = listed::list(config, &filter).await?;
    let seen = ListFacts {
        cut_off: listed::unattended(config).await?,
        verdicts: listed::verdicts(config, &rows).await?,
        numbered: !filtered,
        links: follow_up::links(config).await?,
    };
    let text = if args.json {
        let values: Vec<_> = rows.iter().map(|row| session_json(row, &seen)).collect();
        clean_json(&json!(values))
    } else if rows.is_empty() && filtered {
        "No debate matches.\n".into()
    } else {
        sessions(out::page(), &rows, &seen)
    };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

/// The most letters of a topic or a decision.
const LISTED_TEXT: usize = 160;

/// What is known of the listed debates besides their rows.
struct ListFacts {
    /// Active debates that no process runs.
    cut_off: HashSet<String>,
    verdicts: HashMap<String, Box<Verdict>>,
    /// All debates are listed, so that a place in the list names one.
    numbered: bool,
    links: DebateLinks,
}

fn sessions(page: Page, listed: &[ListedDebate], seen: &ListFacts) -> String {
    let mut out = String::new();
    if listed.is_empty() {
        return "No debates yet. Hold one with: roundtable \"YOUR QUESTION\"\n".into();
    }
    for (row, place) in listed.iter().zip(1..) {
        let id = short_id(&row.id);
        let place =
            if seen.numbered { format!("{:<4}", format!("@{place}")) } else { String::new() };
        page.named(&mut out, "", &format!("{place}{id}"), &facts(row));
        if seen.cut_off.contains(&row.id) {
            let _ = writeln!(out, "    {WARN}{}{WARN:#}", nobody_runs(id));
        }
        page.paragraph(&mut out, "    ", &cut(&clean_line(&row.topic), LISTED_TEXT));
        if let Some(card) = seen.verdicts.get(&row.id).map(|verdict| &verdict.card) {
            let decision = cut(&clean_line(&card.decision), LISTED_TEXT);
            page.item(&mut out, "    ", "→", &format!("{}: {decision}", card.action.title()));
        }
        if let Some(earlier) = &row.after {
            let _ = writeln!(out, "    {DIM}after {}{DIM:#}", short_id(earlier));
        }
        if let Some(later) = seen.links.get(&row.id) {
            let later: Vec<&str> = later.iter().map(|id| short_id(id)).collect();
            let _ = writeln!(out, "    {DIM}followed by {}{DIM:#}", later.join(", "));
        }
    }
    out
}

/// When, how far, how, by whom and for how much.
fn facts(row: &ListedDebate) -> String {
    let cost = match (row.cost_micro, row.unpriced_calls) {
        (0, 0) if row.rounds_done == 0 => None,
        (0, 0) => Some("free".into()),
        (0, _) => Some("price not known".into()),
        (cost, _) => Some(MicroUsd(cost).to_string()),
    };
    let mut facts = vec![
        local_time(row.created),
        row.status.clone(),
        clean_line(&row.mode),
        count(row.rounds_done as usize, "round"),
        clean_line(&row.agents.join(", ")),
    ];
    facts.extend(cost);
    facts.retain(|fact| !fact.is_empty());
    facts.join(" · ")
}

fn session_json(row: &ListedDebate, seen: &ListFacts) -> Value {
    let card = seen.verdicts.get(&row.id).map(|verdict| &verdict.card);
    json!({
        "cutOff": seen.cut_off.contains(&row.id),
        "id": row.id,
        "topic": row.topic,
        "decision": card.map(|card| &card.decision),
        "action": card.map(|card| card.action),
        "mode": row.mode,
        "agents": row.agents,
        "status": row.status,
        "rounds": row.rounds,
        "roundsDone": row.rounds_done,
        "costUsd": row.cost_micro as f64 / 1e6,
        "unpricedCalls": row.unpriced_calls,
        "created": row.created,
        "updated": row.updated,
        "after": row.after,
        "followedBy": seen.links.get(&row.id).into_iter().flatten().collect::<Vec<_>>(),
    })
}

/// The notice for an active debate that no process runs.
pub fn nobody_runs(id: &str) -> String {
    format!("cut off: no process runs it. Resume with: roundtable resume {id}")
}
