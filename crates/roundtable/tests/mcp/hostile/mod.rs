//! Sockets, requests and messages of callers that mean harm.

mod approach;
mod door;
mod lines;
