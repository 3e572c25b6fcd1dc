//! The engine's figures as one table.

use std::fmt::Write as _;

use crate::terminal::page::Page;
use crate::terminal::page::{BOLD, DIM, WARN};
use lab::engine_figures::Figures;

pub fn engine(page: Page, figures: &Figures) -> String {
    let mut out = String::new();
    if !figures.optimised {
        let _ = writeln!(
            out,
            "{WARN}This is a build for development: its times are many times longer. Measure \
             with `cargo run --release -- bench engine`.{WARN:#}"
        );
    }
    let _ = writeln!(
        out,
        "Roundtable {} on {} cores; answers from within the process, no model asked",
        figures.program, figures.cores
    );
    let mut group = "";
    for row in &figures.rows {
        if row.group != group {
            group = row.group;
            let _ = writeln!(out, "\n{BOLD}{group}{BOLD:#}");
        }
        let _ = writeln!(
            out,
            "  {:<58}{:>10} {:<10}{DIM}{}{DIM:#}",
            row.what,
            figure(row.value),
            row.unit,
            row.note
        );
    }
    let _ = writeln!(out, "\n{BOLD}not measured{BOLD:#}");
    for what in &figures.not_measured {
        page.item(&mut out, "  ", "·", what);
    }
    out
}

fn figure(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        small if small >= 0.1 || small == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}
