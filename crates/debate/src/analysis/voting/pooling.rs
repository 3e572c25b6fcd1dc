//! The combined value of all voices if the question asks for a number or a
//! probability. It is never sharpened: models share what they know, so pooling
//! them adds no certainty.

use crate::model::{Choice, FamilyValue, PoolMethod, PooledValue, Room, SeatId, Voice};

use crate::analysis::answers::trace::{AnswerStep, Trace, value};
use crate::analysis::spread::{mean, quantile};
use crate::analysis::voting::voters::family_name;

/// Keeps a stated certainty from outweighing every other voice.
const LEAST_PROBABILITY: f64 = 0.01;

struct VoiceEstimate<'a> {
    voice: &'a Voice,
    choice: &'a Choice,
    value: f64,
}

pub fn pool(room: &Room, trace: &Trace, voices: &[Voice]) -> Option<PooledValue> {
    let first = said(room, voices, |seat| trace.first_answers(seat));
    let last = if trace.is_sealed() {
        said(room, voices, |seat| trace.first_answers(seat))
    } else {
        said(room, voices, |seat| {
            trace.path(seat).last().map(std::slice::from_ref).unwrap_or_default()
        })
    };
    let values = || last.iter().map(|said| said.value);
    Some(PooledValue {
        method: method(&last)?,
        first: pooled(room, &first),
        last: pooled(room, &last)?,
        lowest: values().min_by(f64::total_cmp)?,
        highest: values().max_by(f64::total_cmp)?,
        families: families(room, &last),
    })
}

/// The figures that voices gave at these steps of theirs.
fn said<'a>(
    room: &'a Room,
    voices: &'a [Voice],
    steps: impl Fn(SeatId) -> &'a [AnswerStep],
) -> Vec<VoiceEstimate<'a>> {
    let mut all = Vec::with_capacity(voices.len());
    for voice in voices {
        for step in steps(voice.seat) {
            let turn = room.round(step.round).and_then(|round| round.turn(voice.seat));
            let choice = turn.and_then(|turn| turn.answer.answer.as_ref());
            if let Some((choice, value)) = choice.and_then(|one| Some((one, value(one)?))) {
                all.push(VoiceEstimate { voice, choice, value });
            }
        }
    }
    all
}

fn method(said: &[VoiceEstimate<'_>]) -> Option<PoolMethod> {
    let all = !said.is_empty();
    let probabilities = said.iter().all(|said| matches!(said.choice, Choice::Probability(_)));
    all.then_some(if probabilities {
        PoolMethod::MeanLogOdds
    } else {
        PoolMethod::FamilyMedianMean
    })
}

fn pooled(room: &Room, said: &[VoiceEstimate<'_>]) -> Option<f64> {
    match method(said)? {
        PoolMethod::MeanLogOdds => mean_log_odds(said),
        PoolMethod::FamilyMedianMean => {
            let medians: Vec<f64> =
                families(room, said).iter().map(|family| family.value).collect();
            mean(&medians)
        }
    }
}

/// σ(Σ ωᵢ logit pᵢ ÷ Σ ωᵢ).
fn mean_log_odds(said: &[VoiceEstimate<'_>]) -> Option<f64> {
    let weights: f64 = said.iter().map(|said| said.voice.discount).sum();
    let logit = |p: f64| {
        let p = p.clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY);
        (p / (1.0 - p)).ln()
    };
    let sum: f64 = said.iter().map(|said| said.voice.discount * logit(said.value)).sum();
    (weights > 0.0).then(|| 1.0 / (1.0 + (-sum / weights).exp()))
}

/// Returns the median of each family; a model that names no family is a family of
/// its own.
fn families(room: &Room, said: &[VoiceEstimate<'_>]) -> Vec<FamilyValue> {
    let mut families: Vec<(String, Vec<SeatId>, Vec<f64>)> = Vec::new();
    for said in said {
        let seat = room.seats.get(said.voice.seat.index());
        let agent = seat.and_then(|seat| room.brief.agents.get(seat.agent));
        let name = agent.map(family_name).unwrap_or_default();
        match families.iter_mut().find(|(known, ..)| known.eq_ignore_ascii_case(&name)) {
            Some((_, seats, values)) => {
                if !seats.contains(&said.voice.seat) {
                    seats.push(said.voice.seat);
                }
                values.push(said.value);
            }
            None => families.push((name, vec![said.voice.seat], vec![said.value])),
        }
    }
    let one = |(family, seats, mut values): (String, Vec<SeatId>, Vec<f64>)| {
        values.sort_by(f64::total_cmp);
        let value = quantile(&values, 0.5)?;
        Some(FamilyValue { family, value, seats })
    };
    families.into_iter().filter_map(one).collect()
}
