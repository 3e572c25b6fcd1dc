//! The clerk's synthesis of a finished debate. If it names a claim that no seat
//! made, the claim is dropped and noted; a synthesis without a conclusion is
//! refused.

use super::clerk::{list, score};
use super::json::{JsonShape, find};
use super::tree::Json;
use super::validators::non_existent;
use super::values::{claim_ids, figure, member, note, shortened, text};
use crate::model::{ClaimId, Synthesis, SynthesisPoint, TurnNote};

const MAX_TEXT: usize = 4_000;
const CONCLUSION: &[&str] = &["conclusion", "result"];
const RECOMMENDATION: &[&str] = &["recommendation", "nextstep", "action"];
const COMMON_GROUND: &[&str] = &["commonground", "agreements"];
const DIFFERENCES: &[&str] = &["keydifferences", "differences", "disagreements"];
const EVOLUTION: &[&str] = &["evolution", "howitevolved", "history"];

/// `known_claims`: C1 to Cn exist. The error gives the reason why the reply
/// cannot be used.
pub fn read_synthesis(raw: &str, known_claims: usize) -> Result<Synthesis, String> {
    const SHAPE: JsonShape = JsonShape {
        opens: &['{'],
        score: |value, _| score(value, &[CONCLUSION, RECOMMENDATION, COMMON_GROUND, DIFFERENCES]),
        keeps_cut: |_| false,
    };
    let Some(found) = find(raw, &SHAPE) else {
        return Err("the clerk's reply holds no JSON object with a conclusion".to_owned());
    };
    let Some(object) = found.value.as_object() else {
        return Err("the clerk's reply is no JSON object".to_owned());
    };
    let mut notes = Vec::new();
    for repair in found.repairs {
        note(&mut notes, "json", repair.sentence());
    }
    let mut unknown = Vec::new();
    let mut one = |names: &[&str]| {
        member(object, names).and_then(|value| point(value, known_claims, &mut unknown))
    };
    let conclusion = one(CONCLUSION);
    let recommendation = one(RECOMMENDATION).unwrap_or_default();
    let Some(conclusion) = conclusion else {
        return Err("the clerk's synthesis has no conclusion".to_owned());
    };
    let mut many = |names: &[&str]| -> Vec<SynthesisPoint> {
        let points = list(object, names).iter();
        points.filter_map(|value| point(value, known_claims, &mut unknown)).collect()
    };
    let synthesis = Synthesis {
        common_ground: many(COMMON_GROUND),
        key_differences: many(DIFFERENCES),
        evolution: many(EVOLUTION),
        conclusion,
        recommendation,
        confidence: member(object, &["confidence"]).and_then(|value| share(value, &mut notes)),
        notes: Vec::new(),
    };
    unknown.sort_unstable();
    unknown.dedup();
    if !unknown.is_empty() {
        let ids: Vec<String> = unknown.iter().map(ClaimId::to_string).collect();
        let dropped = format!("it refers to {}; dropped", non_existent(&ids));
        note(&mut notes, "references", dropped);
    }
    Ok(Synthesis { notes, ..synthesis })
}

/// A point as an object with text and claims, or as a bare sentence.
fn point(value: &Json<'_>, known: usize, unknown: &mut Vec<ClaimId>) -> Option<SynthesisPoint> {
    let (words, ids) = match value {
        Json::Object(object) => {
            let ids = member(object, &["claims", "references", "claimids"]);
            let words = member(object, &["text", "point", "summary"]).and_then(text)?;
            (words, ids.map(claim_ids).unwrap_or_default())
        }
        other => (text(other)?, Vec::new()),
    };
    let (claims, strange): (Vec<ClaimId>, Vec<ClaimId>) =
        ids.into_iter().partition(|id| id.0 > 0 && id.index() < known);
    unknown.extend(strange);
    let words = shortened(&words, MAX_TEXT);
    (!words.trim().is_empty()).then_some(SynthesisPoint { text: words, claims })
}

/// Reads a confidence. One out of range is dropped, not brought into range.
fn share(value: &Json<'_>, notes: &mut Vec<TurnNote>) -> Option<f64> {
    let found = figure(value)?;
    let number = match found.unit.as_str() {
        "%" => found.number / 100.0,
        _ => found.number,
    };
    let fits = (0.0..=1.0).contains(&number);
    if !fits {
        note(notes, "confidence", format!("a confidence of {number} was left out"));
    }
    fits.then_some(number)
}

#[cfg(test)]
#[path = "synthesis_tests.rs"]
mod tests;
