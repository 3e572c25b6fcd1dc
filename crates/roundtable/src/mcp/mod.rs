//! The face that other programs use: the Model Context Protocol, on standard input
//! and output or over HTTP. Each tool translates its arguments, makes one call into
//! the engine and shapes the result. The same code serves both eras of the
//! protocol: clients that begin with `initialize`, and those that send everything
//! with each request. Nothing here decides anything about a debate.

mod call;
mod era;
mod server;
#[cfg(test)]
mod tests;
mod tools;
pub(crate) mod wording;
mod words;

/// Results as clients get them: their types, their schemas, their length.
mod result {
    pub mod document;
    pub mod evidence;
    pub mod listing;
    pub mod lookup;
    pub mod outline;
    pub mod paging;
    pub mod phrases;
    pub mod schema;
    pub mod shapes;
    pub mod shaping;
    pub mod shortening;
    pub mod shown;
    pub mod steps;
}

/// A debate during a call: waiting, asking the client, tasks, log messages.
mod session {
    pub mod cancellations;
    pub mod connection;
    pub mod context;
    pub mod delivery;
    pub mod elicitation;
    pub mod logging;
    pub mod pause_facts;
    pub mod progress;
    pub mod refused_questions;
    pub mod sampling;
    pub mod seal;
    pub mod tasks;
    pub mod waiting;
}

/// The ways in: standard input and output, or HTTP.
mod transport {
    pub mod approach;
    pub mod bad_message;
    mod carried_sessions;
    pub mod checked_input;
    pub mod connections;
    pub mod door;
    pub mod health;
    pub mod http;
    pub mod open_sessions;
    pub mod pages;
    pub mod stdio;
}

pub use transport::approach::{Approach, FORWARDED_PROTO};
pub use transport::http::{Listen, serve as http, serving};
pub use transport::pages::PageRoutes;
pub use transport::stdio::serve as stdio;
