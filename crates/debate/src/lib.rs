//! The core of Roundtable: a debate as a state machine that never waits.
//!
//! A [`Debate`] returns the next step ([`Debate::next_step`]), takes in messages
//! ([`Debate::hear`]) and records everything as events. It has no clock, no
//! randomness, no network and no files: time, ids and seeds come in as data. So a
//! debate can be replayed, resumed and simulated.

pub mod analysis;
pub mod briefing;
#[cfg(test)]
#[path = "../tests/support/cases.rs"]
mod cases;
pub mod casting;
mod debate;
pub mod learning;
pub mod ledger;
pub mod model;
pub mod modes;
pub mod prompts;
pub mod reading;
pub mod safety;
pub mod sorting;

pub use debate::{
    Debate, DropFault, LifecycleCommand, OpenError, Reanalysis, ReanalysisResult, RefusedCommand,
    ReplayError,
};
