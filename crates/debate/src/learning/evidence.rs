//! The counts that one outcome adds for one type of evidence. Items of one type
//! in one debate are not independent: k of them count as much as √k, and never
//! more than two.

use super::counts::MOST_PER_DEBATE;
use crate::model::{EvidenceType, JudgedDebate, Validation};

/// The count of an item that was not judged itself, only the decision.
const BY_DECISION_ONLY: f64 = 0.25;
/// A true item is taken to be this many times as frequent behind a decision that
/// turned out right as a false one.
const TRUE_TO_FALSE: f64 = 2.0;

/// Good and bad counts, with the reason.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EvidenceTally {
    pub good: f64,
    pub bad: f64,
    pub reason: String,
}

pub(super) fn seen(judged: &JudgedDebate, kind: EvidenceType) -> Option<EvidenceTally> {
    let found = || judged.evidence.iter().filter(|one| one.evidence_type == kind);
    let items = found().count();
    if items > 0 {
        let good: f64 = found().map(|one| share(one.validation)).sum();
        let each = weight(items, 1.0) * judged.origin.weight();
        let reason = reason(judged, kind);
        return Some(EvidenceTally {
            good: each * good,
            bad: each * (items as f64 - good),
            reason,
        });
    }
    let relied = judged.relied_on.iter().find(|one| one.evidence_type == kind)?;
    let items = usize::try_from(relied.items).ok().filter(|items| *items > 0)?;
    let sum = weight(items, BY_DECISION_ONLY) * items as f64 * judged.origin.weight();
    let right = true_given(kind.published_weight(), judged.accuracy);
    let reason = format!(
        "not judged by itself, but the decision it carried was {:.0} % accurate",
        judged.accuracy * 100.0
    );
    Some(EvidenceTally { good: sum * right, bad: sum * (1.0 - right), reason })
}

/// Returns the count of each of k items.
fn weight(items: usize, each: f64) -> f64 {
    let k = items as f64;
    (each / k.sqrt()).min(MOST_PER_DEBATE / k)
}

fn share(validation: Validation) -> f64 {
    match validation {
        // Evidence that was dismissed and turned out to matter was true.
        Validation::Validated | Validation::DismissedButRelevant => 1.0,
        Validation::Incomplete => 0.5,
        Validation::Refuted => 0.0,
    }
}

/// P(item true | decision accuracy), between Bayes' results for right and wrong.
fn true_given(prior: f64, accuracy: f64) -> f64 {
    let after = |odds: f64| prior * odds / (prior * odds + 1.0 - prior);
    let (right, wrong) = (after(TRUE_TO_FALSE), after(1.0 / TRUE_TO_FALSE));
    wrong + (right - wrong) * accuracy
}

fn reason(judged: &JudgedDebate, kind: EvidenceType) -> String {
    let parts: Vec<String> = Validation::ALL
        .iter()
        .filter_map(|validation| {
            let like = |one: &&crate::model::JudgedEvidence| {
                one.evidence_type == kind && one.validation == *validation
            };
            let number = judged.evidence.iter().filter(like).count();
            (number > 0).then(|| format!("{number} {}", validation.word().replace('_', " ")))
        })
        .collect();
    parts.join(", ")
}
