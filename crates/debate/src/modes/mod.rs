//! The ways of holding a debate, each a folder of data: its plan and its
//! words. Nothing here decides anything; the engine reads the plans. A new mode
//! is a new folder, named in the two lists below.

mod adversarial;
mod collaborative;
mod delphi;
mod devils_advocate;
mod expert_panel;
mod moderated;
mod red_team_blue_team;
mod socratic;

use crate::model::{
    EarlierRounds, ExtraAgents, ModePlan, RoleHolders, RolePlan, SeatNaming, Stance, ThisRound,
    ViewPlan,
};

/// Every mode, in the order in which they are listed to people.
static ALL: &[&ModePlan] = &[
    &collaborative::PLAN,
    &adversarial::PLAN,
    &socratic::PLAN,
    &expert_panel::PLAN,
    &devils_advocate::PLAN,
    &delphi::PLAN,
    &red_team_blue_team::PLAN,
    &moderated::PLAN,
];

pub fn all() -> &'static [&'static ModePlan] {
    ALL
}

pub fn find(name: &str) -> Option<&'static ModePlan> {
    ALL.iter().find(|plan| plan.name == name).copied()
}

/// All earlier rounds and nothing of this one: seats that speak at the same time
/// must not see each other's answers.
const EARLIER_ROUNDS: ViewPlan = ViewPlan {
    earlier: EarlierRounds::Everyone,
    this_round: ThisRound::Nothing,
    naming: SeatNaming::Named,
    rebut_previous: false,
    open_questions: false,
    statistics: false,
};

/// All earlier rounds and this one as far as it has come.
const EVERYTHING_SO_FAR: ViewPlan = ViewPlan { this_round: ThisRound::SoFar, ..EARLIER_ROUNDS };

/// A role without a team or an assigned stance, held by any number of seats.
const fn role(key: &'static str, title: &'static str) -> RolePlan {
    RolePlan { key, title, team: None, stance: None, held_by: RoleHolders::Many }
}

const fn role_of_one(key: &'static str, title: &'static str) -> RolePlan {
    RolePlan { held_by: RoleHolders::One, ..role(key, title) }
}

const fn role_with_stance(key: &'static str, title: &'static str, stance: Stance) -> RolePlan {
    RolePlan { stance: Some(stance), ..role(key, title) }
}

const fn role_in_team(key: &'static str, title: &'static str) -> RolePlan {
    RolePlan { team: Some(key), ..role(key, title) }
}

/// Names a mode's template files and takes their text from beside the plan.
macro_rules! words {
    ($($file:literal),* $(,)?) => { &[$(($file, include_str!($file))),*] };
}
use words;

/// The usual rule for agents beyond the number of roles.
const DEAL_AGAIN: ExtraAgents = ExtraAgents::DealAgain;

#[cfg(test)]
mod tests;
