//! Parts of a round's analysis in words for a model.

use debate::model::{AnalysedBy, Nuances};

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
