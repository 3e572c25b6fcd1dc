//! A debate as one document, in every form the program can write. What models
//! wrote is escaped there, where each form knows how.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::terminal as render;
use engine::background::host::Host;
use engine::error::EngineError;
use engine::export::{self, Format};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    #[default]
    Markdown,
    Json,
    Html,
    Adr,
    Mermaid,
    Argdown,
    Csv,
}

/// Each form, what writes it, and how clients call its kind.
const ROWS: [(Form, Format, &str); 7] = [
    (Form::Markdown, Format::Markdown, "text/markdown"),
    (Form::Json, Format::Json, "application/json"),
    (Form::Html, Format::Html, "text/html"),
    (Form::Adr, Format::Adr, "text/markdown"),
    (Form::Mermaid, Format::Mermaid, "text/plain"),
    (Form::Argdown, Format::Argdown, "text/plain"),
    (Form::Csv, Format::Csv, "text/csv"),
];

impl Form {
    fn row(self) -> &'static (Form, Format, &'static str) {
        let [first, ..] = &ROWS;
        ROWS.iter().find(|(form, ..)| *form == self).unwrap_or(first)
    }

    pub fn mime_type(self) -> &'static str {
        self.row().2
    }
}

pub async fn write(host: &Host, id: &str, form: Form) -> Result<String, EngineError> {
    let exported = export::export(host.config(), id).await?;
    Ok(render::export::write(&exported, form.row().1))
}
