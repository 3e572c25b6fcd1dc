//! The fence around foreign text. Text from agents, pages and files is data: it
//! can neither close its fence nor pass for our own words. The fence refuses
//! nothing: every text goes in, without the characters that could mislead a
//! reader.

use std::borrow::Cow;
use std::fmt::Write;
use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher24};

use crate::model::{AskId, Party, Task};

#[cfg(test)]
#[path = "fence_tests.rs"]
mod tests;

/// The replacement for a guessed or repeated mark.
const MARK_REMOVED: &str = "[mark removed]";

/// As many angle brackets in a row as make a fence.
const BRACKETS: usize = 3;

/// A fence for one ask. Its mark is random, secret until the ask is sent, and
/// the same in every replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    mark: String,
}

impl Fence {
    /// `key`: the brief's fence key, 32 hex digits.
    pub fn new(key: &str, ask: &AskId) -> Fence {
        let (first, second) = fence_keys(key);
        let mut hasher = SipHasher24::new_with_keys(first, second);
        // Writing into a hasher cannot fail.
        let _ = write!(HashWriter(&mut hasher), "fence {ask}");
        Fence { mark: format!("{:032x}", hasher.finish128().as_u128()) }
    }

    /// The fence around the caller's files, the same in every ask of a debate, so that
    /// providers can keep what does not change. The files were written before the mark
    /// was made, and no answer is ever put into this fence.
    pub fn of_files(key: &str) -> Fence {
        let files =
            AskId { round: 0, wave: 0, party: Party::Clerk, task: Task::Speak, about: None };
        Fence::new(key, &files)
    }

    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// Returns true if a text that one fence has neutralised reads the same behind every
    /// other: if no mark was taken out of it, and none could be.
    pub fn is_alike(neutral: &str) -> bool {
        !holds_row(neutral.as_bytes()) && !neutral.contains(MARK_REMOVED)
    }

    /// Returns the text inside the fence, neutralised, under a label of our own.
    pub fn wrap(&self, label: &str, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + label.len() + 100);
        self.open(&mut out, label);
        out.push_str(&self.neutralise(text));
        self.close(&mut out);
        out
    }

    /// Begins a fence. The text written after it must be neutralised.
    pub fn open(&self, out: &mut String, label: &str) {
        out.push_str("<<<data ");
        out.push_str(&self.mark);
        out.push(' ');
        let label = self.one_line(label);
        // A bracket at the end of a label would blur where the label ends.
        out.push_str(label.trim_end_matches('>'));
        out.push_str(">>>\n");
    }

    pub fn close(&self, out: &mut String) {
        out.push('\n');
        self.end_line(out);
    }

    /// Ends a fence whose text has ended its own last line.
    pub fn end_line(&self, out: &mut String) {
        out.push_str("<<<end ");
        out.push_str(&self.mark);
        out.push_str(">>>\n");
    }

    /// Returns the label and the text of a fenced text, if this fence made it.
    pub fn parse<'t>(&self, fenced: &'t str) -> Option<(&'t str, &'t str)> {
        let inner = fenced.strip_prefix("<<<data ")?.strip_prefix(&self.mark)?.strip_prefix(' ')?;
        let inner = inner.strip_suffix(">>>\n")?.strip_suffix(&self.mark)?;
        inner.strip_suffix("\n<<<end ")?.split_once(">>>\n")
    }

    /// Returns the text without anything that a reader could take for a fence or
    /// could not see. Doing it twice changes nothing more.
    pub fn neutralise<'t>(&self, text: &'t str) -> Cow<'t, str> {
        // Nearly all text is plain and needs no second look.
        let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t') & (byte & !2 != b'<');
        if text.bytes().fold(true, |so_far, byte| so_far & plain(byte)) {
            return self.without_mark(text);
        }
        let mut text = visible(text);
        if let Cow::Owned(blunt) = blunt(&text) {
            text = Cow::Owned(blunt);
        }
        if let Cow::Owned(unmarked) = self.without_mark(&text) {
            text = Cow::Owned(unmarked);
        }
        text
    }

    /// Returns the same on one line, for texts that stand among our own lines.
    pub fn one_line<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let text = self.neutralise(text.trim());
        // Looking at every byte is faster than looking for the first one.
        let broken = |so_far, byte| so_far | matches!(byte, b'\n' | b'\t');
        if text.bytes().fold(false, broken) {
            let words: Vec<&str> = text.split_whitespace().collect();
            return Cow::Owned(words.join(" "));
        }
        text
    }

    fn without_mark<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !holds_row(text.as_bytes()) {
            return Cow::Borrowed(text);
        }
        let (bytes, mark) = (text.as_bytes(), self.mark.as_bytes());
        let mut out = String::new();
        let (mut from, mut at, mut digits) = (0, 0, 0);
        while let Some(byte) = bytes.get(at) {
            digits = if byte.is_ascii_hexdigit() { digits + 1 } else { 0 };
            at += 1;
            if digits < mark.len() {
                continue;
            }
            let start = at - mark.len();
            if bytes.get(start..at).is_some_and(|part| part.eq_ignore_ascii_case(mark)) {
                out.push_str(text.get(from..start).unwrap_or_default());
                out.push_str(MARK_REMOVED);
                (from, digits) = (at, 0);
            }
        }
        if from == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(text.get(from..).unwrap_or_default());
        Cow::Owned(out)
    }
}

/// The hex digits of a mark.
const DIGITS: usize = 32;

/// Returns true if the text holds as many hex digits in a row as a mark has. It looks at
/// every eighth byte only, until four of them together could be part of a row.
fn holds_row(bytes: &[u8]) -> bool {
    let mut seen = 0;
    (7..bytes.len()).step_by(8).any(|at| {
        let digit = bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
        seen = if digit { seen + 1 } else { 0 };
        let end = bytes.len().min(at + 8);
        let around = || bytes.get((at + 1).saturating_sub(DIGITS)..end).unwrap_or_default();
        seen >= 4 && around().split(|byte| !byte.is_ascii_hexdigit()).any(|row| row.len() >= DIGITS)
    })
}

/// The two halves of a fence key. A key that is not 32 hex digits still gives
/// keys of its own.
pub fn fence_keys(key: &str) -> (u64, u64) {
    let half = |range: std::ops::Range<usize>| {
        key.get(range).and_then(|digits| u64::from_str_radix(digits, 16).ok())
    };
    if let (32, Some(first), Some(second)) = (key.len(), half(0..16), half(16..32)) {
        return (first, second);
    }
    let mut hasher = SipHasher24::new();
    hasher.write(key.as_bytes());
    let hash = hasher.finish128();
    (hash.h1, hash.h2)
}

struct HashWriter<'a>(&'a mut SipHasher24);

impl Write for HashWriter<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// The first decision about a character.
enum CharFate {
    Keep,
    Drop,
    Newline,
}

fn fate(char: char) -> CharFate {
    match char {
        '\n' | '\t' | ' '..='~' => CharFate::Keep,
        '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{b}' | '\u{c}' => CharFate::Newline,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => CharFate::Drop,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' => CharFate::Drop,
        '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => CharFate::Drop,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => {
            CharFate::Drop
        }
        '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' => CharFate::Drop,
        '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' => CharFate::Drop,
        '\u{e0000}'..='\u{e0fff}' => CharFate::Drop,
        _ => CharFate::Keep,
    }
}

fn keeps(char: char) -> bool {
    matches!(fate(char), CharFate::Keep)
}

/// Returns the text without invisible, directional, tag and control characters.
fn visible(text: &str) -> Cow<'_, str> {
    let text = if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    };
    if text.chars().all(|char| ('\u{3165}'..'\u{d7a4}').contains(&char) || keeps(char)) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match fate(char) {
            CharFate::Keep => out.push(char),
            CharFate::Newline => out.push('\n'),
            CharFate::Drop => {}
        }
    }
    Cow::Owned(out)
}

/// Returns the number of brackets a character looks like, and their kind.
fn brackets(char: char) -> (usize, char) {
    match char {
        '<' | '＜' | '﹤' | '‹' | '\u{2329}' | '⟨' | '\u{3008}' | '❮' | '˂' | 'ᐸ' => {
            (1, '<')
        }
        '>' | '＞' | '﹥' | '›' | '\u{232a}' | '⟩' | '\u{3009}' | '❯' | '˃' | 'ᐳ' => {
            (1, '>')
        }
        '«' | '≪' | '⟪' | '《' => (2, '<'),
        '»' | '≫' | '⟫' | '》' => (2, '>'),
        '⋘' => (3, '<'),
        '⋙' => (3, '>'),
        _ => (0, ' '),
    }
}

/// Returns the text with every row of brackets broken up that could be taken for
/// a fence.
fn blunt(text: &str) -> Cow<'_, str> {
    let mut out: Option<String> = None;
    let mut run = BracketRun::default();
    for (at, char) in text.char_indices() {
        // Only these bytes can begin a bracket; everything else is skipped fast.
        let (count, bracket) = match char {
            '<' | '>' => (1, char),
            '\0'..='\u{7f}' => (0, ' '),
            _ => brackets(char),
        };
        if bracket == run.bracket {
            run.count += count;
        } else {
            run.end(text, at, &mut out);
            run = BracketRun { start: at, count, bracket };
        }
    }
    run.end(text, text.len(), &mut out);
    out.map_or(Cow::Borrowed(text), Cow::Owned)
}

#[derive(Default)]
struct BracketRun {
    start: usize,
    count: usize,
    bracket: char,
}

impl BracketRun {
    fn end(&self, text: &str, end: usize, out: &mut Option<String>) {
        let dangerous = self.count >= BRACKETS;
        if out.is_none() && !dangerous {
            return;
        }
        let out = out.get_or_insert_with(|| text.get(..self.start).unwrap_or_default().to_owned());
        if !dangerous {
            out.push_str(text.get(self.start..end).unwrap_or_default());
            return;
        }
        for place in 0..self.count {
            if place > 0 && place.is_multiple_of(2) {
                out.push(' ');
            }
            out.push(self.bracket);
        }
    }
}
