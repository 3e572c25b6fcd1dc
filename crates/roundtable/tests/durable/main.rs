//! The proofs of durability: kills, power cuts, full disks, damage, clocks that jump.
//! `ROUNDTABLE_LONG=1` asks for their long forms, as `./check durable` does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod budget;
mod clock;
mod crash;
mod degraded;
mod diskfull;
mod harness;
mod held_up;
mod interrupt;
mod kept;
mod lifecycle;
#[path = "../support/postgres.rs"]
mod postgres;
mod powercut;
mod serving;
#[cfg(unix)]
mod sharing;
mod soak;
mod steps;
