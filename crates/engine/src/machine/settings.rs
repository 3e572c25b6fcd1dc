//! Settings: their values and sources, and changes to the config file. A change
//! keeps the file's comments and order; one that would leave the file unusable is
//! refused before anything is written.

use std::path::Path;

use agents::agent_spec;
use agents::redaction::without_keys;
use serde::Serialize;
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table};

use crate::config::{
    self, Config, ConfigError, FLAG_ROWS, SETTING_ROWS, SettingKind, TABLES, ValueSource,
};
use crate::error::{At, EngineError, FileKind, FileProblem, Problem, Refusal, refuse_all};
use crate::table::order::Order;
use crate::table::{brief, money, profile, seats};

/// The current value of a setting.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingValue {
    pub key: String,
    pub value: Value,
    pub source: String,
    pub help: &'static str,
    /// A description of the default, for a setting without a single default value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usual: Option<&'static str>,
}

/// Returns every setting: the plain ones, then the flags.
pub fn all(config: &Config) -> Result<Vec<SettingValue>, EngineError> {
    let document = document(&config.paths.config_file)?;
    let plain = SETTING_ROWS.iter().map(|row| {
        let value = document.get(row.key).and_then(Item::as_value).map(json);
        let source = if value.is_some() { ValueSource::File } else { ValueSource::Default };
        let usual = value.is_none().then_some(row.usual);
        let (key, value) = (row.key.into(), value.unwrap_or_default());
        SettingValue { key, value, source: source.to_string(), help: row.help, usual }
    });
    let resolved = config.flags(&[])?;
    let values = serde_json::to_value(&resolved.flags).unwrap_or_default();
    let flags = FLAG_ROWS.iter().map(|row| {
        let value = values.pointer(&format!("/{}", row.key.replace('.', "/"))).cloned();
        let value = value.unwrap_or_default();
        let source = resolved.sources.get(row.key).map(ToString::to_string).unwrap_or_default();
        let usual = value.is_null().then_some("the mode's own");
        SettingValue { key: row.key.into(), value, source, help: row.help, usual }
    });
    Ok(plain.chain(flags).collect())
}

/// Sets one key of the config file; creates the file if there is none.
pub fn set(config: &Config, key: &str, value: &str) -> Result<(), EngineError> {
    let path = place(key)?;
    let row = SETTING_ROWS.iter().find(|row| row.key == key);
    // The message is about the setting rather than about the file's format.
    if let Some(row) = row.filter(|row| row.kind == SettingKind::Number)
        && value.trim().parse::<f64>().is_err()
    {
        let problem = Problem::malformed(format!("a number ({})", row.help));
        return Err(Refusal::new(At::ConfigKey(key.into()), problem).given(value).into());
    }
    let mut document = document(&config.paths.config_file)?;
    let written = written(&path, value);
    put(&mut document, &path, written).map_err(|why| {
        Refusal::new(At::ConfigKey(key.into()), Problem::Failed { why: why.to_string() })
    })?;
    keep(config, &document, key)
}

/// Removes one key from the config file, so that the default applies again.
pub fn unset(config: &Config, key: &str) -> Result<(), EngineError> {
    let path = place(key)?;
    let mut document = document(&config.paths.config_file)?;
    let unset = || Refusal::new(At::ConfigKey(key.into()), Problem::NotSet);
    let (last, tables) = path.split_last().ok_or_else(unset)?;
    let mut table = Some(document.as_table_mut());
    for name in tables {
        table = table.and_then(|table| table.get_mut(name)).and_then(Item::as_table_mut);
    }
    if table.and_then(|table| table.remove(last)).is_none() {
        return Err(unset().into());
    }
    keep(config, &document, key)
}

/// Returns the path of a key in the file: a plain setting, a flag with or without
/// its table's name, or anything in another table.
fn place(key: &str) -> Result<Vec<String>, EngineError> {
    let parts: Vec<String> = key.split('.').map(str::to_owned).collect();
    let first = parts.first().map_or("", String::as_str);
    let whole = !parts.iter().any(String::is_empty);
    if FLAG_ROWS.iter().any(|row| row.key == key) {
        return Ok(["flags".to_string()].into_iter().chain(parts).collect());
    }
    let plain = parts.len() == 1 && SETTING_ROWS.iter().any(|row| row.key == key);
    let in_table = whole && parts.len() > 1 && TABLES.contains(&first);
    if plain || in_table {
        // A model's name may contain dots; it is the whole middle of its key.
        return Ok(match parts.as_slice() {
            [table, middle @ .., last] if table == "prices" && !middle.is_empty() => {
                vec!["prices".into(), middle.join("."), last.clone()]
            }
            _ => parts,
        });
    }
    let known: Vec<&str> =
        SETTING_ROWS.iter().map(|row| row.key).chain(FLAG_ROWS.iter().map(|row| row.key)).collect();
    Err(Refusal::new(At::ConfigKey(key.into()), Problem::unknown(key, &known)).given(key).into())
}

/// Returns the value as the file holds it: by the setting's type, else by its form.
fn written(path: &[String], value: &str) -> toml_edit::Value {
    let last = path.last().map_or("", String::as_str);
    let row = SETTING_ROWS.iter().find(|row| row.key == last);
    let literal = || value.trim().parse::<toml_edit::Value>().ok();
    match row.map(|row| row.kind) {
        Some(SettingKind::List) => {
            let items = value.split(',').map(str::trim).filter(|item| !item.is_empty());
            items.collect::<toml_edit::Array>().into()
        }
        Some(SettingKind::Text) => value.trim().into(),
        // Text that only looks like a list or a table stays text.
        Some(SettingKind::Number | SettingKind::OnOff) | None => match literal() {
            Some(found) if !found.is_inline_table() => found,
            _ => value.trim().into(),
        },
    }
}

fn put(document: &mut DocumentMut, path: &[String], value: toml_edit::Value) -> Result<(), String> {
    let Some((last, tables)) = path.split_last() else { return Err("name a key".into()) };
    let mut table = document.as_table_mut();
    for name in tables {
        let entry = table.entry(name).or_insert_with(|| {
            let mut made = Table::new();
            // A table that contains only tables needs no header line.
            made.set_implicit(true);
            Item::Table(made)
        });
        let Some(inner) = entry.as_table_mut() else {
            return Err(format!("{name} is not a table there; change it by hand"));
        };
        table = inner;
    }
    match table.get_mut(last).and_then(Item::as_value_mut) {
        // Text around the old value, such as a comment, stays.
        Some(old) => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(last, toml_edit::value(value));
        }
    }
    Ok(())
}

fn document(path: &Path) -> Result<DocumentMut, EngineError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            let problem = FileProblem::Unreadable { why: error.to_string() };
            return Err(Refusal::file(path, problem).into());
        }
    };
    text.parse().map_err(|error: toml_edit::TomlError| {
        let why = config::toml_fault(&text, error.message(), error.span());
        Refusal::file(path, FileProblem::Broken { what: FileKind::Config, why }).into()
    })
}

/// Writes the changed file if everything in it can be used.
fn keep(config: &Config, document: &DocumentMut, key: &str) -> Result<(), EngineError> {
    let path = &config.paths.config_file;
    let text = document.to_string();
    let file = config::parse(&text, path).map_err(|error| {
        let why = match error {
            ConfigError::Broken { why, .. } => why,
            other => other.to_string(),
        };
        Refusal::new(At::ConfigKey(key.into()), Problem::Failed { why })
    })?;
    check(&Config { file, ..config.clone() })?;
    write(path, &text)
}

/// Checks a config as the start of a debate would.
pub fn check(config: &Config) -> Result<(), EngineError> {
    let mut faults = Vec::new();
    let mut take = |found: Result<(), EngineError>| {
        if let Err(trouble) = found {
            faults.extend(trouble.refusals());
        }
    };
    let orders = config
        .file
        .profiles
        .keys()
        .map(|name| Order { profile: Some(name.clone()), ..Order::default() });
    let settings = seats::settings(config);
    for order in std::iter::once(Order::default()).chain(orders) {
        let filled = profile::fill(config, &order);
        take(filled.and_then(|order| {
            let brief = brief::brief(config, &order, "a topic".into())?;
            money::caps(config, &brief)?;
            refuse_all(brief::faults::faults_of(&brief))?;
            let agents = &order.agents;
            let named = if agents.is_empty() { &config.file.agents } else { agents };
            let Ok(settings) = &settings else { return Ok(()) };
            match agent_spec::parse_all(named, settings) {
                _ if seats::is_example(named) => Ok(()),
                Ok(_) => Ok(()),
                Err(errors) => Err(EngineError::Refused(seats::refused(errors).collect())),
            }
        }));
    }
    take(settings.map(drop));
    faults.dedup();
    refuse_all(faults)
}

/// Writes a file completely or not at all.
pub fn write(path: &Path, text: &str) -> Result<(), EngineError> {
    let cannot = |error: std::io::Error| {
        Refusal::file(path, FileProblem::Unwritable { why: error.to_string() })
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(cannot)?;
    }
    let beside = path.with_extension("toml.new");
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    Ok(written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        cannot(error)
    })?)
}

fn json(value: &toml_edit::Value) -> Value {
    if let Some(text) = value.as_str() {
        // A key that stands here by mistake is not shown.
        return without_keys(text).into();
    }
    if let Some(list) = value.as_array() {
        return list.iter().map(json).collect();
    }
    let number = value.as_integer().map(Value::from).or(value.as_float().map(Value::from));
    number.or(value.as_bool().map(Value::from)).unwrap_or_else(|| value.to_string().trim().into())
}
