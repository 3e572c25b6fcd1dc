//! The nouns that are computed from a debate: the analysis of each round, the
//! weighing of the votes, the verdict.

mod analysis;
mod quality;
mod synthesis;
mod verdict;
mod weighing;

pub use analysis::*;
pub use quality::*;
pub use synthesis::*;
pub use verdict::*;
pub use weighing::*;
