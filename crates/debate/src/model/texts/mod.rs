//! Foreign text made safe to show: lengths in tokens, and the fences around it.

mod fence;
mod text;

pub use fence::*;
pub use text::*;
