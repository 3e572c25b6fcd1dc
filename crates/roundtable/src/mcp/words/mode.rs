//! Modes as clients name them. The list comes from the modes themselves.

use std::borrow::Cow;

use debate::model::ModePlan;
use debate::modes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

/// A mode by its name.
#[derive(Debug, Clone, Copy)]
pub struct ModeWord(pub &'static ModePlan);

impl<'de> Deserialize<'de> for ModeWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ModeWord, D::Error> {
        let name = String::deserialize(deserializer)?;
        modes::find(&name).map(ModeWord).ok_or_else(|| serde::de::Error::custom("unknown mode"))
    }
}

impl JsonSchema for ModeWord {
    fn schema_name() -> Cow<'static, str> {
        "ModeWord".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = modes::all().iter().map(|plan| plan.name).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

/// The modes in a sentence, for the model that chooses one.
pub fn described() -> String {
    let rows: Vec<String> =
        modes::all().iter().map(|plan| format!("{} {}", plan.name, plan.in_brief)).collect();
    format!("{}.", rows.join("; "))
}
