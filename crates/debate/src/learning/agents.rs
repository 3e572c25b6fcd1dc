//! How often a model is right, in two levels: what it did elsewhere is where it
//! starts in a domain, what it did in the domain moves it from there. Other
//! versions of the model count for a part.

use super::tally::{
    AGENT_HALF_LIFE, AGENT_PSEUDO_COUNTS, Counts, DEFAULT_RELIABILITY, PSEUDO_COUNTS, Posterior,
    Tally, VERSION_KEPT,
};
use crate::model::{AgentLearned, Day};

/// Words in a model's name that say which release it is and nothing else.
const RELEASE_WORDS: [&str; 6] = ["latest", "preview", "exp", "experimental", "beta", "stable"];
const SEPARATORS: [char; 6] = ['-', '_', '.', ':', '@', '/'];

/// A model's name without its version: `x/sonnet-4-5` and `x/sonnet-5` are one.
/// The size stays, since a small model is no version of a large one.
pub fn lineage(agent: &str) -> String {
    let (provider, model) = agent.split_once('/').unwrap_or(("", agent));
    let parts: Vec<String> =
        model.to_lowercase().split(SEPARATORS).filter_map(unversioned).collect();
    format!("{provider}/{}", parts.join("-"))
}

fn unversioned(part: &str) -> Option<String> {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let is_size = digits > 0
        && part.ends_with(['b', 'm'])
        && part.trim_end_matches(['b', 'm']).bytes().all(|b| b.is_ascii_digit() || b == b'x');
    if is_size {
        return Some(part.to_owned());
    }
    let begins_with_digit = part.starts_with(|c: char| c.is_ascii_digit());
    let bare = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let says_nothing = bare.is_empty()
        || begins_with_digit
        || (bare == "v" && digits > 0)
        || RELEASE_WORDS.contains(&bare);
    (!says_nothing).then(|| bare.to_owned())
}

/// Where an agent stands in a domain.
pub(super) struct Standing {
    pub posterior: Posterior,
    pub elsewhere: f64,
    pub carried: f64,
    /// Effective outcomes in every domain.
    pub known: f64,
    /// Its own outcomes, in every domain.
    pub outcomes: u32,
}

impl Tally {
    pub(super) fn standing(&self, agent: &str, domain: &str, day: Day) -> Standing {
        let (mut here, mut elsewhere) = (Counts::default(), Counts::default());
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
        Standing {
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
