//! An order becomes a table: who is seated, what they are told, what they may
//! use and what it may cost. Each file uses only those above it in this list.

pub mod attachments;
pub mod clerk;
pub mod constitution;
pub mod embedder;
pub mod lessons;
pub mod light;
pub mod money;
pub mod order;
pub mod profile;
pub mod seats;
pub mod tools;
