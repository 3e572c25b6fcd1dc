//! The speakers: everything that can hold a seat and answer an ask, and the
//! [`Panel`] that maps the agents of a brief to them.

pub mod command;
mod fallback;
mod kept_answers;
#[cfg(feature = "local")]
pub mod local;
mod panel;
mod plain;
pub mod recorded;
mod remote;
pub mod scripted;
mod with_tools;

pub use fallback::WithFallback;
pub use panel::{
    Machine, Outside, Panel, PanelError, SCRIPT_PROVIDER, answer_style, converser, measure,
    searches_natively, takes_tools,
};
pub use remote::{MOST_SEARCHES, Remote};
pub use with_tools::{ToolLoop, WithTools};
