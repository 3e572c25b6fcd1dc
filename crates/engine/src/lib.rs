//! Everything that a person, a client or a browser can ask for. A face (the command
//! line, the MCP server) turns its input into one call of this crate and shows the
//! result. This crate prints nothing and knows no face.

pub mod background;
pub mod bounded_file;
pub mod clock;
pub mod config;
pub mod error;
pub mod export;
pub mod machine;
pub mod nouns;
pub mod outcomes;
pub mod people;
pub mod recording;
pub mod run;
pub mod sessions;
pub mod spelling;
pub mod table;

pub use error::EngineError;
