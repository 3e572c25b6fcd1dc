//! A debate as one document, in every form the program can write. What models
//! wrote is escaped there, where each form knows how.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::render;
use engine::background::host::Host;
use engine::error::EngineError;
use engine::export::{self, ExportFormat};

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
const ROWS: [(Form, ExportFormat, &str); 7] = [
    (Form::Markdown, ExportFormat::Markdown, "text/markdown"),
    (Form::Json, ExportFormat::Json, "application/json"),
    (Form::Html, ExportFormat::Html, "text/html"),
    (Form::Adr, ExportFormat::Adr, "text/markdown"),
    (Form::Mermaid, ExportFormat::Mermaid, "text/plain"),
    (Form::Argdown, ExportFormat::Argdown, "text/plain"),
    (Form::Csv, ExportFormat::Csv, "text/csv"),
];

impl Form {
    fn row(self) -> &'static (Form, ExportFormat, &'static str) {
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
