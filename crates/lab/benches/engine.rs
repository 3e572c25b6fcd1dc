//! Prints the engine's own figures as one table: time, memory, tokens. Arguments
//! after `--`: `--small` (a matter of seconds; its figures say little), `--json`.
//! The start-up rows need the program itself: build it with the same profile
//! first, or name it in `ROUNDTABLE_BIN`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use lab::Progress;
use lab::engine_figures::{EngineFigures, FigurePlaces, FigureSize, measure};

struct Lines;

impl Progress for Lines {
    fn step(&self, done: usize, all: usize, doing: &str) {
        eprintln!("{done} of {all}: {doing}");
    }
}

#[tokio::main]
async fn main() {
    let has = |name: &str| std::env::args().any(|argument| argument == name);
    let size = if has("--small") { FigureSize::Small } else { FigureSize::Full };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("engine-figures");
    let places = FigurePlaces { folder, program: program() };
    let figures = measure(&places, size, &Lines).await.unwrap();
    if has("--json") {
        println!("{:#}", serde_json::to_value(&figures).unwrap());
    } else {
        print(&figures);
    }
}

/// The program beside this benchmark, where it was built.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("ROUNDTABLE_BIN").map(PathBuf::from);
    let beside = std::env::current_exe().ok()?.parent()?.parent()?.join("roundtable");
    named.or_else(|| beside.exists().then_some(beside))
}

fn print(figures: &EngineFigures) {
    if !figures.optimised {
        println!("This is a build for development: its times are many times longer.");
    }
    println!(
        "Roundtable {} on {} cores; answers from within the process, no model asked",
        figures.program, figures.cores
    );
    let mut group = "";
    for row in &figures.rows {
        if row.group != group {
            group = row.group;
            println!("\n{group}");
        }
        println!("  {:<58}{:>10} {:<10}{}", row.what, figure(row.value), row.unit, row.note);
    }
    println!("\nnot measured");
    for what in &figures.not_measured {
        println!("  · {what}");
    }
}

fn figure(value: f64) -> String {
    match value.abs() {
        large if large >= 1000.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        small if small >= 0.1 || small == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}
