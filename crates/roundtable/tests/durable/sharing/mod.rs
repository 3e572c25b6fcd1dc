//! A database that several processes share: one runner per debate, one whole file.

mod balancer;
mod chaos;
mod nodes;
mod one_runner;
mod own_postgres;
mod whole_file;
mod wire;
