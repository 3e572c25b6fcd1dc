//! A database that several processes share: one runner per debate, one whole file.

mod bad_server;
mod balancer;
mod chaos;
mod nodes;
mod one_runner;
mod own_postgres;
mod pooler;
mod whole_file;
mod wire;
