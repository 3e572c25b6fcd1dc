//! Everything that a person, a client or a browser can ask for, without a word of
//! how it is shown. A face turns what it was told into one call of this crate and
//! shows what comes back; the crate prints nothing and knows no face.

pub mod background;
pub mod clock;
pub mod config;
pub mod error;
pub mod export;
pub mod machine;
pub mod nouns;
pub mod outcomes;
pub mod recording;
pub mod run;
pub mod sessions;
pub mod table;

pub use error::EngineError;
