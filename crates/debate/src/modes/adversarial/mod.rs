//! Adversarial: each speaker rebuts the one before.

use super::{DEAL_AGAIN, EVERYTHING_SO_FAR, role, words};
use crate::model::{Execution, ModePlan, ParallelLevel, ViewPlan, VoterPlan, WavePlan};

pub static PLAN: ModePlan = ModePlan {
    name: "adversarial",
    summary: "Agents speak one by one, each rebutting the answer before.",
    in_brief: "looks for flaws",
    when: "Choose it to test a proposal that already exists. Not for finding first ideas.",
    roles: &[role("challenger", "Challenger")],
    extra_agents: DEAL_AGAIN,
    waves: WavePlan::OneByOne,
    view: ViewPlan { rebut_previous: true, ..EVERYTHING_SO_FAR },
    parallel_default: ParallelLevel::None,
    execution: Execution::Sequential,
    groupthink: false,
    critiques: true,
    safety_constraints: true,
    perspectives: false,
    extended: None,
    default_rounds: None,
    voters: VoterPlan::EverySeat,
    estimates: false,
    words: words!["role-challenger.md", "sections-challenger.md", "contract.md", "checks.md",],
};
