//! The reliability of a model in two levels: its record elsewhere is the starting
//! point in a domain, and its record in the domain moves it from there. Other
//! versions of the model count for a part.

use super::counts::{
    AGENT_HALF_LIFE, AGENT_PSEUDO_COUNTS, DEFAULT_RELIABILITY, OutcomeCounts, PSEUDO_COUNTS,
    Posterior, VERSION_KEPT,
};
use super::lineage::lineage;
use super::tally::OutcomeTally;
use crate::model::{AgentLearned, Day};

/// An agent's record in a domain.
pub(super) struct AgentStanding {
    pub posterior: Posterior,
    pub elsewhere: f64,
    pub carried: f64,
    /// Effective outcomes in every domain.
    pub known: f64,
    /// Its own outcomes, in every domain.
    pub outcomes: u32,
}

impl OutcomeTally {
    pub(super) fn standing(&self, agent: &str, domain: &str, day: Day) -> AgentStanding {
        let (mut here, mut elsewhere) = (OutcomeCounts::default(), OutcomeCounts::default());
        let mut carried = 0.0;
        let versions = self.versions.get(&lineage(agent));
        for version in versions.into_iter().flatten() {
            let share = if version == agent { 1.0 } else { VERSION_KEPT };
            for (name, running) in self.agents.get(version).into_iter().flatten() {
                let counts = running.on(day, AGENT_HALF_LIFE);
                if version != agent {
                    carried += counts.total() * share;
                }
                if name == domain {
                    here = here.plus(counts, share);
                } else {
                    elsewhere = elsewhere.plus(counts, share);
                }
            }
        }
        let start = (elsewhere.good + PSEUDO_COUNTS * DEFAULT_RELIABILITY)
            / (elsewhere.total() + PSEUDO_COUNTS);
        let beta = super::Beta::centred(start, AGENT_PSEUDO_COUNTS).with(here.good, here.bad);
        AgentStanding {
            posterior: Posterior {
                prior: DEFAULT_RELIABILITY,
                beta,
                effective: here.total(),
                outcomes: here.outcomes,
            },
            elsewhere: start,
            carried,
            known: here.total() + elsewhere.total(),
            outcomes: here.outcomes + elsewhere.outcomes,
        }
    }

    pub(super) fn learned(&self, agent: &str, domain: &str, day: Day) -> AgentLearned {
        let standing = self.standing(agent, domain, day);
        AgentLearned {
            agent: agent.to_owned(),
            estimate: standing.posterior.estimate(),
            elsewhere: standing.elsewhere,
            carried: standing.carried,
            note: String::new(),
        }
    }
}
