//! The program as a person meets it: the real binary in a home of its own. One test
//! target for all of it, because each target links the whole program anew.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod machine;
mod printing;
mod running;
#[cfg(unix)]
mod screen;
#[path = "../support/mod.rs"]
mod support;
