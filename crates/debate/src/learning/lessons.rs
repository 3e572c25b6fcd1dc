//! The lessons that a new debate starts with, as data for its brief, and each
//! lesson in words.

use std::collections::BTreeMap;

use super::calibration::StatedAnswers;
use super::counts::DEFAULT_RELIABILITY;
use super::tally::OutcomeTally;
use super::{in_order, questions};
use crate::model::{
    Agent, Day, EvidenceType, EvidenceWeights, JudgedDebate, Lessons, Perspective, QuestionState,
    Reliability, TrackRecord,
};

/// More would crowd out the rest of the prompt.
const MOST_QUESTIONS: usize = 8;
const MOST_PERSPECTIVES: usize = 4;
/// A weight that moved by less than this is shown as unchanged.
const VISIBLE: f64 = 0.005;
/// The same for what is shown in whole percent.
const VISIBLE_PERCENT: f64 = 0.01;

/// Returns, for each of these domains, the lessons for a debate of these agents.
/// A domain without outcomes has the agents' record elsewhere, or nothing.
pub fn lessons(
    outcomes: &[JudgedDebate],
    domains: &[String],
    agents: &[Agent],
    today: Day,
) -> Vec<Lessons> {
    let sorted = in_order(outcomes);
    let mut tally = OutcomeTally::default();
    for judged in &sorted {
        tally.take(judged);
    }
    let stated = StatedAnswers::of(&sorted, today);
    let one = |domain: &String| {
        let of_domain: Vec<&JudgedDebate> =
            sorted.iter().copied().filter(|judged| judged.domain == *domain).collect();
        of(&tally, &stated, domain, &of_domain, agents, today)
    };
    domains.iter().map(one).collect()
}

fn of(
    tally: &OutcomeTally,
    stated: &StatedAnswers<'_>,
    domain: &str,
    outcomes: &[&JudgedDebate],
    agents: &[Agent],
    today: Day,
) -> Lessons {
    let mut lessons = Lessons {
        domain: domain.to_owned(),
        as_of: today,
        outcomes: super::count(outcomes.len()),
        ..Lessons::default()
    };
    weights(tally, domain, today, &mut lessons);
    for agent in agents {
        let key = format!("{}/{}", agent.provider, agent.model);
        let standing = tally.standing(&key, domain, today);
        if standing.known > 0.0 {
            let used = standing.posterior.used();
            let record = TrackRecord { reliability: used, outcomes: standing.outcomes };
            lessons.reliability.by_agent.insert(agent.name.clone(), record);
        }
        if let Some(found) = stated.in_domain(&key, domain) {
            lessons.calibration.insert(agent.name.clone(), found.line);
        }
    }
    let required = questions::questions(tally.questions.get(domain), today);
    let required = required.into_iter().filter(|one| one.state == QuestionState::Required);
    lessons.questions = required.map(|one| one.question).take(MOST_QUESTIONS).collect();
    let missed = questions::perspectives(outcomes, today).into_iter().take(MOST_PERSPECTIVES);
    lessons.perspectives = missed
        .map(|one| Perspective {
            description: format!(
                "Earlier decisions of this kind lacked this viewpoint ({} of {} outcomes).",
                one.missed, one.of
            ),
            name: one.name,
            ..Perspective::default()
        })
        .collect();
    lessons.used.extend(in_words(&lessons.reliability, &lessons));
    lessons
}

fn weights(tally: &OutcomeTally, domain: &str, today: Day, lessons: &mut Lessons) {
    let mut used = BTreeMap::new();
    for kind in EvidenceType::ALL {
        let estimate = tally.evidence(domain, kind, today).estimate();
        used.insert(kind, estimate.used);
        if (estimate.used - estimate.prior).abs() >= VISIBLE {
            lessons.used.push(format!(
                "{} weighs {:.2} instead of {:.2} ({})",
                kind.word(),
                estimate.used,
                estimate.prior,
                outcomes_in_words(estimate.outcomes)
            ));
        }
    }
    let of = |kind| used.get(&kind).copied().unwrap_or_default();
    lessons.weights = EvidenceWeights {
        documented: of(EvidenceType::Documented),
        empirical: of(EvidenceType::Empirical),
        precedent: of(EvidenceType::Precedent),
        logical: of(EvidenceType::Logical),
        preferential: of(EvidenceType::Preferential),
        speculative: of(EvidenceType::Speculative),
    };
}

fn in_words(reliability: &Reliability, lessons: &Lessons) -> Vec<String> {
    let told =
        |record: &&TrackRecord| (record.reliability - DEFAULT_RELIABILITY).abs() >= VISIBLE_PERCENT;
    let mut words: Vec<String> = reliability
        .by_agent
        .iter()
        .filter(|(_, record)| told(record))
        .map(|(name, record)| {
            format!(
                "{name} is taken to be right {:.0} % of the time ({})",
                record.reliability * 100.0,
                outcomes_in_words(record.outcomes)
            )
        })
        .collect();
    words.extend(lessons.calibration.iter().map(|(name, line)| {
        format!(
            "{name} stating 0.90 is read as {:.2} ({})",
            line.calibrated(0.9),
            outcomes_in_words(line.outcomes)
        )
    }));
    words.extend(lessons.questions.iter().map(|question| format!("asked for: {question}")));
    words.extend(
        lessons.perspectives.iter().map(|one| format!("suggested viewpoint: {}", one.name)),
    );
    words
}

fn outcomes_in_words(count: u32) -> String {
    match count {
        0 => "from other versions of the model".into(),
        1 => "1 outcome".into(),
        count => format!("{count} outcomes"),
    }
}
