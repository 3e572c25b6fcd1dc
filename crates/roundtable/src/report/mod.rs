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

use crate::terminal::clean;
use engine::export::{Exported, Format, document};

/// The debate in this format, complete.
pub fn write(exported: &Exported, format: Format) -> String {
    match format {
        Format::Markdown => markdown::markdown(exported),
        Format::Json => {
            let text = format!("{:#}\n", document::document(exported));
            clean::json(&text).into_owned()
        }
        Format::Html => html::html(exported),
        Format::Adr => adr::adr(exported),
        Format::Mermaid => mermaid::mermaid(exported),
        Format::Argdown => argdown::argdown(exported),
        Format::Csv => csv::csv(exported),
    }
}
