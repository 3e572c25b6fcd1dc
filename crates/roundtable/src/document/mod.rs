//! Documents: one model of sections, paragraphs, lists, tables, drawings and cards for
//! everything a person reads. Markdown and HTML are written here, the text of a
//! terminal in `terminal::document`; whatever comes in is escaped on the way out by
//! [`escape`], so that no text can become markup or move a cursor.

mod build;
pub mod escape;
mod html;
mod labels;
mod markdown;
mod markup;
mod model;
mod phrase;
mod prose;
mod prose_html;
pub mod svg;
#[cfg(test)]
mod tests;
pub mod words;

pub use labels::Labels;
pub use markup::Markup;
pub use model::*;
pub use phrase::{Phrase, Span};
pub use prose_html::html as prose;
