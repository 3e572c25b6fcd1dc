//! The waves of a round: those of the plan, changed by the parallelisation flag.
//! Every seat is in exactly one wave, and no wave is empty.

use super::table;
use crate::model::{
    Brief, ModePlan, ParallelLevel, RolePlan, Seat, SeatId, TeamOrder, VoterPlan, WavePlan,
};

pub fn waves(
    plan: &ModePlan,
    seats: &[Seat],
    level: ParallelLevel,
    brief: &Brief,
) -> Vec<Vec<SeatId>> {
    let own = planned(plan, seats, brief);
    let mut waves = match level {
        ParallelLevel::None => own,
        ParallelLevel::LastOnly => last_alone(own),
        ParallelLevel::Full => all_but_judges(plan, seats, own),
    };
    for wave in &mut waves {
        wave.sort_unstable();
    }
    waves.retain(|wave| !wave.is_empty());
    waves
}

fn planned(plan: &ModePlan, seats: &[Seat], brief: &Brief) -> Vec<Vec<SeatId>> {
    let (roles, waves) = table(plan, brief.depth);
    let all = seats.iter().map(|seat| seat.id);
    match (waves, brief.team_order) {
        (WavePlan::AllAtOnce, _) | (WavePlan::ByTeam, TeamOrder::AtOnce) => vec![all.collect()],
        (WavePlan::OneByOne, _) => all.map(|seat| vec![seat]).collect(),
        (WavePlan::ByRole(groups), _) => grouped(seats, groups.len(), |seat| {
            groups.iter().position(|group| group.contains(&seat.role.as_str()))
        }),
        (WavePlan::ByTeam, TeamOrder::InSequence) => {
            let teams = teams(roles);
            grouped(seats, teams.len(), |seat| {
                teams.iter().position(|team| seat.team.as_deref() == Some(*team))
            })
        }
    }
}

/// One wave per group, and a last one for seats that belong to none.
fn grouped(
    seats: &[Seat],
    groups: usize,
    group_of: impl Fn(&Seat) -> Option<usize>,
) -> Vec<Vec<SeatId>> {
    let mut waves = vec![Vec::new(); groups + 1];
    for seat in seats {
        if let Some(wave) = waves.get_mut(group_of(seat).unwrap_or(groups)) {
            wave.push(seat.id);
        }
    }
    waves
}

/// The teams in the order in which the roles name them.
fn teams(roles: &[RolePlan]) -> Vec<&'static str> {
    let mut teams = Vec::new();
    for team in roles.iter().filter_map(|role| role.team) {
        if !teams.contains(&team) {
            teams.push(team);
        }
    }
    teams
}

/// Joins all waves but the last, whose seats see everybody's answers. A round of
/// one wave stays as it is.
fn last_alone(mut waves: Vec<Vec<SeatId>>) -> Vec<Vec<SeatId>> {
    waves.retain(|wave| !wave.is_empty());
    match waves.pop() {
        None => Vec::new(),
        Some(last) => vec![waves.concat(), last],
    }
}

/// Joins all waves, but seats that judge the others speak after them.
fn all_but_judges(plan: &ModePlan, seats: &[Seat], waves: Vec<Vec<SeatId>>) -> Vec<Vec<SeatId>> {
    let VoterPlan::Roles(judging) = plan.voters else {
        return vec![waves.concat()];
    };
    let judges = |id: &SeatId| {
        seats.get(id.index()).is_some_and(|seat| judging.contains(&seat.role.as_str()))
    };
    let (last, others): (Vec<SeatId>, Vec<SeatId>) =
        waves.concat().into_iter().partition(|seat| judges(seat));
    vec![others, last]
}
