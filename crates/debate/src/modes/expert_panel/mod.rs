//! Expert panel: each seat judges from one field.

use super::{DEAL_AGAIN, EARLIER_ROUNDS, role, words};
use crate::model::{Execution, ModePlan, ParallelLevel, VoterPlan, WavePlan};

pub static PLAN: ModePlan = ModePlan {
    name: "expert-panel",
    summary: "Experts judge the topic at once, each from a field of its own.",
    in_brief: "brings perspectives",
    when: "Choose it when several fields bear on the decision. Not when one narrow fact decides it.",
    roles: &[role("expert", "Expert")],
    extra_agents: DEAL_AGAIN,
    waves: WavePlan::AllAtOnce,
    view: EARLIER_ROUNDS,
    parallel_default: ParallelLevel::Full,
    execution: Execution::Parallel,
    groupthink: true,
    critiques: true,
    safety_constraints: false,
    perspectives: true,
    extended: None,
    default_rounds: None,
    voters: VoterPlan::EverySeat,
    estimates: false,
    words: words!["role-expert.md", "sections-expert.md", "contract.md", "checks.md",],
};
