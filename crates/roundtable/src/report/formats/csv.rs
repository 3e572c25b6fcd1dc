//! The claims as CSV, one line each, then what a reader must know about the
//! whole debate. No cell can be a formula.

use debate::model::*;

use crate::document::escape::cell;
use engine::export::ExportedDebate;
use engine::export::state::names;

const HEAD: [&str; 14] = [
    "id",
    "claim",
    "label",
    "evidence type",
    "status",
    "strength",
    "author",
    "held by",
    "opposed by",
    "introduced in round",
    "last updated in round",
    "supported by",
    "opposed by claims",
    "sources",
];

/// Stands where a claim has its id, on the lines that say something about the
/// whole debate.
const NOTICE: &str = "notice";

pub fn csv(exported: &ExportedDebate) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(HEAD);
    for claim in &exported.room().ledger.claims {
        let _ = writer.write_record(row(exported, claim));
    }
    for notice in &exported.notices {
        let text =
            format!("{}: {}", crate::report::debate::words::notice_head(notice), notice.text);
        let mut row = vec![NOTICE.to_string(), cell(&text)];
        row.resize(HEAD.len(), String::new());
        let _ = writer.write_record(row);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn row(exported: &ExportedDebate, claim: &Claim) -> Vec<String> {
    let room = exported.room();
    let who = |seats: &[SeatId]| cell(&names(room, seats).join("; "));
    let ids = |ids: &[ClaimId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let sources: Vec<String> = claim
        .support
        .iter()
        .filter_map(|id| room.ledger.source(*id))
        .map(|source| {
            let place = source.url.as_deref().unwrap_or_default();
            format!("[{}] {} {place}", source.id.0, source.title)
        })
        .collect();
    vec![
        claim.id.to_string(),
        cell(&claim.text),
        claim.label.word().into(),
        claim.evidence_type.word().into(),
        claim.status.word().into(),
        format!("{:.3}", claim.strength),
        who(&[claim.author]),
        who(&claim.holders),
        who(&claim.opposers),
        claim.introduced_round.to_string(),
        claim.last_updated_round.to_string(),
        ids(&claim.supported_by),
        ids(&claim.opposition),
        cell(&sources.join("; ")),
    ]
}
