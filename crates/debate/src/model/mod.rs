//! The nouns of a debate. Everything here is plain data with the small rules that
//! belong to it; nothing here waits, reads a clock or does IO.

mod calibration;
mod day;
mod event;
mod event_text;
mod ids;
mod money;
mod outcomes;
mod results;
mod room;
mod safety;
mod setup;
mod speech;
mod texts;

pub use calibration::*;
pub use day::*;
pub use event::*;
pub use ids::*;
pub use money::*;
pub use outcomes::*;
pub use results::*;
pub use room::*;
pub use safety::*;
pub use setup::*;
pub use speech::*;
pub use texts::*;
