//! The plans against the published table, and that each plan is whole.

use super::all;
use crate::model::{
    EarlierRounds, Execution, ExtraAgents, ModePlan, ParallelLevel, RoleHolders, RolePlan,
    SeatNaming, Stance, ThisRound, WavePlan,
};

fn plan(name: &str) -> &'static ModePlan {
    super::find(name).unwrap()
}

fn tables(plan: &'static ModePlan) -> Vec<(&'static [RolePlan], WavePlan)> {
    let extended = plan.extended.map(|extended| (extended.roles, extended.waves));
    std::iter::once((plan.roles, plan.waves)).chain(extended).collect()
}

/// Covers: 4-table
#[test]
fn the_modes_follow_the_published_table() {
    use Execution::{Parallel, Sequential};
    use ParallelLevel::{Full, LastOnly, None};
    use ThisRound::{Nothing, OwnTeamSoFar, SoFar};
    // name, view of this round, groupthink, execution, parallel default, safety
    let rows = [
        ("collaborative", Nothing, true, Parallel, Full, false),
        ("adversarial", SoFar, false, Sequential, None, true),
        ("socratic", SoFar, true, Sequential, None, false),
        ("expert-panel", Nothing, true, Parallel, Full, false),
        ("devils-advocate", SoFar, false, Sequential, LastOnly, true),
        ("delphi", Nothing, true, Parallel, Full, false),
        ("red-team-blue-team", OwnTeamSoFar, true, Parallel, Full, true),
        ("moderated", SoFar, true, Parallel, Full, false),
    ];
    let found: Vec<_> = all()
        .iter()
        .map(|plan| {
            let (seen, level) = (plan.view.this_round, plan.parallel_default);
            let safety = plan.safety_constraints;
            (plan.name, seen, plan.groupthink, plan.execution, level, safety)
        })
        .collect();
    assert_eq!(found, rows);
}

#[test]
fn features_that_only_one_mode_has() {
    let modes_with = |has: fn(&ModePlan) -> bool| -> Vec<&str> {
        all().iter().filter(|plan| has(plan)).map(|plan| plan.name).collect()
    };
    assert_eq!(modes_with(|plan| plan.view.rebut_previous), ["adversarial"]);
    assert_eq!(modes_with(|plan| plan.view.open_questions), ["socratic"]);
    assert_eq!(modes_with(|plan| plan.perspectives), ["expert-panel"]);
    assert_eq!(modes_with(|plan| plan.view.statistics), ["delphi"]);
    assert_eq!(modes_with(|plan| plan.view.naming == SeatNaming::Anonymous), ["delphi"]);
    assert_eq!(
        modes_with(|plan| plan.view.earlier == EarlierRounds::OtherTeams),
        ["red-team-blue-team"]
    );
    assert_eq!(modes_with(|plan| plan.extended.is_some()), ["moderated"]);
    assert_eq!(
        modes_with(|plan| plan.roles.iter().any(|role| role.stance.is_some())),
        ["devils-advocate"]
    );
}

#[test]
fn the_stances_are_dealt_in_order_and_extra_agents_evaluate() {
    let plan = plan("devils-advocate");
    let stances: Vec<_> = plan.roles.iter().filter_map(|role| role.stance).collect();
    assert_eq!(stances, [Stance::Yes, Stance::No, Stance::Neutral]);
    assert_eq!(plan.extra_agents, ExtraAgents::JoinLast);
}

#[test]
fn one_seat_decides_and_one_refines() {
    let plan = plan("moderated");
    let alone = |roles: &[RolePlan]| -> Vec<&str> {
        let held = roles.iter().filter(|role| role.held_by == RoleHolders::One);
        held.map(|role| role.key).collect()
    };
    assert_eq!(alone(plan.roles), ["moderator"]);
    assert_eq!(alone(plan.extended.unwrap().roles), ["refiner", "moderator"]);
    assert_eq!(plan.default_rounds, Some(2));
}

#[test]
fn every_plan_is_whole() {
    for plan in all() {
        let has = |file: String| plan.words.iter().any(|(name, _)| *name == file);
        for (roles, waves) in tables(plan) {
            let keys: Vec<_> = roles.iter().map(|role| role.key).collect();
            for key in &keys {
                assert!(has(format!("role-{key}.md")), "{} {key}", plan.name);
                assert!(has(format!("sections-{key}.md")), "{} {key}", plan.name);
            }
            if let WavePlan::ByRole(waves) = waves {
                assert_eq!(waves.concat(), keys, "{}: each role speaks once", plan.name);
            }
        }
        assert!(has("contract.md".into()) && has("checks.md".into()), "{}", plan.name);
        assert!(plan.words.iter().all(|(_, text)| !text.trim().is_empty()), "{}", plan.name);
    }
}
