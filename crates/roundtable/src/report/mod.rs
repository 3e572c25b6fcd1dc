//! What the documents say: a debate as a file of its own, learning reports and records.
//! Each export format is one row of [`formats`] and one writer beside it; how a document is
//! written and escaped is the business of `document`.

pub mod debate;
pub mod formats;
pub mod learning;
pub mod record;
pub mod round;
pub mod sheet;
#[cfg(test)]
mod tests;
