//! The nouns of the time after a debate: its outcome and the lessons taken
//! from it.

mod lesson;
mod outcome;
mod outcome_form;

pub use lesson::*;
pub use outcome::*;
pub use outcome_form::*;
