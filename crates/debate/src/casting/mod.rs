//! Seats the agents, orders them into waves, and checks a brief. It follows the
//! plan and the brief and decides nothing else: it knows no mode by name, and it
//! refuses a bad brief with all its faults at once.

mod checking;
mod depth;
mod families;
mod fields;
mod perspectives;
mod seating;
mod speaking;

pub use checking::{BriefFault, check};
pub use depth::{choose_depth, complexity};
pub use families::{choose_clerk, family_of, name_families};
pub use fields::{BriefField, BriefValue};
pub use perspectives::{builtin_perspectives, deal_perspectives};
pub use seating::seats;
pub use speaking::waves;

use crate::model::{Depth, ModePlan, RolePlan, WavePlan};

/// Returns the roles and waves of a depth. `Depth::Auto` is resolved before
/// casting and counts as standard here.
fn table(plan: &ModePlan, depth: Depth) -> (&'static [RolePlan], WavePlan) {
    match (depth, plan.extended) {
        (Depth::Extended, Some(extended)) => (extended.roles, extended.waves),
        _ => (plan.roles, plan.waves),
    }
}

#[cfg(test)]
mod tests;
