//! The nouns that are computed from a debate: the analysis of each round, the
//! weighing of the votes, the verdict.

mod advice;
mod analysis;
mod card;
mod quality;
mod risk;
mod synthesis;
mod verdict;
mod weighing;

pub use advice::*;
pub use analysis::*;
pub use card::*;
pub use quality::*;
pub use risk::*;
pub use synthesis::*;
pub use verdict::*;
pub use weighing::*;
