//! Text on a terminal: pages, the pager, the live display, and the parts of a
//! debate that several commands show. Everything here turns data into strings;
//! only [`out`] and [`screen`] write anywhere.

mod card;
pub mod context;
pub mod document;
pub mod events;
pub mod keyboard;
pub mod line;
pub mod live;
pub mod log;
pub mod out;
pub mod page;
pub mod pager;
pub mod round;
pub mod screen;
pub mod window;
