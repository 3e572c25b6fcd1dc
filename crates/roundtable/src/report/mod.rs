//! Documents: a debate as a file of its own, learning reports and records. Each
//! export format is one writer here and one row of [`formats`]; foreign text
//! goes into every document only through [`escape`].

mod adr;
mod argdown;
mod csv;
pub mod document;
mod escape;
pub mod formats;
pub mod learning;
mod mermaid;
pub mod record;
pub mod round;
#[cfg(test)]
mod tests;

/// A debate, section by section, as Markdown and as HTML.
mod debate {
    pub mod html;
    pub mod markdown;
    pub mod numbers;
    pub mod page_parts;
    pub mod prose;
    pub mod prose_html;
    pub mod words;
}

/// The drawings of all documents.
mod svg {
    pub mod bars;
    pub mod lines;
    pub mod map;
}
