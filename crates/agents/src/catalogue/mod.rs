//! The tables: which providers, models, prices and agent programs are known, and
//! how a user names one of them.

pub mod agent_spec;
pub mod discovery;
pub mod models;
pub mod prices;
pub mod programs;
pub mod providers;
