//! Votes: whose answers count, the first answers sampled until they are clear, the
//! votes weighed into probabilities, and numeric estimates pooled into one value.

pub(super) mod calibrating;
pub(super) mod dissent;
mod pooling;
pub(super) mod sampling;
pub(super) mod vote_parts;
pub(super) mod voters;
pub(super) mod weighing;

pub use sampling::{CLEAR, SampledVotes, candidates, next_samples, sampled, spokesmen};
pub use vote_parts::WeighingRules;
pub(super) use voters::{abstainers, counted};
pub use voters::{abstains, equal_pairs, voting_seats};
pub use weighing::{weigh, weigh_by};
