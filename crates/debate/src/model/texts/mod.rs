//! Foreign text made safe to show: lengths in tokens, and the fences around it.

mod counted;
mod fence;
mod language;
mod text;
mod token_counter;
mod word_list;

pub use counted::*;
pub use fence::*;
pub use language::*;
pub use text::*;
pub use word_list::*;
