//! Where a debate stands after its last analysed round: the result in words, the sides,
//! what is at issue, and the meters.

use askama::Template;
use debate::model::{AnalysedBy, ClaimStatus, Consensus, Room, RoundAnalysis, counted};

use crate::report::sheet::signs::{LinkedText, SeatSign, ShareBar, TableSigns, percent};

/// The level of agreement that counts as high.
const HIGH: f64 = 0.70;
/// Disputed claims that are shown while it runs.
const MOST_ISSUES: usize = 3;

#[derive(Template)]
#[template(path = "live_stand.html", whitespace = "preserve")]
pub struct StandPart {
    round: u32,
    lead: String,
    sides: Vec<(Vec<SeatSign>, String)>,
    issues: Vec<(String, String)>,
    facts: String,
    meters: Vec<LiveMeter>,
}

struct LiveMeter {
    name: &'static str,
    value: String,
    note: String,
    bar: ShareBar,
}

impl StandPart {
    pub fn of(room: &Room, signs: &TableSigns) -> StandPart {
        let analysed = room
            .rounds
            .iter()
            .rev()
            .find_map(|record| record.analysis.as_ref().map(|analysis| (record, analysis)));
        let issue = |claim: &debate::model::Claim| (claim.id.to_string(), claim.text.clone());
        let contested = room.ledger.with_status(ClaimStatus::Contested);
        let Some((record, analysis)) = analysed else {
            return StandPart {
                round: 0,
                lead: String::new(),
                sides: Vec::new(),
                issues: Vec::new(),
                facts: String::new(),
                meters: Vec::new(),
            };
        };
        let side =
            |cluster: &debate::model::Cluster| (signs.seats(&cluster.seats), cluster.theme.clone());
        StandPart {
            round: record.number,
            lead: LinkedText::of(&lead(&analysis.consensus), &room.ledger).to_string(),
            sides: analysis.consensus.clusters.iter().map(side).collect(),
            issues: contested.take(MOST_ISSUES).map(issue).collect(),
            facts: format!(
                "{} and {} in round {}",
                counted(record.new_claims.len(), "new claim"),
                counted(record.new_evidence.len(), "new source"),
                record.number
            ),
            meters: meters(room, analysis),
        }
    }
}

/// The result of a round in words. Without a clerk it is one sentence: the sides stand
/// below it.
fn lead(consensus: &Consensus) -> String {
    match (consensus.by, consensus.summary.split_once(". ")) {
        (AnalysedBy::Basic, Some((first, _))) if !consensus.clusters.is_empty() => {
            format!("{first}.")
        }
        _ => consensus.summary.clone(),
    }
}

fn meters(room: &Room, analysis: &RoundAnalysis) -> Vec<LiveMeter> {
    let mut meters = Vec::new();
    meters.extend(analysis.consensus.agreement_level.map(|level| LiveMeter {
        name: "Agreement",
        value: percent(level),
        note: "high from 70".into(),
        bar: ShareBar::of(level).tick(HIGH),
    }));
    let spread = &analysis.confidence;
    meters.extend(spread.mean.map(|mean| LiveMeter {
        name: "Mean confidence",
        value: percent(mean),
        note: match (spread.min, spread.max) {
            (Some(least), Some(most)) => {
                format!("{} to {}", (least * 100.0).round(), (most * 100.0).round())
            }
            _ => String::new(),
        },
        bar: ShareBar::of(mean),
    }));
    let claims = &room.ledger.claims;
    let grounded = claims.iter().filter(|claim| !claim.support.is_empty()).count();
    if !claims.is_empty() {
        meters.push(LiveMeter {
            name: "Claims with a source",
            value: grounded.to_string(),
            note: format!("of {}", claims.len()),
            bar: ShareBar::of(grounded as f64 / claims.len() as f64),
        });
    }
    meters
}
