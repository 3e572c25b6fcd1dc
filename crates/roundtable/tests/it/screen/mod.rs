//! A pseudo-terminal: the display, its keys, the pager and the interview.

mod comforts;
mod interview;
mod pictures;
pub mod pty;
mod reflow;
pub mod terminal;
