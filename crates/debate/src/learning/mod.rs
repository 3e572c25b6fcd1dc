//! Learns from outcomes by plain arithmetic, by domain: the reliability of each
//! type of evidence, each model and each stated confidence, the questions worth
//! asking and the viewpoints that were missing. It knows no clock (days come in
//! as data), keeps no state (everything is computed from the outcomes) and learns
//! nothing from a debate that was not judged.

mod agents;
mod beta;
mod calibration;
mod checking;
mod counts;
mod evidence;
mod history;
mod judging;
mod lessons;
mod lineage;
mod questions;
mod remarks;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{
    AgentLearned, CalibrationLearned, Day, DomainLearned, EvidenceType, JudgedDebate, Learning,
    OutcomeOrigin, WeightLearned,
};
use crate::sorting::SortRows;

pub use beta::Beta;
pub use calibration::{STATED_CONFIDENCE, SlopePrior, VERDICT_PROBABILITY, fitted_line};
pub use checking::{OutcomeFault, OutcomeProblem, check, check_domain};
pub use counts::{
    AGENT_HALF_LIFE, DEFAULT_RELIABILITY, EVIDENCE_HALF_LIFE, MOST_PER_DEBATE, PSEUDO_COUNTS,
    VERSION_KEPT,
};
pub use history::{ChangeFilter, history};
pub use judging::{NONE_OF_THEM, judge};
pub use lessons::lessons;
pub use lineage::lineage;

use tally::OutcomeTally;

/// Everything that these outcomes teach, as of a day. Their order does not
/// matter; of two outcomes of one debate the later one counts.
pub fn learn(outcomes: &[JudgedDebate], today: Day) -> Learning {
    let sorted = in_order(outcomes);
    let mut tally = OutcomeTally::default();
    for judged in &sorted {
        tally.take(judged);
    }
    let stated = calibration::StatedAnswers::of(&sorted, today);
    let mut by_domain: BTreeMap<&str, Vec<&JudgedDebate>> = BTreeMap::new();
    for judged in &sorted {
        by_domain.entry(judged.domain.as_str()).or_default().push(judged);
    }
    let domains = by_domain
        .iter()
        .map(|(domain, outcomes)| of_domain(&tally, &stated, domain, outcomes, today))
        .collect();
    Learning {
        as_of: today,
        outcomes: count(sorted.len()),
        domains,
        calibration: stated.everywhere(),
    }
}

fn of_domain(
    tally: &OutcomeTally,
    stated: &calibration::StatedAnswers<'_>,
    domain: &str,
    outcomes: &[&JudgedDebate],
    today: Day,
) -> DomainLearned {
    let agents: BTreeSet<&str> =
        outcomes.iter().flat_map(|judged| &judged.voices).map(|v| v.agent.as_str()).collect();
    let weight = |kind: &EvidenceType| WeightLearned {
        evidence_type: *kind,
        estimate: tally.evidence(domain, *kind, today).estimate(),
    };
    let calibration: Vec<CalibrationLearned> =
        agents.iter().filter_map(|agent| stated.in_domain(agent, domain)).collect();
    DomainLearned {
        domain: domain.to_owned(),
        outcomes: count(outcomes.len()),
        imported: count(
            outcomes.iter().filter(|one| one.origin == OutcomeOrigin::Imported).count(),
        ),
        accuracy: outcomes.iter().map(|one| one.accuracy).sum::<f64>() / outcomes.len() as f64,
        weights: EvidenceType::ALL.iter().map(weight).collect(),
        agents: agents
            .iter()
            .map(|agent| AgentLearned {
                note: last_note(outcomes, agent),
                ..tally.learned(agent, domain, today)
            })
            .collect(),
        calibration,
        questions: questions::questions(tally.questions.get(domain), today),
        perspectives: questions::perspectives(outcomes, today),
        remarks: remarks::remarks(outcomes),
    }
}

fn last_note(outcomes: &[&JudgedDebate], agent: &str) -> String {
    let voices = outcomes.iter().flat_map(|judged| &judged.voices);
    let mut noted = voices.filter(|voice| voice.agent == agent && !voice.note.is_empty());
    noted.next_back().map(|voice| voice.note.clone()).unwrap_or_default()
}

/// By day, then by debate; one outcome per debate.
fn in_order(outcomes: &[JudgedDebate]) -> Vec<&JudgedDebate> {
    let mut last: BTreeMap<&str, &JudgedDebate> = BTreeMap::new();
    for judged in outcomes {
        let newer = |known: &&JudgedDebate| {
            (known.on, known.origin == OutcomeOrigin::Own)
                <= (judged.on, judged.origin == OutcomeOrigin::Own)
        };
        if last.get(judged.debate.as_str()).is_none_or(newer) {
            last.insert(&judged.debate, judged);
        }
    }
    let mut sorted: Vec<&JudgedDebate> = last.into_values().collect();
    sorted.sort_rows_by(|a, b| a.on.cmp(&b.on).then_with(|| a.debate.cmp(&b.debate)));
    sorted
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
