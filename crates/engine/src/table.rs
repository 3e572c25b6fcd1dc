//! An order becomes a table: the seats, the brief, the tools and the budget. Each
//! file uses only those above it in this list.

pub mod affordable;
pub mod attachments;
pub mod calibration;
pub mod clerk;
pub mod constitution;
pub mod depth_cost;
pub mod embedder;
pub mod lessons;
pub mod light;
pub mod money;
pub mod order;
pub mod profile;
pub mod seats;
pub mod tools;
