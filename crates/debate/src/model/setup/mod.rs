//! The nouns that are fixed before a debate begins: the brief, the seats, the
//! mode's plan and the switches.

mod brief;
mod depth;
mod earlier;
mod effort;
mod flags;
mod mode;
mod seat;

pub use brief::*;
pub use depth::*;
pub use earlier::*;
pub use effort::*;
pub use flags::*;
pub use mode::*;
pub use seat::*;
