//! Checks a call's arguments against the tool's schema and says what is wrong in
//! words a model can act on. It knows the part of JSON Schema that tools and
//! answers use, and passes over what it does not know.

use debate::model::counted;
use serde_json::Value;

/// More complaints than these are not shown: they teach nothing.
const MOST: usize = 5;

/// Nothing where the value fits; else what to change, one line each.
pub fn check(value: &Value, schema: &Value) -> Result<(), String> {
    // Some models wrap their arguments in a string, which dialects pass on.
    if let (Value::String(_), Some("object")) = (value, type_of(schema)) {
        return Err("The arguments are not valid JSON. Send one JSON object.".into());
    }
    let mut complaints = Vec::new();
    visit(value, schema, "", &mut complaints);
    complaints.truncate(MOST);
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

fn type_of(schema: &Value) -> Option<&str> {
    schema.get("type").and_then(Value::as_str)
}

fn visit(value: &Value, schema: &Value, path: &str, complaints: &mut Vec<String>) {
    let name = if path.is_empty() { "the arguments" } else { path };
    if !fits_type(value, schema) {
        let wanted = wanted_types(schema).join(" or ");
        complaints.push(format!("{name} must be {wanted}, not {}.", kind(value)));
        return;
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed: Vec<String> = allowed.iter().map(Value::to_string).collect();
        complaints.push(format!("{name} must be one of {}.", allowed.join(", ")));
    }
    match value {
        Value::String(text) => length(text.chars().count(), schema, name, "character", complaints),
        Value::Number(number) => range(number.as_f64(), schema, name, complaints),
        Value::Array(items) => {
            length(items.len(), schema, name, "item", complaints);
            if let Some(of) = schema.get("items") {
                for (at, item) in items.iter().enumerate() {
                    visit(item, of, &format!("{path}[{at}]"), complaints);
                }
            }
        }
        Value::Object(fields) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let required = schema.get("required").and_then(Value::as_array);
            for missing in required.into_iter().flatten().filter_map(Value::as_str) {
                if !fields.contains_key(missing) {
                    complaints.push(format!("{} is missing.", joined(path, missing)));
                }
            }
            let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
            for (field, inner) in fields {
                match properties.and_then(|properties| properties.get(field)) {
                    Some(schema) => visit(inner, schema, &joined(path, field), complaints),
                    None if closed => {
                        complaints
                            .push(format!("{} is not known. Leave it out.", joined(path, field)));
                    }
                    None => {}
                }
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn joined(path: &str, field: &str) -> String {
    // A model's own field name is quoted back, but not at length.
    let field: String = field.chars().filter(|c| !c.is_control()).take(60).collect();
    if path.is_empty() { format!("\"{field}\"") } else { format!("{path}.\"{field}\"") }
}

fn wanted_types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn fits_type(value: &Value, schema: &Value) -> bool {
    let wanted = wanted_types(schema);
    let whole = || value.as_f64().is_some_and(|number| number.fract() == 0.0);
    wanted.is_empty()
        || wanted.iter().any(|name| *name == kind(value) || (*name == "integer" && whole()))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn length(have: usize, schema: &Value, name: &str, unit: &str, complaints: &mut Vec<String>) {
    let (least, most) = match unit {
        "item" => ("minItems", "maxItems"),
        _ => ("minLength", "maxLength"),
    };
    let limit = |field: &str| schema.get(field).and_then(Value::as_u64);
    if let Some(least) = limit(least).filter(|least| (have as u64) < *least) {
        let least = counted(usize::try_from(least).unwrap_or(usize::MAX), unit);
        complaints.push(format!("{name} needs at least {least}; it has {have}."));
    }
    if let Some(most) = limit(most).filter(|most| (have as u64) > *most) {
        let most = counted(usize::try_from(most).unwrap_or(usize::MAX), unit);
        complaints.push(format!("{name} may have at most {most}; it has {have}."));
    }
}

fn range(number: Option<f64>, schema: &Value, name: &str, complaints: &mut Vec<String>) {
    let Some(number) = number else { return };
    let limit = |field: &str| schema.get(field).and_then(Value::as_f64);
    if let Some(least) = limit("minimum").filter(|least| number < *least) {
        complaints.push(format!("{name} must be at least {least}."));
    }
    if let Some(most) = limit("maximum").filter(|most| number > *most) {
        complaints.push(format!("{name} must be at most {most}."));
    }
}
