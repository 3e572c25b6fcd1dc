//! Parts of a debate in words for a model, and stable names for programs.

use debate::model::{AnalysedBy, Nuances, PauseReason};

/// The clerk's findings between agreement and disagreement, in one list.
pub fn nuances(found: &Nuances) -> Vec<String> {
    [&found.partial_agreements, &found.conditional_positions, &found.uncertainties]
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}

/// The analysis that ran, in one word.
pub fn analysed_by(by: AnalysedBy) -> &'static str {
    match by {
        AnalysedBy::Basic => "basic",
        AnalysedBy::Clerk => "clerk",
        AnalysedBy::Votes => "votes",
    }
}

/// A pause, as a stable name.
pub fn pause_code(reason: &PauseReason) -> &'static str {
    match reason {
        PauseReason::Asked => "asked",
        PauseReason::Interrupted => "interrupted",
        PauseReason::QuorumLost { .. } => "quorum_lost",
        PauseReason::Budget { .. } => "budget",
        PauseReason::Trouble { .. } => "trouble",
        PauseReason::NeedsContext { .. } => "needs_context",
    }
}
