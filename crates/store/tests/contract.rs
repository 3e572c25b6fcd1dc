//! The engines that sign the contract of `promises/`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod promises;
mod scene;

sign!(sqlite, crate::scene::sqlite, true);
sign!(postgres, crate::scene::postgres, proof::postgres().is_some());
