//! Moderated: two sides plead, a moderator judges and writes the decision.

use super::{DEAL_AGAIN, EVERYTHING_SO_FAR, role, role_of_one, words};
use crate::model::{Execution, ExtendedPlan, ModePlan, ParallelLevel, VoterPlan, WavePlan};

pub static PLAN: ModePlan = ModePlan {
    name: "moderated",
    summary: "Proponent and opponent plead; a moderator judges and writes the decision.",
    in_brief: "ends with a moderator's decision",
    when: "Choose it when one reasoned decision must come out. At extended depth an advocate, a critic and a refiner join.",
    roles: &[
        role("proponent", "Proponent"),
        role("opponent", "Opponent"),
        role_of_one("moderator", "Moderator"),
    ],
    extra_agents: DEAL_AGAIN,
    waves: WavePlan::ByRole(&[&["proponent", "opponent"], &["moderator"]]),
    view: EVERYTHING_SO_FAR,
    parallel_default: ParallelLevel::Full,
    execution: Execution::Parallel,
    groupthink: true,
    critiques: true,
    safety_constraints: false,
    perspectives: false,
    extended: Some(&EXTENDED),
    default_rounds: Some(2),
    voters: VoterPlan::Roles(&["moderator"]),
    estimates: false,
    words: words![
        "role-proponent.md",
        "sections-proponent.md",
        "role-opponent.md",
        "sections-opponent.md",
        "role-moderator.md",
        "sections-moderator.md",
        "role-advocate.md",
        "sections-advocate.md",
        "role-critic.md",
        "sections-critic.md",
        "role-refiner.md",
        "sections-refiner.md",
        "contract.md",
        "checks.md",
        "round.md",
    ],
};

/// Four positions at once, then a seat that joins them, then a seat that judges.
static EXTENDED: ExtendedPlan = ExtendedPlan {
    roles: &[
        role("proponent", "Proponent"),
        role("opponent", "Opponent"),
        role("advocate", "Advocate"),
        role("critic", "Critic"),
        role_of_one("refiner", "Refiner"),
        role_of_one("moderator", "Moderator"),
    ],
    waves: WavePlan::ByRole(&[
        &["proponent", "opponent", "advocate", "critic"],
        &["refiner"],
        &["moderator"],
    ]),
};
