//! The simulator's tables: the agents' figures and misses first, then how the
//! weighed verdict does beside simpler ways, and where it loses.

use std::fmt::Write as _;

use crate::terminal::page::{BOLD, DIM};
use lab::simulate::{Check, Row, Scored, Simulation};

pub fn simulation(found: &Simulation) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{BOLD}the agents' figures{BOLD:#}");
    for set in &found.figures {
        let how = if set.fitted { "fitted" } else { "set" };
        let _ = writeln!(
            out,
            "  {:<42}{:>7.3}  {DIM}{how}: {}{DIM:#}",
            set.name, set.value, set.origin
        );
    }
    checks(&mut out, "what they were fitted to", found.fitting_items, &found.fitted);
    checks(&mut out, "what they were not fitted to", found.fitting_items, &found.held_out);
    scores(&mut out, "accuracy, %", found, |one| format!("{:.1}", 100.0 * one.accuracy));
    scores(&mut out, "Brier score (0 best, 2 worst)", found, |one| format!("{:.3}", one.brier));
    scores(&mut out, "calibration error (ECE), ten bins", found, |one| {
        format!("{:.3}", one.calibration_error)
    });
    talk(&mut out, found);
    regret(&mut out, found);
    let _ = writeln!(
        out,
        "\n{BOLD}where the weighed verdict loses by more than two standard errors{BOLD:#}"
    );
    for loss in &found.losses {
        let to: Vec<String> =
            loss.to.iter().map(|(method, gap)| format!("{method} +{:.1}", 100.0 * gap)).collect();
        let _ = writeln!(out, "  {:<28}{}", loss.regime, to.join(", "));
    }
    if found.losses.is_empty() {
        let _ = writeln!(out, "  nowhere, with so few debates");
    }
    let _ = writeln!(
        out,
        "\nSeed {}, {} debates a row. Simulated agents have no language and check nothing: this \
         shows whether votes are\nweighed well, never that debating helps real models.",
        found.seed, found.debates_each
    );
    out
}

fn checks(out: &mut String, title: &str, items: u64, checks: &[Check]) {
    let _ = writeln!(out, "\n{BOLD}{title}, {items} items{BOLD:#}");
    let _ = writeln!(out, "  {:<42}{:>10}{:>11}{:>9}", "", "published", "simulated", "miss");
    for check in checks {
        let _ = writeln!(
            out,
            "  {:<42}{:>10.3}{:>11.3}{:>+9.3}",
            check.what, check.published, check.simulated, check.miss
        );
    }
}

fn scores(out: &mut String, title: &str, found: &Simulation, cell: fn(&Scored) -> String) {
    let _ = writeln!(out, "\n{BOLD}{title}{BOLD:#}");
    let _ = write!(out, "  {:<28}", "");
    let methods = found.regimes.first().map(|row| row.methods.as_slice()).unwrap_or_default();
    for one in methods {
        let _ = write!(out, "{:>23}", one.method);
    }
    out.push('\n');
    for row in &found.regimes {
        let _ = write!(out, "  {:<28}", row.regime);
        for one in &row.methods {
            let _ = write!(out, "{:>23}", cell(one));
        }
        out.push('\n');
    }
}

fn talk(out: &mut String, found: &Simulation) {
    let _ = writeln!(out, "\n{BOLD}what the talk did{BOLD:#}");
    let _ = writeln!(
        out,
        "  {:<28}{:>8}{:>8}{:>9}{:>18}{:>10}",
        "", "toward", "away", "neither", "all wrong alike %", "flagged %"
    );
    let line = |row: &Row| {
        let wrong = f64::from(row.unanimous_wrong);
        let flagged = 100.0 * f64::from(row.unanimous_wrong_flagged) / wrong.max(1.0);
        format!(
            "  {:<28}{:>8}{:>8}{:>9}{:>18.1}{flagged:>10.0}",
            row.regime,
            row.toward_truth,
            row.away_from_truth,
            row.between_errors,
            100.0 * wrong / found.debates_each.max(1) as f64
        )
    };
    for row in &found.regimes {
        let _ = writeln!(out, "{}", line(row));
    }
}

fn regret(out: &mut String, found: &Simulation) {
    let title = "worst regret, points of accuracy behind the best blind method";
    let _ = writeln!(out, "\n{BOLD}{title}{BOLD:#}");
    let _ = write!(out, "  {:<28}", "");
    let trials = found.regret.first().map(|row| row.by_trial.as_slice()).unwrap_or_default();
    for (trial, _) in trials {
        let _ = write!(out, "{trial:>10}");
    }
    let _ = writeln!(out, "{:>10}{:>24}", "all", "behind any method");
    for row in &found.regret {
        let _ = write!(out, "  {:<28}", row.method);
        for (_, worst) in &row.by_trial {
            let _ = write!(out, "{:>10.1}", 100.0 * worst);
        }
        let _ = writeln!(out, "{:>10.1}{:>24.1}", 100.0 * row.blind, 100.0 * row.any);
    }
}
