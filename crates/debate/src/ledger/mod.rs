//! Entering turns into the ledger: which claims were made, who holds and who
//! opposes them, what they rest on and how strong they stand.
//!
//! It trusts nothing a turn says about ids: one that was not in the ledger when
//! the turn's wave began is ignored. It never guesses that two different
//! sentences mean the same; `wording.rs` says what counts as repeating.

mod entering;
mod sources;
mod weighing;
mod wording;

pub use entering::{Entered, Index, decide, enter};
pub use sources::Register;
pub use weighing::weigh;

#[cfg(test)]
mod tests;
