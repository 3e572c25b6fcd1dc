//! Measurements as tables: runs, comparisons and question sets. Every number stands with what it was measured on.

use std::fmt::Write as _;

use crate::document::escape::clean_line;
use crate::terminal::page::Page;
use crate::terminal::page::{BOLD, DIM, WARN, count};
use lab::compare::{Comparison, ModeComparison};
use lab::export::{self, short};
use lab::run::BenchEnd;
use lab::runs::BenchRun;
use lab::scenario::Scenario;
use lab::statistics::IntervalEstimate;

/// The scenarios that come with the program.
pub fn scenarios(all: &[Scenario]) -> String {
    let mut out = String::new();
    for scenario in all {
        let _ = writeln!(out, "{BOLD}{:<30}{BOLD:#}{}", scenario.name, clean_line(&scenario.about));
    }
    let _ = writeln!(
        out,
        "\nGroups: baseline, parallel, all. Run some with `roundtable bench run devils-advocate-baseline \
         devils-advocate-parallel`."
    );
    out
}

pub fn run_names(names: &[String]) -> String {
    match names {
        [] => "No run has been made yet. Make one with `roundtable bench run SCENARIO`.\n".into(),
        names => names.iter().map(|name| format!("{}\n", clean_line(name))).collect(),
    }
}

/// A figure with its interval.
pub fn with_interval(estimate: &IntervalEstimate) -> String {
    match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => {
            format!("{} ({} to {})", short(estimate.value), short(low), short(high))
        }
        _ => short(estimate.value),
    }
}

pub fn run(page: Page, run: &BenchRun, ended: Option<&BenchEnd>) -> String {
    let mut out = String::new();
    let head = &run.head;
    let all = head.plan.units().len();
    let _ = writeln!(
        out,
        "{BOLD}{}{BOLD:#}: {} of {} by {}",
        clean_line(&head.name),
        run.held().count(),
        count(all, "debate"),
        export::sources(&head.plan)
    );
    for summary in export::summaries(run) {
        let title = format!(
            "{} · {} · {}",
            summary.scenario,
            summary.mode,
            count(summary.debates, "debate")
        );
        page.heading(&mut out, &title);
        for figure in &summary.figures {
            let _ = writeln!(out, "  {:<24}{}", figure.title, with_interval(&figure.estimate));
        }
        let list = |values: &[f64]| match values {
            [] => "unknown".to_owned(),
            values => values.iter().map(|value| short(*value)).collect::<Vec<_>>().join(", "),
        };
        let _ = writeln!(out, "  {:<24}{}", "latency by round, ms", list(&summary.per_round_ms));
        let _ = writeln!(out, "  {:<24}{}", "tokens by round", list(&summary.tokens_per_round));
        for agent in &summary.per_agent {
            let tokens = agent.tokens.map_or("unknown".into(), short);
            let said = format!(
                "{} ms, {tokens} tokens, {} tool calls",
                short(agent.latency_ms),
                short(agent.tool_calls)
            );
            let _ = writeln!(out, "  {:<24}{said}", clean_line(&agent.agent));
        }
    }
    for (label, why) in run.failed() {
        page.item(&mut out, "", "!", &format!("{label} failed: {why}"));
    }
    match ended {
        Some(BenchEnd::AtCap(why)) => {
            let _ = writeln!(out, "\n{WARN}The money cap is reached.{WARN:#}");
            page.paragraph(&mut out, "", why);
            let _ = writeln!(
                out,
                "Resume with: roundtable bench run --resume {} --cap USD",
                clean_line(&head.name)
            );
        }
        Some(BenchEnd::Interrupted) => {
            let name = clean_line(&head.name);
            let _ = writeln!(out, "\nResume with: roundtable bench run --resume {name}");
        }
        Some(BenchEnd::Whole) | None => {
            if run.spent_usd() > 0.0 {
                let _ = writeln!(out, "\nIn all ${:.4}.", run.spent_usd());
            }
        }
    }
    out
}

pub fn compared(page: Page, comparison: &Comparison) -> String {
    let mut out = format!(
        "{BOLD}{} → {}: {}{BOLD:#}\n",
        clean_line(&comparison.baseline),
        clean_line(&comparison.variant),
        comparison.recommendation.word()
    );
    for condition in &comparison.conditions {
        page.item(&mut out, "  ", "·", condition);
    }
    page.paragraph(&mut out, "", &comparison.rollback);
    for part in &comparison.parts {
        out.push_str(&compared_part(page, part));
    }
    for note in &comparison.notes {
        out.push('\n');
        page.paragraph(&mut out, "", note);
    }
    out
}

fn compared_part(page: Page, part: &ModeComparison) -> String {
    let mut out = String::new();
    page.heading(&mut out, &format!("{}: {}", part.mode, part.recommendation.word()));
    for reason in &part.reasons {
        page.item(&mut out, "  ", "·", reason);
    }
    let paired = if part.paired { "paired by topic and seed" } else { "not paired" };
    let _ = writeln!(
        out,
        "  {DIM}{} against {}, {paired}; 95 % intervals{DIM:#}",
        part.baseline_debates, part.variant_debates
    );
    let percent = |estimate: &Option<IntervalEstimate>| {
        estimate.as_ref().map_or("not known".into(), |e| match (e.low, e.high) {
            (Some(low), Some(high)) => format!("{:+.1} % ({low:+.1} to {high:+.1})", e.value),
            _ => format!("{:+.1} %", e.value),
        })
    };
    let delta = &part.delta;
    let _ = writeln!(out, "  latency reduction       {}", percent(&delta.latency_reduction));
    let _ = writeln!(out, "  interaction change      {}", percent(&delta.interaction_change));
    if let (Some(score), Some(change)) = (delta.quality_score, &delta.quality_change) {
        let _ =
            writeln!(out, "  quality score           {score:.3}, change {}", with_interval(change));
    }
    let _ = writeln!(out, "\n  {:<24}{:>12}{:>12}  change", "", "before", "after");
    for figure in &part.figures {
        let change = figure.change.as_ref().map(with_interval).unwrap_or_default();
        let _ = writeln!(
            out,
            "  {:<24}{:>12}{:>12}  {change}",
            figure.title,
            short(figure.baseline),
            short(figure.variant)
        );
    }
    out
}
