//! The results of a run for other programs and for reports: JSON with
//! everything, CSV with one row per debate, Markdown with one table per
//! scenario.

use std::path::Path;

use debate::model::counted;
use serde::Serialize;
use serde_json::{Value, json};

use crate::metrics::{FIGURES, Metrics};
use crate::run::Plan;
use crate::runs::BenchRun;
use crate::statistics::{FEWER_RESAMPLES, IntervalEstimate, bootstrap, mean};
use engine::error::EngineError;

const SEED: u64 = 1;

/// The figures of one scenario over its debates.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub scenario: String,
    pub mode: String,
    pub debates: usize,
    pub figures: Vec<FigureSummary>,
    /// Means; a round that only some debates had counts for those.
    pub per_round_ms: Vec<f64>,
    pub tokens_per_round: Vec<f64>,
    pub per_agent: Vec<PerAgent>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PerAgent {
    pub agent: String,
    pub latency_ms: f64,
    pub tokens: Option<f64>,
    pub tool_calls: f64,
}

/// The mean of every place over lists of different length.
fn by_place(lists: &[Vec<f64>]) -> Vec<f64> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest)
        .filter_map(|at| mean(lists.iter().filter_map(|list| list.get(at).copied())))
        .collect()
}

fn per_agent(metrics: &[&Metrics]) -> Vec<PerAgent> {
    let names = metrics.first().map(|one| one.latency.per_agent_ms.keys()).into_iter().flatten();
    let of = |name: &String| {
        let latency = metrics.iter().filter_map(|one| one.latency.per_agent_ms.get(name));
        let tools = metrics.iter().filter_map(|one| one.content.tool_calls_per_agent.get(name));
        let tokens = metrics.iter().filter_map(|one| *one.effort.tokens_per_agent.get(name)?);
        PerAgent {
            agent: name.clone(),
            latency_ms: mean(latency.map(|ms| *ms as f64)).unwrap_or_default(),
            tokens: mean(tokens.map(|tokens| tokens as f64)),
            tool_calls: mean(tools.map(|calls| *calls as f64)).unwrap_or_default(),
        }
    };
    names.map(of).collect()
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FigureSummary {
    pub name: &'static str,
    #[serde(skip)]
    pub title: &'static str,
    #[serde(flatten)]
    pub estimate: IntervalEstimate,
}

pub fn summaries(run: &BenchRun) -> Vec<Summary> {
    let summary = |name: &str| {
        let held: Vec<_> = run.held().filter(|held| held.scenario == name).collect();
        let first = held.first()?;
        let metrics: Vec<&Metrics> = held.iter().map(|held| &held.metrics).collect();
        let figures = FIGURES.iter().filter_map(|figure| {
            let values: Vec<f64> = metrics.iter().filter_map(|one| (figure.of)(one)).collect();
            let alike = values.windows(2).all(|pair| pair.first() == pair.last());
            let estimate = if alike {
                // Nothing varies: drawing would only take time.
                IntervalEstimate { value: mean(values)?, low: None, high: None }
            } else {
                bootstrap(&values, SEED, FEWER_RESAMPLES)?
            };
            Some(FigureSummary { name: figure.name, title: figure.title, estimate })
        });
        Some(Summary {
            scenario: name.into(),
            mode: first.mode.clone(),
            debates: held.len(),
            figures: figures.collect(),
            per_round_ms: by_place(&lists(&metrics, |one| {
                one.latency.per_round_ms.iter().map(|ms| *ms as f64).collect()
            })),
            tokens_per_round: by_place(&lists(&metrics, |one| {
                one.effort.tokens_per_round.iter().flatten().map(|count| *count as f64).collect()
            })),
            per_agent: per_agent(&metrics),
        })
    };
    run.head.plan.scenarios.iter().filter_map(|scenario| summary(&scenario.name)).collect()
}

fn lists(metrics: &[&Metrics], of: fn(&Metrics) -> Vec<f64>) -> Vec<Vec<f64>> {
    metrics.iter().map(|one| of(one)).collect()
}

/// Who spoke in a run, in words.
pub fn sources(plan: &Plan) -> String {
    let mut words: Vec<&str> = Vec::new();
    for scenario in &plan.scenarios {
        let word = plan.source.of(scenario).word();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

pub fn as_json(run: &BenchRun) -> Value {
    let failed: Vec<Value> = run
        .failed()
        .into_iter()
        .map(|(label, why)| json!({ "label": label, "why": why }))
        .collect();
    json!({
        "name": run.head.name,
        "program": run.head.program,
        "source": sources(&run.head.plan),
        "planned": run.head.plan.units().len(),
        "spentUsd": run.spent_usd(),
        "summaries": summaries(run),
        "debates": run.held().collect::<Vec<_>>(),
        "failed": failed,
    })
}

/// One row per debate. A cell that a spreadsheet would take for a formula is
/// marked as text.
pub fn as_csv(run: &BenchRun) -> String {
    let mut out = csv::Writer::from_writer(Vec::new());
    let heads = ["scenario", "mode", "case", "seed", "answer", "exitReason"];
    let names = FIGURES.iter().map(|figure| figure.name);
    let mut rows = vec![heads.into_iter().chain(names).map(str::to_owned).collect::<Vec<_>>()];
    for held in run.held() {
        let words = [
            held.scenario.clone(),
            held.mode.clone(),
            (held.case + 1).to_string(),
            held.seed.to_string(),
            held.answer.clone(),
            held.exit_reason.clone(),
        ];
        let figures = FIGURES.iter().map(|figure| {
            (figure.of)(&held.metrics).map(|value| value.to_string()).unwrap_or_default()
        });
        rows.push(words.iter().map(|word| cell(word)).chain(figures).collect());
    }
    for row in rows {
        // Into memory, which does not fail.
        let _ = out.write_record(&row);
    }
    String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn cell(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

pub fn as_markdown(run: &BenchRun) -> String {
    let mut out = format!(
        "# {}\n\n{} by {}.\n",
        escaped(&run.head.name),
        counted(run.held().count(), "debate"),
        sources(&run.head.plan)
    );
    for summary in summaries(run) {
        out.push_str(&format!(
            "\n## {} ({}, {})\n\n| figure | mean | 95 % interval |\n|---|---:|---|\n",
            escaped(&summary.scenario),
            escaped(&summary.mode),
            counted(summary.debates, "debate")
        ));
        for figure in &summary.figures {
            let IntervalEstimate { value, low, high } = figure.estimate;
            let interval = match (low, high) {
                (Some(low), Some(high)) => format!("{} to {}", short(low), short(high)),
                _ => "the same in all".into(),
            };
            out.push_str(&format!("| {} | {} | {interval} |\n", figure.title, short(value)));
        }
    }
    for (label, why) in run.failed() {
        out.push_str(&format!("\nFailed: {}: {}\n", escaped(label), escaped(why)));
    }
    out
}

/// A number with as many decimals as it can use.
pub fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        large if large >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        middle if middle >= 1.0 => format!("{value:.2}"),
        small if small >= 0.001 => format!("{value:.3}"),
        _ => format!("{value:.6}"),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '|' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '#' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Writes a run to a file in the form its name ends in.
pub fn write(run: &BenchRun, path: &Path) -> Result<(), EngineError> {
    let text = match form(path)? {
        ExportForm::Json => format!("{:#}\n", as_json(run)),
        ExportForm::Csv => as_csv(run),
        ExportForm::Markdown => as_markdown(run),
    };
    std::fs::write(path, text)
        .map_err(|error| EngineError::input(format!("cannot write {}: {error}", path.display())))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    Json,
    Csv,
    Markdown,
}

/// Asked before a run, so that a slip is not found after it.
pub fn form(path: &Path) -> Result<ExportForm, EngineError> {
    let ending = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("json") => Ok(ExportForm::Json),
        Some("csv") => Ok(ExportForm::Csv),
        Some("md" | "markdown") => Ok(ExportForm::Markdown),
        _ => Err(EngineError::input(format!(
            "--export: {} must end in .json, .csv or .md",
            path.display()
        ))),
    }
}
