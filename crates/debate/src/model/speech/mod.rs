//! The nouns of the conversation: asks and replies, answers and turns, and the
//! claims, evidence and requests they bring in.

mod answer;
mod ask;
mod claim;
mod context;
mod evidence;
mod heard;
mod style;
mod turn;

pub use answer::*;
pub use ask::*;
pub use claim::*;
pub use context::*;
pub use evidence::*;
pub use heard::*;
pub use style::*;
pub use turn::*;
