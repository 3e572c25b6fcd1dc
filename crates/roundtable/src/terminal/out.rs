//! The only place that writes to the terminal. Standard output carries results,
//! standard error everything else; a closed pipe ends quietly.

use std::io::{self, Write as _};

use super::page::Page;
use crate::document::escape;

/// The width to lay text out for.
pub fn page() -> Page {
    let width = terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
    Page::new(width)
}

/// Writes to standard output; `Err(ClosedOutput)` if its reader is gone.
pub fn print(text: &str) -> Result<(), ClosedOutput> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|_| ClosedOutput)
}

/// The text as standard output would show it: without colours where it has none.
#[allow(clippy::disallowed_methods, reason = "this is the door")]
pub fn as_printed(text: &str) -> String {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
        _ => text.to_owned(),
    }
}

/// Writes JSON to standard output; see [`escape::json`].
pub fn print_json(text: &str) -> Result<(), ClosedOutput> {
    print_raw(&escape::json(text))
}

/// Writes a file's text to standard output as it is, byte for byte.
pub fn print_raw(text: &str) -> Result<(), ClosedOutput> {
    let mut stdout = anstream::stdout().into_inner().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|_| ClosedOutput)
}

/// Writes a line to standard error; a failure cannot be reported anywhere.
pub fn note(text: &str) {
    let mut stderr = anstream::stderr().lock();
    let text = fitted(text);
    let _: io::Result<()> = writeln!(stderr, "{text}").and_then(|()| stderr.flush());
}

/// Rewrites the last line of standard error, cut to the terminal's width; an empty text
/// clears it.
#[allow(clippy::disallowed_methods, reason = "this is the door")]
pub fn status(text: &str) {
    let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0);
    let text: String = text.chars().take(usize::from(width).saturating_sub(1)).collect();
    let mut stderr = anstream::stderr().lock();
    let _: io::Result<()> = write!(stderr, "\r\x1b[K{text}").and_then(|()| stderr.flush());
}

/// Sentences fit the terminal, where there is one; what is indented is a command or a
/// list and stays as it is.
#[allow(clippy::disallowed_methods, reason = "this is the door")]
fn fitted(text: &str) -> String {
    let Some((width, _)) = terminal_size::terminal_size_of(io::stderr()) else {
        return text.to_owned();
    };
    let page = Page::new(width.0.into());
    let fit = |line: &str| if line.starts_with(' ') { line.to_owned() } else { page.fitted(line) };
    text.lines().map(fit).collect::<Vec<_>>().join("\n")
}

/// Standard output was closed, as `head` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("standard output was closed")]
pub struct ClosedOutput;
