//! Settings, keys, clients, benchmarks and records of a machine, and bad input to them.

mod bad_input;
mod bench;
mod bench_refused;
mod calibrated;
mod keys;
mod learning;
mod settings;
mod setup;
