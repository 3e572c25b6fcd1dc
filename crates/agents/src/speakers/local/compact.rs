//! A schema that a very small model can fill: whole numbers instead of
//! fractions, short texts, few entries, only claims that were really shown. And
//! the way back to the schema that was asked for. Going back changes units and
//! marks cut texts; it never adds anything the model did not write.

use debate::model::ClaimId;
use serde_json::{Map, Value, json};

/// Letters a text may have, by the name of its field.
#[rustfmt::skip]
const TEXTS: &[(&str, usize, usize)] = &[
    ("reasoning", 40, 320),
    ("position", 20, 140),
    ("keyPoints", 8, 60),
    ("text", 12, 100),
    ("note", 4, 80),
    ("oneLiner", 12, 140),
    ("summary", 20, 240),
    ("name", 3, 40),
];
const OTHER_TEXT: (usize, usize) = (1, 80);

/// Entries a list may have, by the name of its field.
#[rustfmt::skip]
const LISTS: &[(&str, usize, usize)] = &[
    // A model without search has no sources; a list it may fill, it fills with
    // invented ones.
    ("citations", 0, 0),
    ("claims", 1, 2),
    ("critiques", 0, 1),
    ("keyPoints", 2, 2),
    ("supports", 0, 1),
    ("opposes", 0, 1),
    ("retracts", 0, 1),
    ("perspectives", 2, 4),
    ("propositions", 1, 2),
    ("byAgent", 1, 8),
    ("keyMoves", 1, 1),
    ("stands", 1, 8),
];
const OTHER_LIST: (usize, usize) = (0, 1);

/// A fact needs a source, and there are none.
const NOT_WITHOUT_SOURCES: &str = "FACT";
/// The schema's words for a number that is a share of one.
const SHARE_OF_ONE: &str = "0.0 to 1.0";
/// The schema's words for a text that is the id of a claim.
const CLAIM_ID: &str = "such as C3";
const MOST: i64 = 1_000_000_000;

/// The claims that an answer may refer to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Claims<'a> {
    /// Those the speaker was shown.
    Shown(&'a [ClaimId]),
    /// Any that looks like one: the clerk's material is not listed.
    Any,
}

/// The schema the model is held to.
pub(super) fn compact(schema: &Value, claims: Claims<'_>) -> Value {
    shrink("", schema, claims).unwrap_or_else(|| json!({"type": "null"}))
}

/// `None`: nothing valid can be written here.
fn shrink(name: &str, schema: &Value, claims: Claims<'_>) -> Option<Value> {
    match kind(schema) {
        Some("object") => {
            let mut fields = Map::new();
            for (field, schema) in schema.get("properties")?.as_object()? {
                fields.insert(field.clone(), shrink(field, schema, claims)?);
            }
            let required: Vec<&String> = fields.keys().collect();
            Some(json!({
                "type": "object",
                "required": required,
                "properties": fields,
                "additionalProperties": false,
            }))
        }
        Some("array") => {
            let (least, most) = limits(LISTS, name, OTHER_LIST);
            let items = schema.get("items").and_then(|items| shrink(name, items, claims));
            Some(match items {
                Some(items) if most > 0 => {
                    json!({"type": "array", "items": items, "minItems": least, "maxItems": most})
                }
                _ => json!({"type": "array", "maxItems": 0}),
            })
        }
        Some("number") if is_share(schema) => {
            Some(json!({"type": "integer", "minimum": 0, "maximum": 100}))
        }
        Some("number") => Some(json!({"type": "integer", "minimum": -MOST, "maximum": MOST})),
        Some("integer") => Some(json!({"type": "integer", "minimum": 0, "maximum": 99})),
        _ if schema.get("enum").is_some() => Some(one_of(schema)),
        _ if says(schema, CLAIM_ID) => claim(schema, claims),
        _ => {
            let (least, most) = limits(TEXTS, name, OTHER_TEXT);
            let text = json!({"type": "string", "minLength": least, "maxLength": most});
            Some(or_null(schema, text))
        }
    }
}

fn one_of(schema: &Value) -> Value {
    let words = schema.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
    let words: Vec<Value> = words.into_iter().filter(|word| word != NOT_WITHOUT_SOURCES).collect();
    json!({"type": "string", "enum": words})
}

fn claim(schema: &Value, claims: Claims<'_>) -> Option<Value> {
    let id = match claims {
        Claims::Any => Some(json!({"type": "string", "pattern": "^C[1-9][0-9]{0,2}$"})),
        Claims::Shown([]) => None,
        Claims::Shown(ids) => {
            let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
            Some(json!({"type": "string", "enum": ids}))
        }
    };
    match (id, may_be_null(schema)) {
        (None, true) => Some(json!({"type": "null"})),
        (id, _) => id.map(|id| or_null(schema, id)),
    }
}

fn or_null(schema: &Value, other: Value) -> Value {
    if may_be_null(schema) { json!({"anyOf": [{"type": "null"}, other]}) } else { other }
}

fn may_be_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_array).is_some_and(|kinds| kinds.contains(&json!("null")))
}

fn kind(schema: &Value) -> Option<&str> {
    schema.get("type").and_then(Value::as_str)
}

fn says(schema: &Value, words: &str) -> bool {
    schema.get("description").and_then(Value::as_str).is_some_and(|said| said.contains(words))
}

fn is_share(schema: &Value) -> bool {
    kind(schema) == Some("number") && says(schema, SHARE_OF_ONE)
}

fn limits(rows: &[(&str, usize, usize)], name: &str, other: (usize, usize)) -> (usize, usize) {
    let row = rows.iter().find(|(field, _, _)| *field == name);
    row.map_or(other, |(_, least, most)| (*least, *most))
}

/// Tells the model about units, whatever its prompt says: it may have been written
/// for fractions.
pub(super) fn instruction(schema: &Value) -> String {
    let fields = schema.get("properties").and_then(Value::as_object);
    let shares: Vec<&str> = fields
        .into_iter()
        .flatten()
        .filter(|(_, schema)| is_share(schema))
        .map(|(name, _)| name.as_str())
        .collect();
    if shares.is_empty() {
        String::new()
    } else {
        format!("\n\nWrite {} as a whole number from 0 to 100.", shares.join(" and "))
    }
}

/// Returns the model's answer in the units of the schema that was asked for.
pub(super) fn expand(schema: &Value, written: Value) -> Value {
    widen("", schema, written)
}

fn widen(name: &str, schema: &Value, written: Value) -> Value {
    match written {
        Value::Object(fields) => {
            let schemas = schema.get("properties");
            let widened = fields.into_iter().map(|(field, value)| {
                let schema = schemas.and_then(|all| all.get(&field)).unwrap_or(&Value::Null);
                let value = widen(&field, schema, value);
                (field, value)
            });
            Value::Object(widened.collect())
        }
        Value::Array(items) => {
            let schema = schema.get("items").unwrap_or(&Value::Null);
            items.into_iter().map(|item| widen(name, schema, item)).collect()
        }
        Value::Number(number) if is_share(schema) => {
            number.as_f64().map_or(Value::Null, |percent| json!(percent / 100.0))
        }
        Value::String(text) if schema.get("enum").is_none() => {
            let (_, most) = limits(TEXTS, name, OTHER_TEXT);
            Value::String(if text.chars().count() < most { text } else { whole_words(&text) })
        }
        other => other,
    }
}

/// A text that reached its limit, without the word that was cut, and marked.
fn whole_words(text: &str) -> String {
    let kept = match text.rsplit_once(char::is_whitespace) {
        Some((kept, _)) if !kept.trim().is_empty() => kept.trim_end(),
        _ => text,
    };
    format!("{kept}…")
}
