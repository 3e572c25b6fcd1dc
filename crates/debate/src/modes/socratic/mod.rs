//! Socratic: questions that can be checked, asked one after the other.

use super::{DEAL_AGAIN, EVERYTHING_SO_FAR, role, words};
use crate::model::{Execution, ModePlan, ParallelLevel, ViewPlan, VoterPlan, WavePlan};

pub static PLAN: ModePlan = ModePlan {
    name: "socratic",
    summary: "Agents speak one by one and advance by questions that can be checked.",
    in_brief: "asks",
    when: "Choose it when the question itself is unclear or rests on hidden premises. Not when you need a quick decision.",
    roles: &[role("questioner", "Questioner")],
    extra_agents: DEAL_AGAIN,
    waves: WavePlan::OneByOne,
    view: ViewPlan { open_questions: true, ..EVERYTHING_SO_FAR },
    parallel_default: ParallelLevel::None,
    execution: Execution::Sequential,
    groupthink: true,
    critiques: false,
    safety_constraints: false,
    perspectives: false,
    extended: None,
    default_rounds: None,
    voters: VoterPlan::EverySeat,
    estimates: false,
    words: words!["role-questioner.md", "sections-questioner.md", "contract.md", "checks.md",],
};
