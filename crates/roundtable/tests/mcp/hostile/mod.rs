//! Sockets, requests and messages of callers that mean harm.

mod door;
mod lines;
