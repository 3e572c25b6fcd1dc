//! Devil's advocate: one argues for, one against, and the rest weigh both.

use super::{EVERYTHING_SO_FAR, role_with_stance, words};
use crate::model::{Execution, ExtraAgents, ModePlan, ParallelLevel, Stance, VoterPlan, WavePlan};

pub static PLAN: ModePlan = ModePlan {
    name: "devils-advocate",
    summary: "One agent argues yes, one argues no, the others weigh the two cases.",
    in_brief: "argues yes against no",
    when: "Choose it for a yes or no where the table leans one way. Not for questions with many possible answers.",
    roles: &[
        role_with_stance("primary", "Primary", Stance::Yes),
        role_with_stance("opposition", "Opposition", Stance::No),
        role_with_stance("evaluator", "Evaluator", Stance::Neutral),
    ],
    extra_agents: ExtraAgents::JoinLast,
    waves: WavePlan::ByRole(&[&["primary"], &["opposition"], &["evaluator"]]),
    view: EVERYTHING_SO_FAR,
    parallel_default: ParallelLevel::LastOnly,
    execution: Execution::Sequential,
    groupthink: false,
    critiques: true,
    safety_constraints: true,
    perspectives: false,
    extended: None,
    default_rounds: None,
    voters: VoterPlan::Roles(&["evaluator"]),
    estimates: false,
    words: words![
        "role-primary.md",
        "sections-primary.md",
        "role-opposition.md",
        "sections-opposition.md",
        "role-evaluator.md",
        "sections-evaluator.md",
        "contract.md",
        "checks.md",
    ],
};
