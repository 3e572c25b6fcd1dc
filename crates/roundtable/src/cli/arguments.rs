//! Arguments that several commands share, and the steps that go with them.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use crate::document::Document;
use crate::document::escape;
use crate::terminal::document::text as document_text;
use crate::terminal::out;
use engine::bounded_file;
use engine::error::EngineError;

/// The largest file that is read as lessons or as a post-mortem.
const LARGEST_FILE: u64 = 64 * 1024 * 1024;

// Options of every command that asks agents.
#[derive(Debug, Args)]
pub struct TapeArgs {
    /// Write every call and its answer to this file, without any key; it must not exist yet.
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub record: Option<PathBuf>,
    /// Let a recording speak for the agents: nobody is asked, and what it does not hold is shown.
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// How fast: max (at once), 1 (as recorded), 10 (ten times as fast) [default: max]
    #[arg(long, value_name = "SPEED", requires = "replay")]
    pub replay_speed: Option<String>,
}

// The formats of a document; the text for a terminal where none is given.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// As JSON.
    #[arg(long, group = "format")]
    pub json: bool,
    /// As Markdown.
    #[arg(long, group = "format")]
    pub markdown: bool,
    /// As one HTML page with charts that needs nothing else.
    #[arg(long, group = "format")]
    pub html: bool,
}

impl FormatArgs {
    /// The document in the format that was asked for; `value` is the same as JSON.
    pub fn shown(&self, document: &Document, value: &Value) -> String {
        match (self.json, self.markdown, self.html) {
            (true, ..) => pretty(value),
            (_, true, _) => document.to_markdown(),
            (.., true) => document.to_html(),
            _ => document_text(out::page(), document),
        }
    }
}

/// JSON on several lines.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// JSON that holds words of models and that a terminal can show.
pub fn clean_json(value: &Value) -> String {
    escape::json(&pretty(value)).into_owned()
}

/// The text of a file, or of standard input for `-`.
pub fn read(path: &Path) -> Result<String, EngineError> {
    let cannot = |why: &dyn std::fmt::Display| {
        EngineError::input(format!("cannot read {}: {why}", path.display()))
    };
    if path != Path::new("-") {
        return bounded_file::read_text(path, LARGEST_FILE).map_err(|fault| cannot(&fault));
    }
    let mut text = String::new();
    let read = std::io::stdin().take(LARGEST_FILE).read_to_string(&mut text);
    read.map_err(|error| cannot(&error))?;
    Ok(text)
}

/// Writes a file where nothing is.
pub fn write_new(path: &Path, text: &str) -> Result<(), EngineError> {
    use std::io::Write as _;
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            EngineError::input(format!("{} exists already; nothing was written", path.display()))
        }
        _ => EngineError::input(format!("cannot write {}: {error}", path.display())),
    };
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    // What was learned is for the owner's eyes alone.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(cannot)?;
    file.write_all(text.as_bytes()).map_err(cannot)
}
