//! The server as clients meet it: the binary on the raw wire, in both eras of the
//! protocol, with a fake provider on loopback behind it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod asking;
mod debates;
mod hostile;
mod http;
mod leaving;
mod listing;
mod logging;
mod long;
mod outcomes;
mod people;
#[path = "../support/postgres.rs"]
mod postgres;
mod refusals;
mod sizes;
#[path = "../support/mod.rs"]
mod support;
mod table;
mod tasks;
mod tools;
mod wire;
