//! How the one vote of a seat is spread over the answers it gave on its way, and
//! the rules for that.

use crate::model::{Round, SeatId};

use crate::analysis::answers::trace::{AnswerSwitch as Change, Trace};

/// What a vote is worth that moved without new evidence.
const FIRST_PART: f64 = 0.5;
const MIDDLE_PART: f64 = 0.2;
const LAST_PART: f64 = 0.3;

/// The rules of the weighing, each of which can be left out to see what it does.
/// A debate is always weighed by all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeighingRules {
    /// Copies of a model or family are discounted.
    pub discount_copies: bool,
    /// The pooled log-odds are tempered, because models err together.
    pub temper: bool,
    /// A switch that cites a new source counts in full.
    pub new_evidence: bool,
    /// A switch without one keeps part of its first vote.
    pub keep_first: bool,
    /// Where the question has a form, the first votes lead until somebody who
    /// moves brings evidence.
    pub hold_first: bool,
}

impl WeighingRules {
    pub const ALL_ON: WeighingRules = WeighingRules {
        discount_copies: true,
        temper: true,
        new_evidence: true,
        keep_first: true,
        hold_first: true,
    };
}

/// The round of a seat's last switch that came with new evidence.
fn convinced_in(seat: SeatId, switches: &[Change], rules: WeighingRules) -> Option<Round> {
    switches
        .iter()
        .filter(|_| rules.new_evidence)
        .filter(|switch| switch.seat == seat && !switch.evidence.is_empty())
        .map(|switch| switch.to.round)
        .max()
}

/// How a seat's one vote is spread over the answers. It begins anew at its last
/// switch that came with new evidence; from there a vote that never moved
/// counts in full, and one that moved keeps part of where it began.
pub fn vote_parts(
    trace: &Trace,
    seat: SeatId,
    switches: &[Change],
    rules: WeighingRules,
) -> Vec<f64> {
    let convinced = convinced_in(seat, switches, rules);
    let path: Vec<usize> = trace
        .path(seat)
        .iter()
        .filter(|step| convinced.is_none_or(|round| step.round >= round))
        .map(|step| step.answer)
        .collect();
    let first = match convinced {
        Some(_) => path.get(..1).unwrap_or_default().to_vec(),
        None => trace.first_answers(seat).iter().map(|step| step.answer).collect(),
    };
    let mut parts = vec![0.0; trace.answers.len()];
    match path.as_slice() {
        [] => {}
        [.., last] if !rules.keep_first => give(&mut parts, &[*last], 1.0),
        [_] => give(&mut parts, &first, 1.0),
        [_, last] => {
            let whole = FIRST_PART + LAST_PART;
            give(&mut parts, &first, FIRST_PART / whole);
            give(&mut parts, &[*last], LAST_PART / whole);
        }
        [_, middle @ .., last] => {
            give(&mut parts, &first, FIRST_PART);
            give(&mut parts, middle, MIDDLE_PART);
            give(&mut parts, &[*last], LAST_PART);
        }
    }
    parts
}

/// The same where only evidence moves a vote: what a seat said first, or since it
/// was last convinced by something that can be checked.
pub fn held_parts(
    trace: &Trace,
    seat: SeatId,
    switches: &[Change],
    rules: WeighingRules,
) -> Vec<f64> {
    let convinced = convinced_in(seat, switches, rules);
    let held: Vec<usize> = match convinced {
        None => trace.first_answers(seat).iter().map(|step| step.answer).collect(),
        Some(round) => {
            let since = trace.path(seat).iter().filter(|step| step.round >= round);
            since.take(1).map(|step| step.answer).collect()
        }
    };
    let mut parts = vec![0.0; trace.answers.len()];
    give(&mut parts, &held, 1.0);
    parts
}

/// Gives a part of a vote to these answers, the same to each.
fn give(parts: &mut [f64], answers: &[usize], part: f64) {
    for answer in answers {
        if let Some(slot) = parts.get_mut(*answer) {
            *slot += part / answers.len() as f64;
        }
    }
}
