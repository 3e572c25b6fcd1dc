//! A standard and an extended debate on one topic, side by side.

use crate::model::{DepthComparison, Quality, Room};

/// Compares the extended debate with the standard one. Figures come from the
/// verdicts; a debate without a verdict leaves them absent.
pub fn compare_depths(standard: &Room, extended: &Room) -> DepthComparison {
    let quality = |room: &Room, of: fn(&Quality) -> Option<f64>| {
        room.verdict.as_ref().and_then(|verdict| of(&verdict.metadata.quality))
    };
    let gain =
        |of: fn(&Quality) -> Option<f64>| Some(quality(extended, of)? - quality(standard, of)?);
    DepthComparison {
        quality: gain(|quality| quality.reasoning_depth),
        diversity: gain(|quality| Some(quality.argument_diversity)),
        confidence: gain(|quality| quality.decision_confidence),
        cost_multiple: cost(extended).zip(cost(standard)).map(|(deep, plain)| deep / plain),
    }
}

/// Returns the cost; absent if nothing was spent or a call has no known price.
fn cost(room: &Room) -> Option<f64> {
    let known = room.spent.unpriced_calls == 0 && room.spent.cost.0 > 0;
    known.then(|| room.spent.cost.usd())
}
