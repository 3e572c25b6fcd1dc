//! A change to a JSON file that may hold comments: one key under one object.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::Value;

use crate::machine::setup::{NAME, SetupAction};

pub fn edit(text: &str, key: &str, wish: SetupAction, entry: &Value) -> Result<String, String> {
    let root =
        CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())?;
    let not_an_object = |what: &str| format!("{what} is not an object there");
    let top = root.object_value_or_create().ok_or_else(|| not_an_object("the whole file"))?;
    match wish {
        SetupAction::Add => {
            let servers = top.object_value_or_create(key).ok_or_else(|| not_an_object(key))?;
            match servers.get(NAME) {
                Some(old) if old.to_serde_value().as_ref() == Some(entry) => {}
                Some(old) => old.set_value(input(entry)),
                None => {
                    servers.append(NAME, input(entry));
                    servers.ensure_multiline();
                }
            }
        }
        SetupAction::Remove => {
            if let Some(old) = top.object_value(key).and_then(|servers| servers.get(NAME)) {
                old.remove();
            }
        }
    }
    let mut after = root.to_string();
    if text.is_empty() {
        after.push('\n');
    }
    Ok(after)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(yes) => CstInputValue::Bool(*yes),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields.iter().map(|(name, value)| (name.clone(), input(value))).collect(),
        ),
    }
}
