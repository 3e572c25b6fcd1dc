//! Measuring: what debates cost in time, tokens and money, whether debating
//! helps, and how fast the engine itself is. Everything here turns data into
//! data; it prints nothing, and it never calls a simulated or replayed figure
//! anything else.

pub mod compare;
pub mod engine_figures;
pub mod export;
mod file;
pub mod metrics;
pub mod quality;
mod reserve;
pub mod run;
pub mod runs;
pub mod scenario;
pub mod shipped;
pub mod simulated;
pub mod statistics;
#[cfg(test)]
mod tests;
mod venue;

/// Told how a measurement goes on; it must not block.
pub trait Progress: Sync {
    /// `done` of `all` are finished; `doing` is what comes next.
    fn step(&self, done: usize, all: usize, doing: &str);
}
