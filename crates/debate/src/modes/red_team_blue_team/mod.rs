//! Red team, blue team: one team attacks, the other defends.

use super::{DEAL_AGAIN, EARLIER_ROUNDS, role_in_team, words};
use crate::model::{
    EarlierRounds, Execution, ModePlan, ParallelLevel, ThisRound, ViewPlan, VoterPlan, WavePlan,
};

pub static PLAN: ModePlan = ModePlan {
    name: "red-team-blue-team",
    summary: "A red team attacks the proposal and a blue team defends and mends it.",
    in_brief: "attacks and defends a plan",
    when: "Choose it for security, safety and launch reviews. Not for choosing between equal options.",
    roles: &[role_in_team("red", "Red team"), role_in_team("blue", "Blue team")],
    extra_agents: DEAL_AGAIN,
    waves: WavePlan::ByTeam,
    view: ViewPlan {
        earlier: EarlierRounds::OtherTeams,
        this_round: ThisRound::OwnTeamSoFar,
        ..EARLIER_ROUNDS
    },
    parallel_default: ParallelLevel::Full,
    execution: Execution::Parallel,
    groupthink: true,
    critiques: true,
    safety_constraints: true,
    perspectives: false,
    extended: None,
    default_rounds: None,
    voters: VoterPlan::NoSeat { leads: "blue" },
    estimates: false,
    words: words![
        "role-red.md",
        "sections-red.md",
        "role-blue.md",
        "sections-blue.md",
        "contract.md",
        "checks.md",
    ],
};
