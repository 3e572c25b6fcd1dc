//! Delphi: answers are anonymous, and the group is shown as figures.

use super::{DEAL_AGAIN, EARLIER_ROUNDS, role, words};
use crate::model::{Execution, ModePlan, ParallelLevel, SeatNaming, ViewPlan, VoterPlan, WavePlan};

pub static PLAN: ModePlan = ModePlan {
    name: "delphi",
    summary: "Anonymous estimates, with the figures of the group shown between rounds.",
    in_brief: "is anonymous",
    when: "Choose it for estimates and forecasts, or where a name could sway the others. Not when agents must divide the work.",
    roles: &[role("anonymous-expert", "Anonymous expert")],
    extra_agents: DEAL_AGAIN,
    waves: WavePlan::AllAtOnce,
    view: ViewPlan { naming: SeatNaming::Anonymous, statistics: true, ..EARLIER_ROUNDS },
    parallel_default: ParallelLevel::Full,
    execution: Execution::Parallel,
    groupthink: true,
    critiques: false,
    safety_constraints: false,
    perspectives: false,
    extended: None,
    default_rounds: None,
    voters: VoterPlan::EverySeat,
    estimates: true,
    words: words![
        "role-anonymous-expert.md",
        "sections-anonymous-expert.md",
        "contract.md",
        "checks.md",
    ],
};
