//! The answers of the seats: which of them mean the same, which contradict each
//! other, and which seat moved from one to another.

mod clusters;
mod following;
pub mod polarity;
pub(super) mod positions;
pub(super) mod stands;
pub(super) mod trace;
