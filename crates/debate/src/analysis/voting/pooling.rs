//! The combined value of all voices if the question asks for a number or a
//! probability. It is never sharpened: models share what they know, so pooling
//! them adds no certainty.

use crate::model::{Choice, FamilyValue, PoolMethod, PooledValue, Room, SeatId, Voice};

use crate::analysis::answers::trace::{AnswerStep, Trace, value};
use crate::analysis::spread::{mean, quantile};

/// Keeps a stated certainty from outweighing every other voice.
const LEAST_PROBABILITY: f64 = 0.01;

struct VoiceEstimate<'a> {
    voice: &'a Voice,
    choice: &'a Choice,
    value: f64,
}

pub fn pool(room: &Room, trace: &Trace, voices: &[Voice]) -> Option<PooledValue> {
    let last = said(room, trace, voices, <[AnswerStep]>::last);
    let values = || last.iter().map(|said| said.value);
    Some(PooledValue {
        method: method(&last)?,
        first: pooled(room, &said(room, trace, voices, <[AnswerStep]>::first)),
        last: pooled(room, &last)?,
        lowest: values().min_by(f64::total_cmp)?,
        highest: values().max_by(f64::total_cmp)?,
        families: families(room, &last),
    })
}

fn said<'a>(
    room: &'a Room,
    trace: &Trace,
    voices: &'a [Voice],
    pick: fn(&[AnswerStep]) -> Option<&AnswerStep>,
) -> Vec<VoiceEstimate<'a>> {
    let one = |voice: &'a Voice| {
        let step = pick(trace.path(voice.seat))?;
        let choice = room.round(step.round)?.turn(voice.seat)?.answer.answer.as_ref()?;
        Some(VoiceEstimate { voice, choice, value: value(choice)? })
    };
    voices.iter().filter_map(one).collect()
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
        let name = agent
            .map(|agent| agent.family.clone().unwrap_or_else(|| agent.model.clone()))
            .unwrap_or_default();
        match families.iter_mut().find(|(known, ..)| known.eq_ignore_ascii_case(&name)) {
            Some((_, seats, values)) => {
                seats.push(said.voice.seat);
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
