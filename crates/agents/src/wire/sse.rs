//! Server-sent events, read from bytes as they come: any line ending, a byte
//! order mark, several data lines, broken UTF-8. A line without end is refused
//! before it fills the memory.

/// The longest line that is read.
pub const LINE_CAP: usize = 1024 * 1024;

#[derive(Debug, Default)]
pub struct EventReader {
    line: Vec<u8>,
    data: Option<String>,
    kind: String,
    last_was_cr: bool,
    past_start: bool,
}

/// One event: its kind (often empty) and its data lines joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    pub kind: String,
    pub data: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineTooLong;

impl EventReader {
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<SseEvent>, LineTooLong> {
        let mut events = Vec::new();
        while let Some(first) = bytes.first() {
            // The second half of CR LF, which may come in the next chunk.
            if std::mem::take(&mut self.last_was_cr) && *first == b'\n' {
                bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (line, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.line.len() + line.len() > LINE_CAP {
                return Err(LineTooLong);
            }
            self.line.extend_from_slice(line);
            let Some((ending, after)) = rest.split_first() else { break };
            self.last_was_cr = *ending == b'\r';
            events.extend(self.end_line());
            bytes = after;
        }
        Ok(events)
    }

    /// Returns the last event of a stream that ended without a blank line.
    pub fn finish(&mut self) -> Option<SseEvent> {
        let before = self.end_line();
        before.or_else(|| self.dispatch())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let mut bytes = std::mem::take(&mut self.line);
        let event = self.read_line(&bytes);
        // The next line needs about as much memory.
        bytes.clear();
        self.line = bytes;
        event
    }

    fn read_line(&mut self, bytes: &[u8]) -> Option<SseEvent> {
        let text = String::from_utf8_lossy(bytes);
        let line = if self.past_start { &*text } else { text.trim_start_matches('\u{feff}') };
        self.past_start = true;
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "event" => self.kind = value.to_owned(),
            // Comments (pings), ids and retry hints say nothing about the answer.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let kind = std::mem::take(&mut self.kind);
        self.data.take().map(|data| SseEvent { kind, data })
    }
}
