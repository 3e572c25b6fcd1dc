//! The group in figures: confidence, groups of like positions, votes. It names no
//! seat, and it leaves out a figure that no seat stated.

use std::fmt::Write;

use crate::model::{Ballot, RoundRecord};

pub(super) fn of(record: &RoundRecord) -> String {
    let mut out = String::with_capacity(160);
    let answered = record.answered().count();
    let _ = write!(out, "The group: {answered} of {} answered", record.turns.len());
    let mut stated: Vec<f64> =
        record.answered().filter_map(|turn| turn.answer.confidence).collect();
    stated.sort_by(f64::total_cmp);
    if !stated.is_empty() {
        let mean = stated.iter().sum::<f64>() / stated.len() as f64;
        let _ = write!(
            out,
            "; confidence mean {mean:.2}, median {:.2}, interquartile range {:.2} to {:.2}",
            quantile(&stated, 0.5),
            quantile(&stated, 0.25),
            quantile(&stated, 0.75),
        );
    }
    if let Some(analysis) = &record.analysis {
        let clusters = &analysis.consensus.clusters;
        let mut sizes: Vec<usize> = clusters.iter().map(|cluster| cluster.seats.len()).collect();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        for (place, size) in sizes.iter().enumerate() {
            out.push_str(if place == 0 { "; groups of like positions, by size: " } else { ", " });
            let _ = write!(out, "{size}");
        }
    }
    let mut first = true;
    for ballot in [Ballot::Accept, Ballot::Minor, Ballot::Blocker] {
        let votes = record.answered().filter_map(|turn| turn.answer.vote.as_ref());
        let count = votes.filter(|vote| vote.ballot == ballot).count();
        if count > 0 {
            out.push_str(if first { "; votes: " } else { ", " });
            let _ = write!(out, "{count} {}", ballot.word());
            first = false;
        }
    }
    out.push_str(".\n");
    out
}

/// Returns a quantile of figures in rising order, by linear interpolation.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * sorted.len().saturating_sub(1) as f64;
    let at = |index: usize| sorted.get(index).or(sorted.last()).copied().unwrap_or_default();
    let low = at(place.floor() as usize);
    low + (at(place.ceil() as usize) - low) * place.fract()
}
