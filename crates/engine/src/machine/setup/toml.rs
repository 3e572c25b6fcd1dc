//! A change to a TOML file: one table under another.

use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table};

use crate::machine::setup::{NAME, SetupAction};

/// The fields that say how a server is reached.
const KINDS: [&str; 4] = ["command", "args", "url", "http_headers"];

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
            // An entry of the other kind leaves nothing behind.
            KINDS.iter().filter(|name| entry.get(name).is_none()).for_each(|name| {
                table.remove(name);
            });
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
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.as_str(), toml_value(value)));
            fields.collect::<toml_edit::InlineTable>().into()
        }
        other => other.as_str().unwrap_or_default().into(),
    }
}
