//! Debates that run in the background of a process, for faces whose callers come
//! and go.

mod admission;
mod callers;
mod client_seat;
pub mod host;
mod left_debates;
pub mod observing;
mod pace;
mod progress;
mod progress_feed;
mod rested;
mod same_start;
mod start_keys;
mod synthesising;
#[cfg(test)]
mod tests;
pub mod watching;
