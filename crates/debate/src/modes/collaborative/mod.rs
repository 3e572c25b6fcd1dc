//! Collaborative: all seats look for the answer that each of them can support.

use super::{DEAL_AGAIN, EARLIER_ROUNDS, role, words};
use crate::model::{Execution, ModePlan, ParallelLevel, VoterPlan, WavePlan};

pub static PLAN: ModePlan = ModePlan {
    name: "collaborative",
    summary: "Agents answer at once and work towards one shared answer.",
    in_brief: "finds common ground",
    when: "Choose it to shape a plan together. Not when you fear they will agree too easily: take delphi or adversarial.",
    roles: &[role("synthesizer", "Synthesizer")],
    extra_agents: DEAL_AGAIN,
    waves: WavePlan::AllAtOnce,
    view: EARLIER_ROUNDS,
    parallel_default: ParallelLevel::Full,
    execution: Execution::Parallel,
    groupthink: true,
    critiques: false,
    safety_constraints: false,
    perspectives: false,
    extended: None,
    default_rounds: None,
    voters: VoterPlan::EverySeat,
    estimates: false,
    words: words!["role-synthesizer.md", "sections-synthesizer.md", "contract.md", "checks.md",],
};
