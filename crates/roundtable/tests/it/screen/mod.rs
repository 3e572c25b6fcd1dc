//! A pseudo-terminal: the display, its keys, the pager and the interview.

mod comforts;
mod first_minutes;
mod interview;
mod person;
mod pictures;
pub mod pty;
mod recording;
mod reflow;
pub mod terminal;
