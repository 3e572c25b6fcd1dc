//! A round of a debate as JSON, for every face.

use debate::model::RoundRecord;
use serde_json::{Value, json};

/// A round as it leaves the program: every answer with the claims it touched.
pub fn round_json(record: &RoundRecord) -> Value {
    let answers: Vec<Value> = record
        .answered()
        .map(|turn| json!({ "turn": turn, "touched": record.touched.get(turn.seat.index()) }))
        .collect();
    json!({
        "round": record.number,
        "kind": record.kind,
        "waves": record.waves,
        "answers": answers,
        "gaps": record.gaps,
        "newClaims": record.new_claims,
        "newEvidence": record.new_evidence,
        "contested": record.contested,
        "summary": record.summary,
        "analysis": record.analysis,
    })
}
