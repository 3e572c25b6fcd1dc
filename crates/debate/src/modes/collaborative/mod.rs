//! Collaborative: everyone looks for the answer that all can stand behind.

use super::{DEAL_AGAIN, EARLIER_ROUNDS, role, words};
use crate::model::{Execution, ModePlan, ParallelLevel, Switch, VoterPlan, WavePlan};

pub static PLAN: ModePlan = ModePlan {
    name: "collaborative",
    summary: "Agents answer at once and work towards one shared answer.",
    when: "Choose it to shape a plan together. Not when you fear they will agree too easily: take delphi or adversarial.",
    roles: &[role("synthesizer", "Synthesizer")],
    extra_agents: DEAL_AGAIN,
    waves: WavePlan::AllAtOnce,
    view: EARLIER_ROUNDS,
    parallel_default: ParallelLevel::Full,
    execution: Execution::Parallel,
    groupthink: Switch::On,
    critiques: Switch::Off,
    safety_constraints: Switch::Off,
    perspectives: Switch::Off,
    extended: None,
    default_rounds: None,
    voters: VoterPlan::EverySeat,
    estimates: Switch::Off,
    words: words!["role-synthesizer.md", "sections-synthesizer.md", "contract.md", "checks.md",],
};
