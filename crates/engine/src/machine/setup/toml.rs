//! A change to a TOML file: one table under another.

use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table};

use crate::machine::setup::{NAME, SetupAction};

pub fn edit(text: &str, key: &str, wish: SetupAction, entry: &Value) -> Result<String, String> {
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    match wish {
        SetupAction::Add => {
            let made = || {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            };
            let servers = document.entry(key).or_insert_with(made);
            let servers = servers.as_table_mut().ok_or(format!("{key} is not a table there"))?;
            let table = servers.entry(NAME).or_insert_with(|| Item::Table(Table::new()));
            let table = table.as_table_mut().ok_or(format!("{key}.{NAME} is not a table there"))?;
            for (name, value) in entry.as_object().into_iter().flatten() {
                table.insert(name, toml_edit::value(toml_value(value)));
            }
        }
        SetupAction::Remove => {
            if let Some(servers) = document.get_mut(key).and_then(Item::as_table_mut) {
                servers.remove(NAME);
            }
        }
    }
    Ok(document.to_string())
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(yes) => (*yes).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::Array(items) => items.iter().map(toml_value).collect::<toml_edit::Array>().into(),
        other => other.as_str().unwrap_or_default().into(),
    }
}
