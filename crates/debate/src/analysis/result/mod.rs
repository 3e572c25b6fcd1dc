//! The result of a debate: the advice, the headline, the risk register, the
//! notices, the verdict in four layers, and the card a person reads first.

mod card;
mod cautions;
pub(super) mod decision;
mod headline;
mod lead;
pub(super) mod notices;
mod risks;
mod verdict;

pub use card::card;
pub use verdict::{verdict, verdict_with};
