//! The changes that each outcome made to each estimate, in order: old, new,
//! interval, reason. Nothing is stored: the records are computed from the
//! outcomes, so undoing one rewrites them as if it had never been.

use super::counts::Posterior;
use super::tally::OutcomeTally;
use super::{evidence, in_order, questions};
use crate::model::{ChangeSubject, Day, EstimateChange, EvidenceType, JudgedDebate};

/// Selects changes; an empty filter takes all.
#[derive(Debug, Clone, Default)]
pub struct ChangeFilter {
    pub domain: Option<String>,
    pub subject: Option<ChangeSubject>,
    /// Only the changes by the outcome of this debate.
    pub outcome: Option<String>,
}

impl ChangeFilter {
    fn wants_outcome(&self, judged: &JudgedDebate) -> bool {
        self.domain.as_ref().is_none_or(|domain| *domain == judged.domain)
            && self.outcome.as_ref().is_none_or(|outcome| *outcome == judged.debate)
    }

    fn wants(&self, subject: &ChangeSubject) -> bool {
        self.subject.as_ref().is_none_or(|wanted| wanted == subject)
    }
}

pub fn history(outcomes: &[JudgedDebate], filter: &ChangeFilter) -> Vec<EstimateChange> {
    let mut tally = OutcomeTally::default();
    let mut changes = Vec::new();
    for judged in in_order(outcomes) {
        if !filter.wants_outcome(judged) {
            tally.take(judged);
            continue;
        }
        let subjects: Vec<(ChangeSubject, String)> =
            touched(judged).into_iter().filter(|(subject, _)| filter.wants(subject)).collect();
        let before: Vec<Option<Posterior>> =
            subjects.iter().map(|(subject, _)| stands(&tally, judged, subject)).collect();
        tally.take(judged);
        for ((subject, reason), old) in subjects.into_iter().zip(before) {
            let Some(new) = stands(&tally, judged, &subject) else { continue };
            changes.push(change(judged, subject, reason, old, new));
        }
    }
    changes
}

fn change(
    judged: &JudgedDebate,
    what: ChangeSubject,
    reason: String,
    old: Option<Posterior>,
    new: Posterior,
) -> EstimateChange {
    let after = new.estimate();
    EstimateChange {
        on: judged.on,
        domain: judged.domain.clone(),
        what,
        old: old.map_or(after.prior, |old| old.mean()),
        new: after.mean,
        used_before: old.map_or(after.prior, |old| old.used()),
        used_after: after.used,
        interval: after.interval,
        reason,
        outcome: judged.debate.clone(),
        outcomes: after.outcomes,
    }
}

fn stands(
    tally: &OutcomeTally,
    judged: &JudgedDebate,
    subject: &ChangeSubject,
) -> Option<Posterior> {
    let (domain, day): (&str, Day) = (&judged.domain, judged.on);
    match subject {
        ChangeSubject::Evidence { evidence_type } => {
            Some(tally.evidence(domain, *evidence_type, day))
        }
        ChangeSubject::Agent { agent } => Some(tally.standing(agent, domain, day).posterior),
        ChangeSubject::Question { question } => {
            let counts = tally.questions.get(domain)?.get(&questions::plain(question))?;
            Some(questions::posterior(counts, day))
        }
    }
}

/// Returns the estimates that an outcome touches, each with the reason.
fn touched(judged: &JudgedDebate) -> Vec<(ChangeSubject, String)> {
    let mut all = Vec::new();
    for evidence_type in EvidenceType::ALL {
        if let Some(seen) = evidence::seen(judged, evidence_type) {
            all.push((ChangeSubject::Evidence { evidence_type }, seen.reason));
        }
    }
    for voice in judged.voices.iter().filter(|voice| voice.told > 0.0) {
        let subject = ChangeSubject::Agent { agent: voice.agent.clone() };
        // Two seats of one model are one subject; the change is that of both.
        if !all.iter().any(|(known, _)| *known == subject) {
            let own = judged.voices.iter().filter(|other| other.agent == voice.agent);
            let rights: Vec<String> =
                own.map(|voice| format!("{:.0} %", voice.right * 100.0)).collect();
            all.push((subject, format!("its vote was {} right", rights.join(" and "))));
        }
    }
    let asked = judged.asked_for.iter().map(|question| (question, "this outcome asked for it"));
    let tried = judged.questions.iter().map(|asked| {
        if asked.surfaced {
            (&asked.question, "asking it revealed what mattered")
        } else {
            (&asked.question, "asking it revealed nothing")
        }
    });
    for (question, reason) in asked.chain(tried) {
        all.push((ChangeSubject::Question { question: question.clone() }, reason.to_owned()));
    }
    all
}
