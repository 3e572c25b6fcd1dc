//! Standard input, one message a line. Lines that are no messages, or that have no end,
//! are kept from the protocol's library, which would drop them in silence; their faults
//! are handed over to be answered. The end of the input is noticed at once, so that no
//! call keeps waiting for a client that has left.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use engine::nouns::CancellationToken;
use rmcp::transport::StdioReader;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc::UnboundedSender;

use super::bad_message::{self, MessageFault};

/// The longest line; what a client may send over HTTP is less.
pub const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// The parts of a line that is too long in which its number is looked for.
const ENDS: usize = 4096;

pub struct CheckedInput {
    inner: StdioReader,
    ended: CancellationToken,
    faults: UnboundedSender<MessageFault>,
    line: LineBuffer,
    /// Lines that passed and were not read yet, from `read` on.
    ready: Vec<u8>,
    read: usize,
}

/// A line that is still coming in.
#[derive(Default)]
struct LineBuffer {
    /// All of it, or the beginning of a line that is too long.
    head: Vec<u8>,
    /// The end of a line that is too long.
    tail: Vec<u8>,
    is_too_long: bool,
}

impl CheckedInput {
    pub fn new(
        inner: StdioReader,
        ended: CancellationToken,
        faults: UnboundedSender<MessageFault>,
    ) -> CheckedInput {
        let (line, ready) = (LineBuffer::default(), Vec::new());
        CheckedInput { inner, ended, faults, line, ready, read: 0 }
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            self.line.push(line);
            bytes = rest.get(1..).unwrap_or_default();
            self.finish();
        }
        self.line.push(bytes);
    }

    fn finish(&mut self) {
        let line = std::mem::take(&mut self.line);
        let checked = match line.head.trim_ascii() {
            _ if line.is_too_long => {
                Err(MessageFault::too_long(&line.head, &line.tail, LONGEST_LINE))
            }
            [] => return,
            message => bad_message::check(message).map(drop),
        };
        match checked {
            Ok(()) => {
                self.ready.extend_from_slice(&line.head);
                self.ready.push(b'\n');
            }
            // Where nothing answers any more, the process is ending.
            Err(fault) => drop(self.faults.send(fault)),
        }
    }

    /// Hands out lines that passed; `false` if there are none.
    fn give(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let waiting = self.ready.get(self.read..).unwrap_or_default();
        let some = waiting.len().min(buffer.remaining());
        buffer.put_slice(waiting.get(..some).unwrap_or_default());
        self.read += some;
        if self.read == self.ready.len() {
            (self.ready, self.read) = (Vec::new(), 0);
        }
        some > 0
    }
}

impl LineBuffer {
    fn push(&mut self, bytes: &[u8]) {
        if !self.is_too_long && self.head.len() + bytes.len() <= LONGEST_LINE {
            self.head.extend_from_slice(bytes);
            return;
        }
        if !self.is_too_long {
            self.is_too_long = true;
            self.tail = self.head.split_off(self.head.len().min(ENDS));
            self.head.shrink_to_fit();
        }
        self.tail.extend_from_slice(bytes);
        let surplus = self.tail.len().saturating_sub(ENDS);
        self.tail.drain(..surplus);
        self.tail.shrink_to(2 * ENDS);
    }
}

impl AsyncRead for CheckedInput {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            if this.give(buffer) || buffer.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            let mut space = [0; 16 * 1024];
            let mut fresh = ReadBuf::new(&mut space);
            match Pin::new(&mut this.inner).poll_read(context, &mut fresh) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) if !fresh.filled().is_empty() => this.take(fresh.filled()),
                ended => {
                    this.ended.cancel();
                    return ended;
                }
            }
        }
    }
}
