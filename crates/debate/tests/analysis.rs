//! Scripted rooms: every exit rule, alert and trigger once where it fires and
//! once where it just does not; the weighing by hand-made sums; hard pairs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

#[path = "support/cases.rs"]
mod cases;

#[cfg(test)]
#[path = "analysis/table.rs"]
mod table;

#[cfg(test)]
#[path = "analysis/consensus.rs"]
mod consensus;
#[cfg(test)]
#[path = "analysis/convergence.rs"]
mod convergence;
#[cfg(test)]
#[path = "analysis/exits.rs"]
mod exits;
#[cfg(test)]
#[path = "analysis/groupthink.rs"]
mod groupthink;
#[cfg(test)]
#[path = "analysis/hard_pairs.rs"]
mod hard_pairs;
#[cfg(test)]
#[path = "analysis/verdicts.rs"]
mod verdicts;
#[cfg(test)]
#[path = "analysis/voting.rs"]
mod voting;
#[cfg(test)]
#[path = "analysis/weighing.rs"]
mod weighing;

/// Equal up to the noise of binary fractions.
#[track_caller]
fn near(found: impl Into<Option<f64>>, expected: f64) {
    let found = found.into();
    assert!(found.is_some_and(|found| (found - expected).abs() < 1e-6), "{found:?} ≠ {expected}");
}
