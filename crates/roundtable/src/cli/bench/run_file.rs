//! The results of a run as a file: JSON with everything, CSV with one row per debate,
//! Markdown with one table per scenario.

use std::path::Path;

use engine::error::EngineError;
use lab::export::{as_json, short, sources, summaries};
use lab::metrics::FIGURES;
use lab::runs::BenchRun;
use lab::statistics::IntervalEstimate;

use crate::document::Document;
use crate::document::escape::cell;
use crate::document::words::count;

/// One row per debate.
fn as_csv(run: &BenchRun) -> String {
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

fn as_markdown(run: &BenchRun) -> String {
    let mut document = Document::new(run.head.name.clone());
    document.text(format!(
        "{} by {}.",
        count(run.held().count(), "debate"),
        sources(&run.head.plan)
    ));
    for summary in summaries(run) {
        document.heading(
            2,
            format!(
                "{} ({}, {})",
                summary.scenario,
                summary.mode,
                count(summary.debates, "debate")
            ),
        );
        let row = |figure: &lab::export::FigureSummary| {
            let IntervalEstimate { value, low, high } = figure.estimate;
            let interval = match (low, high) {
                (Some(low), Some(high)) => format!("{} to {}", short(low), short(high)),
                _ => "the same in all".into(),
            };
            vec![figure.title.to_owned(), short(value), interval]
        };
        let rows = summary.figures.iter().map(row).collect();
        document.table(&["figure", "mean", "95 % interval"], rows);
    }
    let failed = run.failed().into_iter().map(|(label, why)| format!("Failed: {label}: {why}"));
    document.list(failed.collect());
    document.to_markdown()
}

/// Writes a run to a file in the form its name ends in.
pub fn write(run: &BenchRun, path: &Path) -> Result<(), EngineError> {
    let text = match form(path)? {
        RunFileFormat::Json => format!("{:#}\n", as_json(run)),
        RunFileFormat::Csv => as_csv(run),
        RunFileFormat::Markdown => as_markdown(run),
    };
    std::fs::write(path, text)
        .map_err(|error| EngineError::input(format!("cannot write {}: {error}", path.display())))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunFileFormat {
    Json,
    Csv,
    Markdown,
}

/// Asked before a run, so that a slip is not found after it.
pub fn form(path: &Path) -> Result<RunFileFormat, EngineError> {
    let ending = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("json") => Ok(RunFileFormat::Json),
        Some("csv") => Ok(RunFileFormat::Csv),
        Some("md" | "markdown") => Ok(RunFileFormat::Markdown),
        _ => Err(EngineError::input(format!(
            "--export: {} must end in .json, .csv or .md",
            path.display()
        ))),
    }
}
