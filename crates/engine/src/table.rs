//! An order becomes a table: the seats, the brief, the tools and the budget. `prepare`
//! takes it through all steps; no other file here uses one that uses it.

pub mod affordable;
pub mod attachments;
pub mod brief;
pub mod clerk;
pub mod constitution;
pub mod embedder;
pub mod lessons;
pub mod light;
pub mod money;
pub mod notice;
pub mod order;
pub mod prepare;
pub mod profile;
pub mod seats;
pub mod tools;
