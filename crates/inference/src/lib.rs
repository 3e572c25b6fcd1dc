//! Runs a small model on the processor: reads a GGUF file, turns a prompt into
//! tokens, and writes an answer that fits a schema. It is a crate of its own so
//! that it is optimised even in debug builds. It knows no debate, opens no
//! connection and reads no environment.

mod chat;
mod fault;
mod gguf;
mod guide;
mod kinds;
mod matrix;
mod packing;
mod product;
#[cfg(test)]
mod tests;
mod transformer;
mod vocabulary;
mod writer;

pub use fault::{LocalError, LocalFault};
pub use gguf::Gguf;
pub use matrix::Crew;
pub use writer::{LocalWriter, TokenUsage, WritingEnd, WritingOrder};
