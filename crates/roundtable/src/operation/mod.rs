//! What the person who runs a server looks at: figures for Prometheus, and traces and figures for
//! a collector of OpenTelemetry. Both are made from stored events and hold names of models and
//! numbers, never a word of a debate or a key.

mod lines;
mod meters;
mod scrape;
mod traces;

pub use lines::LogLines;
pub use meters::Meters;
pub use scrape::{count, routes};
pub use traces::Traces;
