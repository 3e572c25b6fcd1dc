//! A database that several processes share: one runner per debate, one whole file.

mod nodes;
mod one_runner;
mod whole_file;
