//! Schemas in the form that strict clients require, and the faults of arguments
//! that do not match one. They are made from the Rust types, so the two cannot
//! diverge. Only the keywords that our own schemas use are supported.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

use engine::spelling::did_you_mean;

/// The schema of what a tool takes.
pub fn of_input<T: JsonSchema>() -> Map<String, Value> {
    made(
        SchemaSettings::draft2020_12()
            .for_deserialize()
            .into_generator()
            .into_root_schema_for::<T>(),
    )
}

/// Schemas by the type of their arguments.
type InputSchemas = HashMap<TypeId, Arc<Map<String, Value>>>;

/// The schema of what a tool takes, made once for each type.
pub fn kept_of_input<T: JsonSchema + 'static>() -> Arc<Map<String, Value>> {
    static KEPT: LazyLock<Mutex<InputSchemas>> = LazyLock::new(Mutex::default);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let made = || Arc::new(of_input::<T>());
    Arc::clone(kept.entry(TypeId::of::<T>()).or_insert_with(made))
}

/// The same schema as a model reads it in every conversation, without what the server
/// checks and a refusal says: bounds, and unknown names inside of a parameter. Words that the
/// entry before it allows too are not listed twice.
pub fn for_model(schema: Map<String, Value>) -> Map<String, Value> {
    let mut schema = Value::Object(schema);
    let mut listed: Option<Value> = None;
    inside(&mut schema, &mut |inner| {
        UNSHOWN.iter().for_each(|key| {
            inner.remove(*key);
        });
        let properties = inner.get("properties").cloned();
        if properties.is_some() && properties == listed {
            let named = inner.get_mut("properties").and_then(Value::as_object_mut);
            named.into_iter().flatten().for_each(|(_, property)| {
                property.as_object_mut().and_then(|property| property.remove("enum"));
            });
        }
        listed = properties.or(listed.take());
    });
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

const UNSHOWN: [&str; 7] = [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "additionalProperties",
];

/// The schema of what a tool gives: its first level, which is what is promised. Results
/// explain themselves, and the list of tools is sent in every conversation.
pub fn of_output<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = made(settings.into_generator().into_root_schema_for::<T>());
    schema.remove("description");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(|property| *property = first_level(property));
    }
    schema
}

fn first_level(property: &Value) -> Value {
    let mut shown = Map::new();
    for key in ["type", "enum"] {
        shown.extend(property.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    if let Some(kind) = property.get("items").and_then(|items| items.get("type")) {
        shown.insert("items".into(), serde_json::json!({ "type": kind }));
    }
    Value::Object(shown)
}

/// Does something to every schema inside a schema.
fn inside(schema: &mut Value, with: &mut impl FnMut(&mut Map<String, Value>)) {
    let Value::Object(map) = schema else { return };
    let mut each = |inner: &mut Value| {
        if let Value::Object(map) = inner {
            with(map);
        }
        inside(inner, with);
    };
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(&mut each);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = map.get_mut(key) {
            each(inner);
        }
    }
}

fn made(schema: schemars::Schema) -> Map<String, Value> {
    let mut root = schema.to_value();
    let defs = root.as_object_mut().and_then(|root| root.remove("$defs")).unwrap_or_default();
    plain(&mut root, &defs);
    match root {
        Value::Object(mut root) => {
            root.remove("$schema");
            root.remove("title");
            root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            root
        }
        _ => Map::new(),
    }
}

/// Takes references apart, and drops what some clients refuse or warn about:
/// null beside a type, formats of Rust's own numbers, schemas that are `true`.
fn plain(schema: &mut Value, defs: &Value) {
    let Value::Object(map) = schema else { return };
    if let Some(target) = map.remove("$ref").and_then(|name| resolved(&name, defs)) {
        for (key, value) in target {
            map.entry(key).or_insert(value);
        }
    }
    if let Some(Value::Array(ways)) = map.remove("anyOf") {
        let mut real = ways.into_iter().filter(|way| way.get("type") != Some(&"null".into()));
        if let (Some(Value::Object(only)), None) = (real.next(), real.next()) {
            for (key, value) in only {
                map.entry(key).or_insert(value);
            }
        }
        // What stood behind a reference is a reference no more after this.
        return plain(schema, defs);
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    map.remove("format");
    if let Some(Value::String(words)) = map.get_mut("description") {
        *words = words.replace('\n', " ");
    }
    if map.get("default") == Some(&Value::Null) {
        map.remove("default");
    }
    if map.get("additionalProperties") == Some(&Value::Bool(true)) {
        map.remove("additionalProperties");
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(|property| plain(property, defs));
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = map.get_mut(key) {
            plain(inner, defs);
        }
    }
}

fn resolved(name: &Value, defs: &Value) -> Option<Map<String, Value>> {
    let name = name.as_str()?.strip_prefix("#/$defs/")?;
    let mut target = defs.get(name)?.as_object()?.clone();
    target.remove("title");
    Some(target)
}

/// Everything that is wrong with a value, each in one line. Empty: it fits.
pub fn faults(schema: &Map<String, Value>, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(schema, value, "", &mut faults);
    faults
}

fn check(schema: &Map<String, Value>, value: &Value, at: &str, faults: &mut Vec<String>) {
    let wanted = schema.get("type").and_then(Value::as_str).unwrap_or("any");
    if !is(wanted, value) {
        faults.push(format!("{}: {} is not {}", name(at), shown(value), article(wanted)));
        return;
    }
    match value {
        Value::Object(map) => fields(schema, map, at, faults),
        Value::Array(items) => {
            sized(schema, items.len(), ("minItems", "maxItems"), "entries", at, faults);
            if let Some(Value::Object(inner)) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    check(inner, item, &format!("{at}[{index}]"), faults);
                }
            }
        }
        Value::String(text) => {
            let length = text.chars().count();
            sized(schema, length, ("minLength", "maxLength"), "characters", at, faults);
            chosen(schema, text, at, faults);
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
            let (least, most) = (bound("minimum"), bound("maximum"));
            if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
                let allowed = range(least, most);
                faults.push(format!("{}: {value} is not allowed; allowed: {allowed}", name(at)));
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn fields(
    schema: &Map<String, Value>,
    map: &Map<String, Value>,
    at: &str,
    faults: &mut Vec<String>,
) {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let inside = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for key in required.filter_map(Value::as_str).filter(|key| !map.contains_key(*key)) {
        faults.push(format!("{} is required", inside(key)));
    }
    for (key, value) in map {
        match (properties.get(key), schema.get("additionalProperties")) {
            (Some(Value::Object(inner)), _) | (None, Some(Value::Object(inner))) => {
                check(inner, value, &inside(key), faults);
            }
            (None, Some(Value::Bool(false))) => {
                let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                let hint = if known.is_empty() {
                    "this tool takes none".into()
                } else {
                    did_you_mean(key, &known)
                };
                faults.push(format!("there is no parameter {:?}; {hint}", inside(key)));
            }
            _ => {}
        }
    }
}

fn chosen(schema: &Map<String, Value>, text: &str, at: &str, faults: &mut Vec<String>) {
    let Some(Value::Array(values)) = schema.get("enum") else { return };
    let known: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
    if !known.contains(&text) {
        faults.push(format!("{}: {text:?} is unknown; there are: {}", name(at), known.join(", ")));
    }
}

fn sized(
    schema: &Map<String, Value>,
    size: usize,
    keys: (&str, &str),
    noun: &str,
    at: &str,
    faults: &mut Vec<String>,
) {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (least, most) = (bound(keys.0), bound(keys.1));
    let number = size as f64;
    if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
        let allowed = range(least, most);
        faults.push(format!("{}: has {size} {noun}; allowed: {allowed}", name(at)));
    }
}

fn range(least: Option<f64>, most: Option<f64>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("{least} or more"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "anything".into(),
    }
}

fn is(wanted: &str, value: &Value) -> bool {
    match wanted {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|f| f.fract() == 0.0)
        }
        _ => true,
    }
}

fn article(wanted: &str) -> String {
    match wanted {
        "integer" => "a whole number".into(),
        "object" | "array" => format!("an {wanted}"),
        "boolean" => "true or false".into(),
        other => format!("a {other}"),
    }
}

fn name(at: &str) -> &str {
    if at.is_empty() { "the arguments" } else { at }
}

/// A value short enough to be quoted.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Fields that are null count as absent: many models fill them in that way.
pub fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, without_nulls(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}
