//! A debate as one document, in every format the program can write. Each writer
//! escapes what models wrote.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::report::formats::{self, ExportFormat, FORMATS};
use engine::background::host::Host;
use engine::error::EngineError;
use engine::export;

/// The name of an export format, as a client gives it.
#[derive(Debug, Clone, Copy)]
pub struct FormatName(pub &'static ExportFormat);

impl Default for FormatName {
    fn default() -> FormatName {
        FormatName(ExportFormat::usual())
    }
}

impl<'de> Deserialize<'de> for FormatName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FormatName, D::Error> {
        let name = String::deserialize(deserializer)?;
        let row = FORMATS.iter().find(|row| row.name == name);
        row.map(FormatName).ok_or_else(|| serde::de::Error::custom("unknown format"))
    }
}

impl JsonSchema for FormatName {
    fn schema_name() -> Cow<'static, str> {
        "FormatName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": formats::names() })
    }
}

/// The formats in a sentence, for the model that chooses one.
pub fn described() -> String {
    let rows: Vec<String> =
        FORMATS.iter().map(|row| format!("{} {}", row.name, row.brief)).collect();
    format!("{}. Default {}.", rows.join(", "), ExportFormat::usual().name)
}

/// Writes a stored debate.
pub async fn write(host: &Host, id: &str, format: FormatName) -> Result<String, EngineError> {
    let exported = export::export(host.config(), id).await?;
    Ok((format.0.write)(&exported))
}
