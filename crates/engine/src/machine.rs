//! The user's machine: what is installed and answers, the configuration, the keys
//! and the MCP clients that can be told about Roundtable.

pub mod doctor;
pub mod found;
pub mod init;
pub mod keys;
pub mod models;
pub mod settings;
pub mod setup;
