//! The user's machine: installed programs and servers, the configuration, the keys,
//! and the MCP clients that can be set up.

pub mod age;
pub mod doctor;
pub mod found;
pub mod init;
pub mod keys;
pub mod models;
pub mod process;
pub mod server_token;
pub mod settings;
pub mod setup;
