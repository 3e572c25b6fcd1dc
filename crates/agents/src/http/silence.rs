//! How long a model may be silent, and when it only repeats itself. A slow
//! server that keeps writing is waited for; one that has stopped saying anything
//! new is not.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use memchr::memrchr_iter;
use tokio::time::{Instant, sleep_until};

/// The whole of an answer may take this many times the silence allowed.
pub(crate) const MOST_SILENCES: u32 = 10;

/// The time a model has: so much silence, and a generous end.
#[derive(Debug)]
pub(crate) struct Patience {
    silence: Duration,
    end: Instant,
    until: Mutex<Instant>,
}

impl Patience {
    pub fn new(silence: Duration) -> Patience {
        let now = Instant::now();
        let end = now + silence.saturating_mul(MOST_SILENCES);
        Patience { silence, end, until: Mutex::new(now + silence) }
    }

    /// Notes that something new was said.
    pub fn heard(&self) {
        let until = (Instant::now() + self.silence).min(self.end);
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Returns when it runs out, as far as is known by now.
    pub fn until(&self) -> Instant {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it has run out.
    pub async fn run_out(&self) {
        while Instant::now() < self.until() {
            sleep_until(self.until()).await;
        }
    }
}

/// Shortest text that is looked at, in bytes.
const LEAST: usize = 600;
/// How much a piece must be repeated at the end of a text, in bytes and times.
const REPEATED: usize = 480;
const TIMES: usize = 6;
/// Longest piece whose repetition is looked for.
const LONGEST: usize = 240;

/// Watches an answer for the same piece again and again.
#[derive(Debug, Default)]
pub(crate) struct RunawayWatch {
    text: String,
    looked_at: usize,
}

impl RunawayWatch {
    /// Takes more of the answer. Returns the answer up to the second time of what
    /// it repeats, once it does nothing else.
    pub fn push(&mut self, more: &str) -> Option<String> {
        self.text.push_str(more);
        // Looking is cheap, but not for every token.
        if self.text.len() < LEAST || self.text.len() < self.looked_at + 64 {
            return None;
        }
        self.looked_at = self.text.len();
        let period = period(self.text.as_bytes())?;
        let bytes = self.text.as_bytes();
        let mut from = bytes.len() - period;
        while from > 0 && bytes.get(from - 1) == bytes.get(from - 1 + period) {
            from -= 1;
        }
        let mut end = (from + 2 * period).min(bytes.len());
        // A line that was begun is kept to its end.
        if end > 0 && bytes.get(end - 1) != Some(&b'\n') {
            let rest = bytes.iter().skip(end).take(period);
            end += rest.clone().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        }
        let end = (0..=end).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        self.text.get(..end).map(str::to_owned)
    }
}

/// The length of the piece that the end of a text repeats, if it does.
fn period(bytes: &[u8]) -> Option<usize> {
    let (last, before) = bytes.split_last()?;
    let near = before.get(before.len().saturating_sub(LONGEST)..)?;
    // Where a piece repeats, the byte at its distance from the last one is the same.
    let lengths = memrchr_iter(*last, near).map(|at| near.len() - at);
    lengths.into_iter().find(|length| repeats(bytes, *length))
}

/// True where a text ends in a piece of this length again and again.
fn repeats(bytes: &[u8], period: usize) -> bool {
    let length = REPEATED.max(TIMES * period);
    let Some(from) = bytes.len().checked_sub(length) else { return false };
    let Some(tail) = bytes.get(from..) else { return false };
    if tail.get(period..) != tail.get(..length - period) {
        return false;
    }
    // Rules and blank lines are drawn, not said.
    let says = tail.iter().take(period).any(u8::is_ascii_alphanumeric) || !tail.is_ascii();
    says || period > 1
}

#[cfg(test)]
mod tests;
