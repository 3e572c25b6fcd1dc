//! `roundtable compare`: two debates side by side.

use std::fmt::Write as _;

use clap::Args;
use debate::model::*;
use serde_json::json;

use crate::cli::ExitStatus;
use crate::cli::arguments::clean_json;
use crate::cli::command::CommandEnd;
use crate::document::escape::clean_line;
use crate::terminal::page::{BOLD, DIM, NAME, Page, count};
use crate::terminal::{out, pager};
use engine::config::Config;
use engine::sessions::compare::{ComparedDebate, ComparedVotes, DebateComparison, compare};

/// Set two debates side by side: verdicts, votes, evidence and cost.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  roundtable compare 0199 01a0
  roundtable compare 0199 01a0 --json")]
pub struct CompareArgs {
    /// The debate to measure against, by id or enough of it.
    pub first: String,
    /// The debate to measure, by id or enough of it.
    pub second: String,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

pub async fn run(config: &Config, args: CompareArgs) -> CommandEnd {
    let compared = compare(config, &args.first, &args.second).await?;
    let text =
        if args.json { clean_json(&json!(compared)) } else { comparison(out::page(), &compared) };
    pager::show(config.environment.pager().as_ref(), &text)?;
    Ok(ExitStatus::Done)
}

/// Two debates side by side. A figure that one of them lacks is not shown.
pub fn comparison(page: Page, compared: &DebateComparison) -> String {
    let mut out = String::new();
    for (name, side) in [("first", &compared.first), ("second", &compared.second)] {
        let facts = format!("{name} ({}, {})", side.mode, count(side.rounds, "round"));
        let _ = writeln!(out, "{BOLD}{facts}{BOLD:#} {DIM}{}{DIM:#}", side.id);
        if compared.first.topic != compared.second.topic {
            page.paragraph(&mut out, "  ", &side.topic);
        }
        let answer = side.decision.as_ref().map_or("no verdict yet", |one| one.answer.as_str());
        page.item(&mut out, "  ", "→", answer);
        for (name, votes) in [("first vote:", &side.first_vote), ("final vote:", &side.final_vote)]
        {
            vote(page, &mut out, name, votes);
        }
        let kinds: Vec<String> =
            side.evidence.iter().map(|(kind, count)| format!("{count} {}", kind.word())).collect();
        if !kinds.is_empty() {
            page.item(&mut out, "  ", "claims rest on:", &kinds.join(", "));
        }
    }
    figures(&mut out, compared);
    let sources = &compared.sources;
    for (name, list) in [
        ("Sources of both", &sources.both),
        ("Only the first", &sources.only_first),
        ("Only the second", &sources.only_second),
    ] {
        if !list.is_empty() {
            let _ = writeln!(out, "\n{BOLD}{name}{BOLD:#}");
            list.iter().for_each(|title| page.item(&mut out, "  ", "§", title));
        }
    }
    gain(&mut out, &compared.gain);
    out
}

fn vote(page: Page, out: &mut String, name: &str, votes: &[ComparedVotes]) {
    let parts: Vec<String> = votes
        .iter()
        .map(|one| {
            let line = clean_line(&one.answer);
            let mut short: String = line.chars().take(60).collect();
            short.push_str(if short.len() < line.len() { "…" } else { "" });
            format!("{short} ({})", one.agents.join(", "))
        })
        .collect();
    if !parts.is_empty() {
        page.item(out, "  ", name, &parts.join("; "));
    }
}

fn figures(out: &mut String, compared: &DebateComparison) {
    let share = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.2}"));
    let decision = |side: &ComparedDebate, of: fn(&DecisionLayer) -> Option<f64>| {
        share(side.decision.as_ref().and_then(of))
    };
    let action = |side: &ComparedDebate| {
        let decided = side.decision.as_ref();
        decided.map_or("–", |one| one.action_recommendation.word()).to_string()
    };
    let cost = |side: &ComparedDebate| match side.unpriced_calls {
        0 => format!("${:.4}", side.cost_usd),
        some => format!("${:.4} + {some} unpriced", side.cost_usd),
    };
    type ComparedFigure<'a> = (&'a str, &'a dyn Fn(&ComparedDebate) -> String);
    let rows: [ComparedFigure<'_>; 11] = [
        ("recommendation", &action),
        ("agreement", &|side| decision(side, |one| one.agreement_score)),
        ("weighed vote", &|side| decision(side, |one| one.probability)),
        ("changes of mind", &|side| side.changes_of_mind.to_string()),
        ("claims", &|side| side.claims.to_string()),
        ("still contested", &|side| side.contested_claims.to_string()),
        ("sources", &|side| side.sources.to_string()),
        ("missed answers", &|side| side.missed_answers.to_string()),
        ("calls", &|side| side.calls.to_string()),
        ("tokens", &|side| side.tokens.map_or("–".into(), |tokens| tokens.to_string())),
        ("cost", &cost),
    ];
    let _ = writeln!(out, "\n  {:<18} {BOLD}{:<22} second{BOLD:#}", "", "first");
    for (name, of) in rows {
        let (first, second) = (of(&compared.first), of(&compared.second));
        let _ = writeln!(out, "  {NAME}{name:<18}{NAME:#} {first:<22} {second}");
    }
}

fn gain(out: &mut String, gain: &DepthComparison) {
    let _ = writeln!(out, "\n{BOLD}Differences of the second from the first{BOLD:#}");
    let rows = [
        ("depth of reasoning", gain.quality),
        ("diversity of arguments", gain.diversity),
        ("confidence in the decision", gain.confidence),
    ];
    for (name, by) in rows {
        let by = by.map_or_else(|| "not known".into(), |by| format!("{by:+.2}"));
        let _ = writeln!(out, "  {name:<28} {by}");
    }
    let cost = gain.cost_multiple;
    let cost = cost.map_or_else(|| "not known".into(), |times| format!("{times:.1} times"));
    let _ = writeln!(out, "  {:<28} {cost}", "cost");
}
