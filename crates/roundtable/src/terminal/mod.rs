//! What people are shown: events, verdicts and listings as text. Everything
//! here turns data into strings; only [`out`] writes anywhere.

mod afterwards;
pub mod bench;
mod charts;
pub mod clean;
pub mod context;
mod costs;
pub mod document;
mod events;
pub mod export;
pub mod learning;
mod line;
pub mod listing;
pub mod live;
pub mod log;
pub mod looking;
pub mod models;
mod modes;
pub mod out;
mod page;
pub mod pager;
pub mod record;
mod round;
pub mod screen;
mod session;
pub mod settings;
pub mod setup;
pub mod terminal;
mod verdict;
mod weighing;

pub use afterwards::{analysed, synthesis};
pub use costs::costs;
pub use events::event;
pub use modes::{mode, mode_json, modes};
pub use page::Page;
pub use session::{round, session};
pub use verdict::verdict;
