//! The votes weighed into probabilities, and numeric estimates pooled into one
//! value.

mod pooling;
pub(super) mod weighing;

pub use weighing::{WeighingRules, weigh, weigh_by};
