//! Assigns roles to agents. Every role is held and every agent has a seat, as far
//! as the plan allows: agents beyond roles that only one may hold get no seat,
//! which `check` refuses beforehand.

use std::collections::HashSet;

use super::perspectives::{brought, deal_perspectives};
use super::table;
use crate::model::{Anchor, Brief, ExtraAgents, ModePlan, RoleHolders, RolePlan, Seat, SeatId};

/// Returns the seats of a debate. If the clerk is to name perspectives, the given
/// or built-in ones are assigned until it has answered, and for good if it fails.
pub fn seats(plan: &ModePlan, brief: &Brief) -> Vec<Seat> {
    let (roles, _) = table(plan, brief.depth);
    let dealt = deal(roles, plan.extra_agents, brief.agents.len());
    let names = names(&dealt, brief);
    let mut seats: Vec<Seat> = dealt
        .iter()
        .zip(names)
        .zip(Anchor::ALL.iter().cycle())
        .enumerate()
        .map(|(place, (((agent, role), name), anchor))| Seat {
            id: SeatId(place),
            agent: *agent,
            name,
            role: role.key.to_owned(),
            team: role.team.map(str::to_owned),
            stance: role.stance,
            perspective: None,
            anchor: *anchor,
        })
        .collect();
    if plan.perspectives {
        let perspectives = deal_perspectives(&brought(brief), brief, &seats);
        for (seat, perspective) in seats.iter_mut().zip(perspectives) {
            seat.perspective = perspective;
        }
    }
    seats
}

/// Returns the agent and the role of each seat. Roles come first, in order; with
/// fewer agents than roles the agents are dealt again in turn, so that no agent
/// has two seats more than another.
fn deal(
    roles: &'static [RolePlan],
    extra_agents: ExtraAgents,
    agents: usize,
) -> Vec<(usize, &'static RolePlan)> {
    if agents == 0 {
        return Vec::new();
    }
    let first = roles.iter().enumerate().map(|(place, role)| (place % agents, role));
    let extra = (roles.len()..agents).zip(extra_roles(roles, extra_agents));
    first.chain(extra).collect()
}

/// Returns the roles for agents beyond the number of roles, without end, or none
/// if each role is for one seat only.
fn extra_roles(
    roles: &'static [RolePlan],
    rule: ExtraAgents,
) -> impl Iterator<Item = &'static RolePlan> {
    let shared = roles.iter().filter(|role| role.held_by == RoleHolders::Many);
    let skipped = match rule {
        ExtraAgents::DealAgain => 0,
        ExtraAgents::JoinLast => shared.clone().count().saturating_sub(1),
    };
    shared.skip(skipped).cycle()
}

/// Returns the agent's name, with the role if the agent holds several, and a
/// number if the name is taken.
fn names(dealt: &[(usize, &'static RolePlan)], brief: &Brief) -> Vec<String> {
    let mut taken = HashSet::new();
    dealt
        .iter()
        .map(|(agent, role)| {
            let agent_name = brief.agents.get(*agent).map_or("", |agent| agent.name.trim());
            let several = dealt.iter().filter(|(other, _)| other == agent).count() > 1;
            let name = if several {
                format!("{agent_name} ({})", role.title.to_lowercase())
            } else {
                agent_name.to_owned()
            };
            let numbered = (2..).map(|number| format!("{name} {number}"));
            let mut candidates = std::iter::once(name.clone()).chain(numbered);
            candidates.find(|name| taken.insert(name.to_lowercase())).unwrap_or_default()
        })
        .collect()
}
