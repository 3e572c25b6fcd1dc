//! What stated confidence and weighed probabilities are worth where somebody
//! measured it. Without a measurement nothing is changed.

use crate::model::{Agent, CalibrationRow, Room, SeatId, Weighing};

use crate::analysis::answers::trace::Trace;
use crate::analysis::spread::mean;
use crate::analysis::voting::voters::agent_of;

/// Outcomes from which a stated confidence enters as it was calibrated.
const ENOUGH_OUTCOMES: f64 = 20.0;

/// Brings the probabilities to what they were worth where somebody measured a
/// table of these models on questions of this kind. The order of the answers
/// stays: only how sure the table may be changes.
pub fn calibrate(room: &Room, voters: &[SeatId], weighing: &mut Weighing) {
    let Some(leading) = weighing.answers.first().map(|answer| answer.probability) else { return };
    let mut worth = Vec::new();
    for agent in voters.iter().filter_map(|seat| agent_of(room, *seat)) {
        match measured(room, agent).and_then(|row| row.verdict) {
            Some(line) => worth.push(line.calibrated(leading)),
            None => return,
        }
    }
    let Some(wanted) = mean(&worth) else { return };
    let rest = weighing.something_else.into_iter();
    let all: Vec<f64> =
        weighing.answers.iter().map(|answer| answer.probability).chain(rest).collect();
    let powered = |power: f64| -> Vec<f64> {
        let raised: Vec<f64> = all.iter().map(|p| p.max(f64::MIN_POSITIVE).powf(power)).collect();
        let sum: f64 = raised.iter().sum();
        raised.iter().map(|p| p / sum).collect()
    };
    let first = |power: f64| powered(power).first().copied().unwrap_or_default();
    let (mut low, mut high) = (0.0, 50.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if first(middle) < wanted { low = middle } else { high = middle }
    }
    let found = powered(high);
    weighing.uncalibrated = Some(leading);
    for (answer, probability) in weighing.answers.iter_mut().zip(&found) {
        answer.probability = *probability;
    }
    weighing.something_else =
        weighing.something_else.and_then(|_| found.get(weighing.answers.len()).copied());
}

/// What was measured about an agent's model on questions of this kind.
pub fn measured<'a>(room: &'a Room, agent: &Agent) -> Option<&'a CalibrationRow> {
    let model = format!("{}/{}", agent.provider, agent.model);
    room.brief.calibration.row(&model, &room.brief.question)
}

/// What the confidence a seat stated with its first answers was worth, where that
/// was measured; a stated confidence that nobody measured says nothing.
pub fn calibrated_confidence(
    room: &Room,
    trace: &Trace,
    seat: SeatId,
    agent: &Agent,
) -> Option<f64> {
    let learned = room.brief.learned().and_then(|lessons| lessons.calibration.get(&agent.name));
    let learned = learned.filter(|line| line.effective >= ENOUGH_OUTCOMES);
    let line = learned.copied().or_else(|| measured(room, agent)?.confidence)?;
    let stated = trace.first_answers(seat).iter().filter_map(|step| {
        let turn = room.round(step.round)?.turn(seat)?;
        Some(line.calibrated(turn.answer.confidence?))
    });
    mean(&stated.collect::<Vec<f64>>())
}
