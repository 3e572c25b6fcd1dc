//! The wire formats of the providers. A dialect is pure: a prompt becomes a
//! request, bytes become an answer, tool calls, or an error. No dialect sends
//! anything, waits, or knows the other seats at the table.

pub mod anthropic;
pub mod decoder;
pub mod dialect;
pub mod error_body;
pub mod gemini;
pub mod openai_chat;
pub mod outcome;
pub mod responses;
pub mod sse;
#[cfg(test)]
pub(crate) mod tests;
pub mod try_error;

pub use dialect::{
    BODY_CAP, Decode, Dialect, Effort, Facts, Format, Keep, KeptAnswers, KeyHeader, KeyNeed,
    Manners, OutputLimit, Place, Provider, Search, SearchTool, Target,
};
pub use outcome::Outcome;
pub use try_error::{Again, Trouble};
