//! Exports: a debate as a file of its own. Each format is one file here; what a
//! model wrote goes into all of them only escaped.

mod escape;
mod markdown;
mod numbers;
mod prose;
mod words;

use crate::operations::export::{Exported, Format, document};

/// The debate in this format, complete.
pub fn write(exported: &Exported, format: Format) -> String {
    match format {
        Format::Markdown => markdown::markdown(exported),
        Format::Json => format!("{:#}\n", document::document(exported)),
        _ => markdown::markdown(exported),
    }
}
