//! A change to a YAML file, made on its lines so that everything else stays as it
//! is, then checked: the parsed file must differ only by our entry.

use serde_json::Value;

use crate::machine::setup::{NAME, SetupAction};

pub fn edit(text: &str, key: &str, wish: SetupAction, entry: &Value) -> Result<String, String> {
    let before = read(text)?;
    let lines: Vec<&str> = text.lines().collect();
    let top = lines.iter().position(|line| line.trim_end() == format!("{key}:"));
    let mut kept: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    if let Some(top) = top {
        drop_block(&mut kept, top);
    }
    if wish == SetupAction::Add {
        let block = block(entry);
        match top {
            Some(top) => {
                let at = top + 1;
                kept.splice(at..at, block);
            }
            None => {
                kept.push(format!("{key}:"));
                kept.extend(block);
            }
        }
    }
    let mut after = kept.join("\n");
    if !after.is_empty() {
        after.push('\n');
    }
    let mut wanted = before;
    if !wanted.is_object() {
        wanted = Value::Object(serde_json::Map::new());
    }
    expect(&mut wanted, key, wish, entry);
    let found = read(&after)?;
    if same(&found, &wanted, key) {
        Ok(after)
    } else {
        Err("it is written in a way this program does not change".into())
    }
}

fn read(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_saphyr::from_str(text).map_err(|error| error.to_string())
}

/// Removes our block from wherever it is under `top`.
fn drop_block(lines: &mut Vec<String>, top: usize) {
    let ours = format!("{NAME}:");
    let start = lines
        .iter()
        .enumerate()
        .skip(top + 1)
        .take_while(|(_, line)| inner(line))
        .find(|(_, line)| line.trim_end() == format!("  {ours}"));
    let Some((start, _)) = start else { return };
    let deeper = |line: &String| line.trim().is_empty() || line.starts_with("   ");
    let length = lines.iter().skip(start + 1).take_while(|line| deeper(line)).count();
    lines.drain(start..=start + length);
}

/// Returns whether a line still belongs to the block above it.
fn inner(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with(' ') || line.trim_start().starts_with('#')
}

fn block(entry: &Value) -> Vec<String> {
    let mut lines = vec![format!("  {NAME}:")];
    for (name, value) in entry.as_object().into_iter().flatten() {
        // JSON is also YAML; quotes make paths with special characters safe.
        lines.push(format!("    {name}: {value}"));
    }
    lines
}

fn expect(wanted: &mut Value, key: &str, wish: SetupAction, entry: &Value) {
    let Some(top) = wanted.as_object_mut() else { return };
    if wish == SetupAction::Add {
        let servers = top.entry(key).or_insert_with(|| Value::Object(serde_json::Map::new()));
        if servers.is_null() {
            *servers = Value::Object(serde_json::Map::new());
        }
        if let Some(servers) = servers.as_object_mut() {
            servers.insert(NAME.into(), entry.clone());
        }
    } else if let Some(servers) = top.get_mut(key).and_then(Value::as_object_mut) {
        servers.shift_remove(NAME);
    }
}

/// Compares two values; an empty map equals none.
fn same(found: &Value, wanted: &Value, key: &str) -> bool {
    let plain = |value: &Value| {
        let mut fields = value.as_object().cloned().unwrap_or_default();
        fields.retain(|name, value| {
            name != key || !(value.is_null() || value.as_object().is_some_and(|all| all.is_empty()))
        });
        fields
    };
    plain(found) == plain(wanted)
}
