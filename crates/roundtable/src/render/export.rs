//! Exports: a debate as a file of its own. Each format is one file here; what a
//! model wrote goes into all of them only escaped.

mod adr;
mod argdown;
mod chart;
mod csv;
mod escape;
mod html;
mod map;
mod markdown;
mod mermaid;
mod numbers;
mod page_parts;
mod prose;
mod prose_html;
#[cfg(test)]
mod tests;
mod words;

use crate::render::clean;
use engine::export::{ExportFormat, ExportedDebate, document};

/// The debate in this format, complete.
pub fn write(exported: &ExportedDebate, format: ExportFormat) -> String {
    match format {
        ExportFormat::Markdown => markdown::markdown(exported),
        ExportFormat::Json => {
            let text = format!("{:#}\n", document::document(exported));
            clean::json(&text).into_owned()
        }
        ExportFormat::Html => html::html(exported),
        ExportFormat::Adr => adr::adr(exported),
        ExportFormat::Mermaid => mermaid::mermaid(exported),
        ExportFormat::Argdown => argdown::argdown(exported),
        ExportFormat::Csv => csv::csv(exported),
    }
}
