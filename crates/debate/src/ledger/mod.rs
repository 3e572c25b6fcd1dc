//! Enters turns into the ledger: the claims made, the seats that hold and oppose
//! them, their evidence and their strength.
//!
//! It does not trust a turn's ids: one that was not in the ledger when the turn's
//! wave began is ignored. It never guesses that two different sentences mean the
//! same; `wording.rs` defines what counts as repeating.

mod entering;
mod key_hashes;
mod sources;
mod weighing;
mod wording;

pub use entering::{LedgerAdditions, LedgerIndex, decide, enter};
pub use sources::SourceRegister;
pub use weighing::weigh;

#[cfg(test)]
mod tests;
