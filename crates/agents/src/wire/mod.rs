//! The wire formats of the providers. A dialect is pure: a prompt becomes a
//! request, bytes become an answer, tool calls, or an error. No dialect sends
//! anything, waits, or knows the other seats at the table.

pub mod anthropic;
pub mod body;
pub mod decoder;
pub mod dialect;
pub mod error_body;
pub mod gemini;
pub mod openai_chat;
pub mod outcome;
pub mod peek;
pub mod responses;
pub mod sse;
#[cfg(test)]
pub(crate) mod tests;
pub mod try_error;

pub use dialect::{
    AnswerFormat, BODY_CAP, Decode, Dialect, EffortField, Keep, KeptAnswers, KeyHeader, KeyNeed,
    ModelFacts, NativeSearch, OutputLimit, Provider, ProviderPlace, SearchTool, ServerLimits,
    Target,
};
pub use outcome::WireOutcome;
pub use try_error::{RetryChance, TryError};
