//! The rules of this house, as checks on source trees and on what Cargo says. Each
//! check takes a tree and returns its findings; `tests/house.rs` runs them on the
//! workspace and holds the limits, `tests/planted.rs` runs each on a violation.
//! It knows nothing of our crates but their sources.

pub mod booleans;
pub mod circles;
pub mod coverage;
pub mod crates;
pub mod doors;
pub mod modules;
pub mod names;
pub mod paths;
pub mod proofs;
pub mod recorded;
pub mod sizes;
pub mod tree;

/// Checks on words: comments, refusals, and text of others.
mod words {
    pub mod escapes;
    pub mod prose;
    pub mod refusals;
}

pub use words::{escapes, prose, refusals};

/// A violation: the place and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub place: String,
    pub problem: String,
}

impl Finding {
    pub fn new(place: impl Into<String>, problem: impl Into<String>) -> Finding {
        Finding { place: place.into(), problem: problem.into() }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}", self.place, self.problem)
    }
}

/// Reduces findings to those above a share of all: with at most `percent` of `total`
/// there are none, so that a share can be held like any other count.
#[must_use]
pub fn above(mut findings: Vec<Finding>, total: usize, percent: usize) -> Vec<Finding> {
    findings.sort();
    findings.drain(..(total * percent / 100).min(findings.len()));
    findings
}
