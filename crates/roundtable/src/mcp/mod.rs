//! The face that other programs talk to: the Model Context Protocol, on standard
//! input and output or over HTTP. Each tool translates, calls one operation and
//! shapes what comes back. Both eras of the protocol are served by the same
//! code: clients that begin with `initialize`, and those that send everything
//! with each request. Nothing here decides anything about a debate.

mod app;
mod asking;
mod call;
mod context;
mod document;
mod holding;
mod http;
mod listing;
mod logging;
mod outline;
mod prompts;
mod resources;
mod sampling;
mod schema;
mod seal;
mod server;
mod shapes;
mod shaping;
mod shortening;
mod skills;
mod stdio;
mod tasks;
#[cfg(test)]
mod tests;
mod told;
mod tools;
mod unasked;
mod waiting;
mod watched;
mod words;

pub use http::{Listen, serve as http, serving};
pub use stdio::serve as stdio;
