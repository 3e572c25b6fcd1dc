//! The formats a debate can be exported in: one row each, which the command
//! line, its help and the MCP tool all read. A new format is a writer and a row.

mod adr;
mod argdown;
mod csv;
mod mermaid;

use engine::error::EngineError;
use engine::export::{ExportedDebate, document};
use engine::spelling::did_you_mean;

use super::debate::{ReportedDebate, whole};
use super::sheet;
use crate::document::escape;

/// An export format.
#[derive(Debug)]
pub struct ExportFormat {
    pub name: &'static str,
    /// The usual ending of such a file.
    pub ending: &'static str,
    pub mime: &'static str,
    /// The line of the help page.
    pub help: &'static str,
    /// The same in a few words, for a model that chooses.
    pub brief: &'static str,
    /// Writes the complete debate.
    pub write: fn(&ExportedDebate) -> String,
}

/// The formats; the first is the default.
pub static FORMATS: [ExportFormat; 7] = [
    ExportFormat {
        name: "markdown",
        ending: "md",
        mime: "text/markdown",
        help: "all of it, to read; the sources in one list",
        brief: "to read",
        write: |exported| whole(&ReportedDebate::of(exported)).to_markdown(),
    },
    ExportFormat {
        name: "json",
        ending: "json",
        mime: "application/json",
        help: "complete; `roundtable sessions import` reads it back",
        brief: "with everything in it",
        write: json,
    },
    ExportFormat {
        name: "html",
        ending: "html",
        mime: "text/html",
        help: "one page with charts and the argument map, no network needed",
        brief: "as one page",
        write: |exported| sheet::file(&ReportedDebate::of(exported)),
    },
    ExportFormat {
        name: "adr",
        ending: "md",
        mime: "text/markdown",
        help: "a decision record",
        brief: "as a decision record",
        write: adr::adr,
    },
    ExportFormat {
        name: "mermaid",
        ending: "mmd",
        mime: "text/plain",
        help: "the argument map",
        brief: "for the argument map",
        write: mermaid::mermaid,
    },
    ExportFormat {
        name: "argdown",
        ending: "argdown",
        mime: "text/plain",
        help: "the argument map",
        brief: "for the argument map",
        write: argdown::argdown,
    },
    ExportFormat {
        name: "csv",
        ending: "csv",
        mime: "text/csv",
        help: "the claims",
        brief: "for figures",
        write: csv::csv,
    },
];

impl ExportFormat {
    /// Markdown, which is used where the caller names no format.
    pub fn usual() -> &'static ExportFormat {
        let [first, ..] = &FORMATS;
        first
    }

    /// The format of this name. A file's ending names its format too.
    pub fn named(name: &str) -> Result<&'static ExportFormat, EngineError> {
        let wanted = name.trim().to_ascii_lowercase();
        let found = FORMATS.iter().find(|row| row.name == wanted || row.ending == wanted);
        found.ok_or_else(|| {
            let hint = did_you_mean(name, &names());
            EngineError::input(format!("format: {name:?} is unknown; {hint}"))
        })
    }

    /// The format that files with this ending usually have.
    pub fn by_ending(ending: &str) -> Result<&'static ExportFormat, EngineError> {
        let wanted = ending.to_ascii_lowercase();
        FORMATS.iter().find(|row| row.ending == wanted).ok_or_else(|| {
            let mut endings: Vec<String> =
                FORMATS.iter().map(|row| format!(".{}", row.ending)).collect();
            endings.sort_unstable();
            endings.dedup();
            let paper = match wanted.as_str() {
                "pdf" => " To get a PDF, write .html, open it and print it to a file.",
                _ => "",
            };
            EngineError::input(format!(
                "no export format has the ending .{ending}; these have one: {}.{paper}",
                endings.join(", ")
            ))
        })
    }
}

/// The names of all formats.
pub fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|row| row.name).collect()
}

fn json(exported: &ExportedDebate) -> String {
    let text = format!("{:#}\n", document::document(exported));
    escape::json(&text).into_owned()
}
