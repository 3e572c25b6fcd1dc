//! What people are shown: events, verdicts and listings as text. Everything
//! here turns data into strings; only [`out`] writes anywhere.

mod afterwards;
mod charts;
pub mod clean;
mod costs;
pub mod document;
mod events;
pub mod learning;
pub mod listing;
pub mod live;
pub mod models;
mod modes;
pub mod out;
mod page;
pub mod record;
mod session;
mod verdict;
mod weighing;

pub use afterwards::{analysed, comparison, synthesis};
pub use costs::costs;
pub use events::event;
pub use modes::{mode, mode_json, modes};
pub use page::Page;
pub use session::{round, session};
pub use verdict::verdict;
