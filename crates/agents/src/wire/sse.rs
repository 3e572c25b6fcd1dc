//! Server-sent events, read from bytes as they come: any line ending, a byte
//! order mark, several data lines, broken UTF-8. A line without end is refused
//! before it fills the memory. An event that comes in one piece is not copied.

use std::borrow::Cow;

use memchr::memchr2;

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;

/// The longest line that is read.
pub const LINE_CAP: usize = 1024 * 1024;

#[derive(Debug, Default)]
pub struct EventReader {
    /// The beginning of a line whose end is still to come.
    line: Vec<u8>,
    /// What earlier bytes said of an event whose end is still to come.
    open: OpenEvent<'static>,
    last_was_cr: bool,
    past_start: bool,
}

/// One event: its kind (often empty) and its data lines joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent<'e> {
    pub kind: Cow<'e, str>,
    pub data: Cow<'e, str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineTooLong;

/// An event of which not all lines were read.
#[derive(Debug, Default)]
struct OpenEvent<'e> {
    kind: Cow<'e, str>,
    data: Option<Cow<'e, str>>,
}

impl EventReader {
    /// Refuses bytes with which a line would be too long, before any of them is read.
    pub fn check(&self, bytes: &[u8]) -> Result<(), LineTooLong> {
        if self.line.len() + bytes.len() <= LINE_CAP {
            return Ok(());
        }
        let mut begun = self.line.len();
        for line in bytes.split(|byte| matches!(byte, b'\r' | b'\n')) {
            if std::mem::take(&mut begun) + line.len() > LINE_CAP {
                return Err(LineTooLong);
            }
        }
        Ok(())
    }

    /// Returns the next event that ends in these bytes, which then begin behind it. Where
    /// none does, all of them are taken in.
    pub fn next<'e>(&mut self, bytes: &mut &'e [u8]) -> Option<SseEvent<'e>> {
        let mut event: OpenEvent<'e> = std::mem::take(&mut self.open);
        while let Some(first) = bytes.first() {
            // The second half of CR LF, which may come in the next chunk.
            if std::mem::take(&mut self.last_was_cr) && *first == b'\n' {
                *bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            let end = memchr2(b'\r', b'\n', bytes);
            let (line, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            let Some((ending, after)) = rest.split_first() else {
                self.line.extend_from_slice(line);
                *bytes = rest;
                break;
            };
            self.last_was_cr = *ending == b'\r';
            *bytes = after;
            let line = if self.line.is_empty() {
                readable(line)
            } else {
                self.line.extend_from_slice(line);
                owned(std::mem::take(&mut self.line))
            };
            let is_end = event.read(self.past_mark(line));
            if let Some(event) = is_end.then(|| event.dispatch()).flatten() {
                return Some(event);
            }
        }
        self.open = event.into_owned();
        None
    }

    /// Returns the last event of a stream that ended without a blank line.
    pub fn finish(&mut self) -> Option<SseEvent<'static>> {
        let mut event = std::mem::take(&mut self.open);
        let line = owned(std::mem::take(&mut self.line));
        event.read(self.past_mark(line));
        event.dispatch()
    }

    /// Cuts the byte order mark off the first line.
    fn past_mark<'e>(&mut self, line: Cow<'e, str>) -> Cow<'e, str> {
        if std::mem::replace(&mut self.past_start, true) {
            return line;
        }
        let marks = line.len() - line.trim_start_matches('\u{feff}').len();
        behind(line, marks)
    }
}

impl<'e> OpenEvent<'e> {
    /// Takes in a line. True for the blank one, which ends the event.
    fn read(&mut self, line: Cow<'e, str>) -> bool {
        if let Some(at) = value_of("data", &line) {
            let value = behind(line, at);
            match &mut self.data {
                Some(data) => {
                    let data = data.to_mut();
                    data.push('\n');
                    data.push_str(&value);
                }
                None => self.data = Some(value),
            }
            return false;
        }
        if let Some(at) = value_of("event", &line) {
            self.kind = behind(line, at);
            return false;
        }
        // Comments (pings), ids and retry hints say nothing about the answer.
        line.is_empty()
    }

    fn dispatch(&mut self) -> Option<SseEvent<'e>> {
        let kind = std::mem::take(&mut self.kind);
        self.data.take().map(|data| SseEvent { kind, data })
    }

    fn into_owned(self) -> OpenEvent<'static> {
        OpenEvent {
            kind: Cow::Owned(self.kind.into_owned()),
            data: self.data.map(|data| Cow::Owned(data.into_owned())),
        }
    }
}

/// Finds where the value of a field begins in its line. A line without a colon is a
/// field without a value.
fn value_of(field: &str, line: &str) -> Option<usize> {
    let rest = line.strip_prefix(field)?;
    let value = match rest.strip_prefix(':') {
        Some(value) => value.strip_prefix(' ').unwrap_or(value),
        None if rest.is_empty() => rest,
        None => return None,
    };
    Some(line.len() - value.len())
}

/// Returns a text without its first bytes.
fn behind(text: Cow<'_, str>, at: usize) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(at..).unwrap_or_default()),
        Cow::Owned(mut text) => {
            text.drain(..at);
            Cow::Owned(text)
        }
    }
}

/// Returns bytes as text. Most are good UTF-8, which is checked many bytes at a time;
/// mending what is broken goes through them one by one.
fn readable(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

fn owned(bytes: Vec<u8>) -> Cow<'static, str> {
    match String::from_utf8(bytes) {
        Ok(text) => Cow::Owned(text),
        Err(broken) => Cow::Owned(String::from_utf8_lossy(broken.as_bytes()).into_owned()),
    }
}
