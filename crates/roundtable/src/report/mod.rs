//! What the documents say: a debate as a file of its own, learning reports and records.
//! Each export format is one writer here and one row of [`formats`]; how a document is
//! written and escaped is the business of `document`.

mod adr;
mod argdown;
mod csv;
pub mod debate;
pub mod formats;
pub mod learning;
mod mermaid;
pub mod record;
pub mod round;
pub mod sheet;
#[cfg(test)]
mod tests;
