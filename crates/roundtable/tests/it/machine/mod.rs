//! Settings, keys, clients, benchmarks and records of a machine, and bad input to them.

mod bad_input;
mod bare;
mod bench;
mod bench_refused;
mod calibrated;
mod keys;
mod learning;
mod people;
mod secrets;
mod settings;
mod setup;
mod special_files;
mod wrong;
