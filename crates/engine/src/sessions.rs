//! Stored debates: starting, resuming, steering, reading and keeping them.

pub mod analyse;
pub mod backup;
pub mod compare;
pub mod context;
pub mod control;
pub mod costs;
pub mod follow_up;
pub mod list;
pub mod past;
pub mod replay;
pub mod resume;
pub mod start;
pub mod synthesise;
