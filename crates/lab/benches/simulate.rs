//! Prints how good the weighed verdict is where the truth is known: simulated
//! agents at the real table, the verdict beside plain votes and the best single
//! agent, in regimes where talking helps, does nothing and hurts. It prints the
//! regimes where the verdict loses, and how far the agents are from published
//! figures. Arguments after `--`: `--small` (a matter of seconds), `--debates N`,
//! `--seed N`, `--json`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

use std::time::Instant;

use lab::Progress;
use lab::simulated::report::{
    FULL, FitCheck, MethodScore, RegimeRow, SEED, SMALL, Simulation, SimulationSize, measure,
};

struct Lines;

impl Progress for Lines {
    fn step(&self, done: usize, all: usize, doing: &str) {
        eprintln!("{done} of {all}: {doing}");
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let number = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        Some(arguments.get(at + 1)?.parse::<u64>().expect("a number"))
    };
    let size = if has("--small") { SMALL } else { FULL };
    let size = number("--debates").map_or(size, SimulationSize::of);
    let started = Instant::now();
    let found = measure(size, number("--seed").unwrap_or(SEED), &Lines).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    if has("--json") {
        println!("{:#}", serde_json::to_value(&found).unwrap());
        return;
    }
    print(&found);
    println!("{seconds:.1} s on two threads.");
}

fn print(found: &Simulation) {
    println!("the agents' figures");
    for set in &found.figures {
        let how = if set.fitted { "fitted" } else { "set" };
        println!("  {:<42}{:>7.3}  {how}: {}", set.name, set.value, set.origin);
    }
    checks("what they were fitted to", found.fitting_items, &found.fitted);
    checks("what they were not fitted to", found.fitting_items, &found.held_out);
    scores("accuracy, %", found, |one| format!("{:.1}", 100.0 * one.accuracy));
    scores("Brier score (0 best, 2 worst)", found, |one| format!("{:.3}", one.brier));
    scores("calibration error (ECE), ten bins", found, |one| {
        format!("{:.3}", one.calibration_error)
    });
    talk(found);
    regret(found);
    println!("\nwhere the weighed verdict loses by more than two standard errors");
    for loss in &found.losses {
        let to: Vec<String> =
            loss.to.iter().map(|(method, gap)| format!("{method} +{:.1}", 100.0 * gap)).collect();
        println!("  {:<28}{}", loss.regime, to.join(", "));
    }
    if found.losses.is_empty() {
        println!("  nowhere, with so few debates");
    }
    println!(
        "\nSeed {}, {} debates a row. Simulated agents have no language and check nothing: this \
         shows whether votes are\nweighed well, never that debating helps real models.",
        found.seed, found.debates_each
    );
}

fn checks(title: &str, items: u64, checks: &[FitCheck]) {
    println!("\n{title}, {items} items");
    println!("  {:<42}{:>10}{:>11}{:>9}", "", "published", "simulated", "miss");
    for check in checks {
        println!(
            "  {:<42}{:>10.3}{:>11.3}{:>+9.3}",
            check.what, check.published, check.simulated, check.miss
        );
    }
}

fn scores(title: &str, found: &Simulation, cell: fn(&MethodScore) -> String) {
    println!("\n{title}");
    print!("  {:<28}", "");
    for one in found.regimes.first().map(|row| row.methods.as_slice()).unwrap_or_default() {
        print!("{:>23}", one.method);
    }
    println!();
    for row in &found.regimes {
        print!("  {:<28}", row.regime);
        for one in &row.methods {
            print!("{:>23}", cell(one));
        }
        println!();
    }
}

fn talk(found: &Simulation) {
    println!("\nwhat the talk did");
    println!(
        "  {:<28}{:>8}{:>8}{:>9}{:>18}{:>10}",
        "", "toward", "away", "neither", "all wrong alike %", "flagged %"
    );
    for row in &found.regimes {
        talk_of(row, found.debates_each);
    }
}

fn talk_of(row: &RegimeRow, debates: u64) {
    let wrong = f64::from(row.unanimous_wrong);
    let flagged = 100.0 * f64::from(row.unanimous_wrong_flagged) / wrong.max(1.0);
    println!(
        "  {:<28}{:>8}{:>8}{:>9}{:>18.1}{flagged:>10.0}",
        row.regime,
        row.toward_truth,
        row.away_from_truth,
        row.between_errors,
        100.0 * wrong / debates.max(1) as f64
    );
}

/// Behind the best method that knows nothing of the agents, by kind of trial;
/// then behind the best of all.
fn regret(found: &Simulation) {
    println!("\nworst regret, points of accuracy behind the best blind method");
    print!("  {:<28}", "");
    for (trial, _) in found.regret.first().map(|row| row.by_trial.as_slice()).unwrap_or_default() {
        print!("{trial:>10}");
    }
    println!("{:>10}{:>24}", "all", "behind any method");
    for row in &found.regret {
        print!("  {:<28}", row.method);
        for (_, worst) in &row.by_trial {
            print!("{:>10.1}", 100.0 * worst);
        }
        println!("{:>10.1}{:>24.1}", 100.0 * row.blind, 100.0 * row.any);
    }
}
