//! Who sits where, who speaks with whom, and whether a brief can be played at
//! all. It casts what a plan and a brief say and decides nothing else: no mode
//! is known here by name, and a bad brief is refused with all its faults at once.

mod checking;
mod depth;
mod families;
mod perspectives;
mod seating;
mod speaking;

pub use checking::{Fault, check};
pub use depth::{choose_depth, complexity};
pub use families::{choose_clerk, family_of, name_families};
pub use perspectives::{builtin_perspectives, deal_perspectives};
pub use seating::seats;
pub use speaking::waves;

use crate::model::{Depth, ModePlan, RolePlan, WavePlan};

/// The roles and waves that hold at a depth. What is to be found out
/// (`Depth::Auto`) is settled before casting and counts as standard here.
fn table(plan: &ModePlan, depth: Depth) -> (&'static [RolePlan], WavePlan) {
    match (depth, plan.extended) {
        (Depth::Extended, Some(extended)) => (extended.roles, extended.waves),
        _ => (plan.roles, plan.waves),
    }
}

#[cfg(test)]
mod tests;
