//! The clerk's draft of a post-mortem, and the domain it names. Unreadable rows
//! of a draft are left out: a person corrects it before anything is learned from
//! it.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::clerk::score;
use super::json::{JsonShape, find};
use super::tree::{Json, JsonObject};
use super::values::{member, own_text, text};
use crate::model::{OutcomeForm, domain_name};

const ACCURACY: &[&str] = &["decisionaccuracy", "accuracy"];
const RIGHT: &[&str] = &["whatwentright", "right"];
const WRONG: &[&str] = &["whatwentwrong", "wrong"];
const LESSONS: &[&str] = &["lessons", "lessonslearned"];
const MOST_ROWS: usize = 12;
const MOST_DOMAIN: usize = 60;

/// The error gives the reason why the reply cannot be used.
pub fn read_draft(raw: &str) -> Result<OutcomeForm, String> {
    const SHAPE: JsonShape = JsonShape {
        opens: &['{'],
        score: |value, _| score(value, &[ACCURACY, RIGHT, WRONG, LESSONS]),
        keeps_cut: |_| false,
    };
    let found = find(raw, &SHAPE);
    let Some(object) = found.as_ref().and_then(|found| found.value.as_object()) else {
        return Err("the clerk's reply holds no draft".to_owned());
    };
    let draft = OutcomeForm {
        decision_accuracy: member(object, ACCURACY)
            .and_then(Json::as_f64)
            .filter(|accuracy| (0.0..=1.0).contains(accuracy)),
        what_went_right: rows(object, RIGHT),
        what_went_wrong: rows(object, WRONG),
        lessons: rows(object, LESSONS),
        summary: member(object, &["summary"]).and_then(own_text).unwrap_or_default(),
        ..OutcomeForm::default()
    };
    if draft == OutcomeForm::default() {
        Err("the clerk's draft says nothing".to_owned())
    } else {
        Ok(draft)
    }
}

fn rows<T: DeserializeOwned>(object: &JsonObject<'_>, names: &[&str]) -> Vec<T> {
    let all = member(object, names).and_then(Json::as_array);
    let read = |row: &Json<'_>| {
        let filled = row.as_object()?.iter().filter(|(_, value)| {
            value.as_str().is_some_and(|text| !text.trim().is_empty()) || value.is_number()
        });
        let filled: Map<String, Value> =
            filled.map(|(k, v)| (k.to_owned(), v.to_value())).collect();
        serde_json::from_value(Value::Object(filled)).ok()
    };
    all.into_iter().flatten().filter_map(read).take(MOST_ROWS).collect()
}

/// Returns `None` if the reply names no field in a few plain words.
pub fn read_domain(raw: &str) -> Option<String> {
    const DOMAIN: &[&str] = &["domain", "field"];
    const SHAPE: JsonShape = JsonShape {
        opens: &['{'],
        score: |value, _| score(value, &[DOMAIN]),
        keeps_cut: |_| false,
    };
    let found = find(raw, &SHAPE)?;
    let name = domain_name(&text(member(found.value.as_object()?, DOMAIN)?)?);
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '-');
    let fits = plain && !name.is_empty() && name.chars().count() <= MOST_DOMAIN;
    fits.then_some(name)
}
